// The launch of a kernel that registers itself, without negzero.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/as_code/pieces.hpp>
#include <negzero/as_code/registered.hpp>
#include <negzero/as_code/texts.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/optional.hpp>
#include <negzero/source/code.hpp>
#include <negzero/source/token.hpp>

namespace negzero::as_code {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScope = "negzero::kernels";
/// Headers of negzero's whose words alone.cuh has.
constexpr std::string_view kStandIns[] = {"<negzero/cuda/cuda.hpp>", "<negzero/kernel/kernel.hpp>",
                                          "<negzero/kernel/fault.hpp>"};

/// What a file of kernels and its own headers come to.
struct Gathered {
  std::vector<Piece> pieces{};
  std::set<std::string> headers{};  ///< of CUDA and the standard library
  std::set<std::string> read{};     ///< files
  std::string problem{};            ///< empty: none
};

/// "<x>" or "\"x\"" of each #include, in order.
std::vector<std::string> includes_of(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t open = line.find_first_of("<\"");
    if (!line.starts_with("#include") || open == std::string_view::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string_view::npos) result.emplace_back(line.substr(open, close - open + 1));
  }
  return result;
}

void gather(const std::string& path, const ReadSource& read, Gathered& result) {
  if (!result.problem.empty() || !result.read.insert(path).second) return;
  const auto text = read(path);
  if (!text) {
    result.problem = fmt::format("{} is not here: the text of the kernel is needed; run this in negzero's tree", path);
    return;
  }
  for (const std::string& include : includes_of(*text)) {
    if (include.front() == '"') {
      const std::string name = include.substr(1, include.size() - 2);
      gather((fs::path(path).parent_path() / name).lexically_normal().string(), read, result);
    } else if (!include.starts_with("<negzero/")) {
      result.headers.insert(include);
    } else if (std::ranges::find(kStandIns, include) == std::end(kStandIns)) {
      result.problem = fmt::format(
          "{} includes {}, which has no stand-in outside negzero; --format py has the case and "
          "what the kernel gave",
          path, include);
    }
  }
  std::vector<Piece> pieces = pieces_of(*text);
  std::ranges::move(pieces, std::back_inserter(result.pieces));
}

/// The designated initialisers of the braces that open at `open`: ".id" with the text behind its '='.
std::map<std::string, std::string> initialisers(const source::Code& code, std::size_t open) {
  std::map<std::string, std::string> result;
  const std::size_t close = code.partner_of(open);
  for (std::size_t i = open + 1; i < close;) {
    if (!code.is_sign(i, ".") || !code.is_word(i + 1) || !code.is_sign(i + 2, "=")) {
      ++i;
      continue;
    }
    const std::string name(code.text_of(i + 1));
    const std::size_t begin = i += 3;
    const auto is_end = [&](std::size_t at) {
      return code.is_sign(at, ",") && (code.is_sign(at + 1, ".") || at + 1 == close);
    };
    for (; i < close && !is_end(i); ++i) {
      const std::size_t partner = code.partner_of(i);
      if (partner != source::kNone && partner > i) i = partner;
    }
    result.emplace(name, code.joined(begin, i));
  }
  return result;
}

