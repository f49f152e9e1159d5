// The launch of a declared kernel.

#include <algorithm>
#include <filesystem>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/as_code/declared.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/operation/whole.hpp>
#include <negzero/source/flags.hpp>
#include <negzero/source/manifest.hpp>
#include <negzero/source/pointees.hpp>
#include <negzero/source/program.hpp>
#include <negzero/source/strides.hpp>
#include <negzero/source/token.hpp>

namespace negzero::as_code {

namespace {

namespace fs = std::filesystem;

/// The header of CUDA that has the type.
std::string_view header_of(std::string_view type) {
  if (type == "__half") return "<cuda_fp16.h>";
  if (type == "__nv_bfloat16") return "<cuda_bf16.h>";
  return type.starts_with("__nv_fp8") ? "<cuda_fp8.h>" : "";
}

/// C++ has no literal of the least number.
std::string integer_literal(std::int64_t value) {
  return value == std::numeric_limits<std::int32_t>::min() ? "-2147483647 - 1" : fmt::format("{}", value);
}

std::string scalar_lines(const notation::ScalarSignature& signature, const operation::Scalar& scalar) {
  const std::string& name = signature.name;
  if (signature.is_whole()) {
    const std::int64_t value = operation::whole_value(scalar);
    const bool is_truth = signature.kind == notation::ScalarKind::Truth;
    return fmt::format("  const {} {} = {};\n", notation::word_of(signature.kind), name,
                       is_truth ? (value != 0 ? "true" : "false") : integer_literal(value));
  }
  const number::Format& format = number::format(scalar.format);
  return fmt::format(
      "  const std::uint{0}_t {1}_bits = {2};  // {3}\n  {4} {1};\n  std::memcpy(&{1}, &{1}_bits, sizeof {1});\n",
      format.bits, name, number::to_hex(format, scalar.bits), number::to_decimal(format, scalar.bits),
      source::type_of(std::string(format.name)));
}

/// What kernel/args.hpp has for them.
constexpr std::string_view kCalledInLaunches = R"(namespace negzero {
[[noreturn]] inline void refuse(const std::string& why) {
  std::printf("refused: %s\n", why.c_str());
  std::exit(1);
}
template <typename Pointer>
using element_of = std::remove_cv_t<std::remove_pointer_t<Pointer>>;
}  // namespace negzero
)";

}  // namespace

base::Result<Launch> launch_of(const DeclaredFile& named, const Finding& finding, const std::vector<Buffer>& buffers) {
  const auto declared = source::declared_in(named.file, named.declaration);
  if (!declared) return declared.error();
  const auto& [path, declarations] = *declared;
  const auto found = std::ranges::find(declarations.kernels, finding.kernel, &source::Declaration::kernel);
  if (found == declarations.kernels.end()) {
    return base::usage_error(
        fmt::format("{} declares no kernel {}; --kernels names the file that does", path, finding.kernel));
  }
  if (named.file.ends_with(".py") || found->is_of_tensors) {
    return base::usage_error(
        fmt::format("--format cu: {} is an extension of PyTorch, which nvcc alone does not compile; --format py has "
                    "the case and what the kernel gave",
                    finding.kernel));
  }
  const std::string file = source::absolute(named.file);
  const auto folder_of = [](const std::string& of) { return fs::path(of).parent_path().string(); };
  const auto own = source::host_flags(declarations.flags, {folder_of(path), folder_of(file)});
  if (!own) return own.error();
  const auto more = source::host_flags(named.flags, {fs::current_path().string()});
  if (!more) return more.error();
  Launch launch{.flags = own->of_nvcc};
  launch.flags.insert(launch.flags.end(), more->of_nvcc.begin(), more->of_nvcc.end());
  const auto text = files::read_text(file);
  if (!text) return text.error();
  const bool has_main = source::has_word(*text, "main");
  if (has_main) launch.kernels += "#define main main_of_the_file\n";
  launch.kernels += fmt::format("#include \"{}\"\n", file);
  for (const std::string& include : declarations.includes) launch.kernels += fmt::format("#include \"{}\"\n", include);
  if (has_main) launch.kernels += "#undef main\n";

  const std::string& statement = found->launch.text;
  if (source::has_word(statement, "negzero")) {
    launch.headers.insert({"<cstdlib>", "<string>", "<type_traits>"});
    launch.kernels += kCalledInLaunches;
  }
  const std::vector<source::KernelSignature> functions = source::functions_called(*text, std::span(&statement, 1));
  const operation::Operation& operation = finding.value.operation;
  for (const Buffer& buffer : buffers) {
    if (!source::has_word(statement, buffer.name)) continue;
    const std::string type =
        source::pointee_of(buffer.name, std::string(number::format(buffer.format).name), statement, functions);
    if (!header_of(type).empty()) launch.headers.insert(std::string(header_of(type)));
    launch.statements += fmt::format("  {}* const {} = {};\n", type, buffer.name, pointer_to(buffer, type));
  }
  const notation::Signature& family = operation.signature().family();
  for (const notation::TensorSignature& tensor : family.tensors) {
    const bool is_absent = operation::is_absent(operation.signature(), tensor.name);
    if (!is_absent || !source::has_word(statement, tensor.name)) continue;
    const std::string format(number::format(operation.formats()[tensor.format]).name);
    const std::string type = source::pointee_of(tensor.name, format, statement, functions);
    if (!header_of(type).empty()) launch.headers.insert(std::string(header_of(type)));
    launch.statements += fmt::format("  {}* const {} = nullptr;  // this case is without it\n", type, tensor.name);
  }
  for (std::size_t e = 0; e < operation.extents().size(); ++e) {
    const std::string& name = operation.signature().extents[e];
    if (source::has_word(statement, name))
      launch.statements += fmt::format("  const int {} = {};\n", name, operation.extents()[e]);
  }
  for (const source::NamedStride& stride : source::strides_named(family, statement)) {
    const auto buffer = std::ranges::find(buffers, stride.tensor, &Buffer::name);
    const bool is_absent = operation::is_absent(operation.signature(), stride.tensor);
    if (buffer == buffers.end() && !is_absent) continue;
    launch.statements += fmt::format("  const std::int64_t {} = {};\n", stride.name,
                                     is_absent ? 0 : buffer->layout.strides.at(stride.dimension));
  }
  const auto limits = nlohmann::json::parse(found->json).value("limits", nlohmann::json::object());
  const auto options = limits.value("configuration", nlohmann::json::object());
  for (const auto& [option, values] : options.items()) {
    if (!source::uses_name(statement, option)) continue;
    const auto chosen = finding.value.configuration.find(option);
    const bool is_chosen = chosen != finding.value.configuration.end();
    launch.statements += fmt::format("  const std::int64_t {} = {};\n", option,
                                     is_chosen ? chosen->second : values.front().get<std::int64_t>());
  }
  for (std::size_t s = 0; s < operation.scalars().size(); ++s) {
    const notation::ScalarSignature& scalar = operation.signature().scalars[s];
    if (source::has_word(statement, scalar.name)) {
      launch.statements += scalar_lines(scalar, operation.scalars()[s]);
    }
  }
  if (source::has_word(statement, "stream")) launch.statements += "  const cudaStream_t stream = nullptr;\n";
  launch.statements += fmt::format("  {}{}\n", statement, statement.ends_with(';') ? "" : ";");
  return launch;
}

}  // namespace negzero::as_code