std::string statements_of(const Finding& finding, const std::vector<Buffer>& buffers) {
  const operation::Operation& operation = finding.value.operation;
  std::vector<std::string> extents, operands, scalars;
  for (std::size_t e = 0; e < operation.extents().size(); ++e) {
    extents.push_back(fmt::format("{{\"{}\", {}}}", operation.signature().extents[e], operation.extents()[e]));
  }
  for (const Buffer& buffer : buffers) {
    operands.push_back(fmt::format("\n      {{\"{}\", {{{}, {{{}}}}}}}", buffer.name, pointer_to(buffer, "void"),
                                   fmt::join(buffer.layout.strides, ", ")));
  }
  for (const std::string& absent : operation::absent_inputs(operation.signature())) {
    operands.push_back(fmt::format("\n      {{\"{}\", {{nullptr, {{}}}}}}", absent));
  }
  std::string values;
  for (std::size_t s = 0; s < operation.scalars().size(); ++s) {
    const operation::Scalar& scalar = operation.scalars()[s];
    const number::Format& format = number::format(scalar.format);
    const std::string& name = operation.signature().scalars[s].name;
    scalars.push_back(fmt::format("{{\"{}\", {{{}}}}}", name, number::to_hex(format, scalar.bits)));
    values += fmt::format("{}{} {}", values.empty() ? "  // " : ", ", name, number::to_decimal(format, scalar.bits));
  }
  std::string text = "  negzero::kernel::Args args;\n";
  text += fmt::format("  args.extents = {{{}}};\n", fmt::join(extents, ", "));
  text += fmt::format("  args.operands = {{{}}};\n", fmt::join(operands, ","));
  if (!scalars.empty()) text += fmt::format("  args.scalars = {{{}}};{}\n", fmt::join(scalars, ", "), values);
  std::vector<std::string> options;
  for (const auto& [name, value] : finding.configuration) {
    // C++ has no literal of the least number.
    const bool is_least = value == std::numeric_limits<std::int64_t>::min();
    options.push_back(fmt::format("{{\"{}\", {}}}", name, is_least ? "INT64_MIN" : std::to_string(value)));
  }
  if (!options.empty()) text += fmt::format("  args.options = {{{}}};\n", fmt::join(options, ", "));
  const bool is_large = finding.value.poison == operation::Poison::Large;
  text += fmt::format("  negzero::kernel::Workspace workspace{{{}}};\n", is_large ? "0x7b" : "0xff");
  return text +
         "  negzero::engine::Stream stream;\n"
         "  const negzero::kernel::LaunchResult result = negzero::kernels::launch_case(args, workspace, stream);\n";
}

}  // namespace

std::optional<std::string> launch_expression(std::string_view text, std::string_view kernel) {
  std::vector<source::Token> tokens = source::tokens_of(text);
  std::erase_if(
      tokens, [](const source::Token& token) { return token.kind == source::TokenKind::Space || token.is_directive; });
  const source::Code code(text, std::move(tokens));
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_call = code.is_word(i, "add_fault") || (code.is_word(i, "add") && code.is_sign(i - 1, "."));
    if (i == 0 || !is_call || !code.is_sign(i + 1, "(") || !code.is_sign(i + 2, "{")) continue;
    std::map<std::string, std::string> said = initialisers(code, i + 2);
    const auto literal = [&](const char* key) {
      const std::string& value = said[key];
      return value.size() < 2 ? value : value.substr(1, value.size() - 2);
    };
    if (said.contains("name") && literal("name") == kernel) return said["launch"];
    if (!said.contains("id")) continue;
    if (kernel == fmt::format("faulty.{}.{}", literal("id"), literal("slug"))) return said["faulty"];
    if (kernel == fmt::format("twin.{}.{}", literal("id"), literal("twin_slug"))) return said["twin"];
  }
  return std::nullopt;
}

base::Result<Launch> launch_of(const std::string& file, const ReadSource& read, const Finding& finding,
                               const std::vector<Buffer>& buffers) {
  Gathered gathered;
  gather(file, read, gathered);
  if (!gathered.problem.empty()) return base::usage_error("--format cu: " + gathered.problem);
  const auto expression = launch_expression(*read(file), finding.kernel);
  if (!expression || expression->empty()) {
    return base::usage_error(fmt::format(
        "--format cu: {} has no registration that names {} and its launch together; --format py has the case and what "
        "the kernel gave",
        file, finding.kernel));
  }
  std::set<std::string> words = words_of(*expression);
  words.insert({"Args", "Workspace", "Stream", "LaunchResult"});
  std::vector<Piece> all = pieces_of(kAlone);
  std::ranges::move(gathered.pieces, std::back_inserter(all));
  Launch launch{.headers = std::move(gathered.headers), .may_refuse = true};
  launch.headers.insert({"<map>", "<string>", "<cuda_bf16.h>", "<cuda_fp16.h>"});
  const bool is_lambda = expression->starts_with('[');
  launch.kernels = "#pragma nv_diag_suppress 177  // functions of its headers that the kernel does not call\n";
  launch.kernels +=
      text_of(reached(all, words), kScope,
              fmt::format("\nkernel::LaunchResult launch_case(const kernel::Args& args, kernel::Workspace& workspace,\n"
                          "                                 engine::Stream& stream) {{\n"
                          "  return {}{}{}(args, workspace, stream);\n}}\n",
                          is_lambda ? "(" : "", *expression, is_lambda ? ")" : ""));
  launch.statements = statements_of(finding, buffers);
  return launch;
}

}  // namespace negzero::as_code
