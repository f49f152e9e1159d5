// Guesses from names, says what it guessed, and asks where names say nothing.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/nearest.hpp>
#include <negzero/source/launches.hpp>
#include <negzero/source/place.hpp>
#include <negzero/source/proposal.hpp>
#include <negzero/source/signatures.hpp>
#include <negzero/source/tensor_proposal.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The format that elements of that type have; "???" where the type says nothing.
std::string format_of(const std::string& type) {
  if (type == "float") return "F32";
  if (type == "double") return "F64";
  if (is_one_of(type, {"half", "__half", "nv_half"})) return "F16";
  if (is_one_of(type, {"__nv_bfloat16", "nv_bfloat16"})) return "BF16";
  if (is_one_of(type, {"__nv_fp8_e4m3"})) return "F8_E4M3";
  if (is_one_of(type, {"__nv_fp8_e5m2"})) return "F8_E5M2";
  if (is_one_of(type, {"int", "int32_t", "std::int32_t", "unsigned", "unsigned int"})) return "I32";
  if (is_one_of(type, {"int64_t", "std::int64_t", "long", "long long"})) return "I64";
  return "???";
}

bool is_integer(const KernelParameter& parameter) {
  return !parameter.is_pointer &&
         is_one_of(parameter.element, {"int", "unsigned", "unsigned int", "long", "long long", "size_t", "std::size_t",
                                       "int64_t", "std::int64_t", "int32_t", "uint32_t", "uint64_t", "unsigned long"});
}
bool is_number(const KernelParameter& parameter) {
  return !parameter.is_pointer && is_one_of(parameter.element, {"float", "double", "half", "__half"});
}

/// What the parameters of a kernel are to an operation.
class Guess {
 public:
  explicit Guess(const KernelSignature& kernel) : kernel_(kernel) {
    for (const KernelParameter& each : kernel.parameters) {
      if (each.is_pointer) {
        (each.is_const ? inputs_ : outputs_).push_back(&each);
      } else if (is_integer(each)) {
        extents_.push_back(&each);
      } else if (is_number(each)) {
        scalars_.push_back(&each);
      } else {
        others_.push_back(&each);
      }
    }
  }

  [[nodiscard]] std::string text() const { return is_gemm() ? gemm() : declared(); }

 private:
  [[nodiscard]] const KernelParameter* called(std::initializer_list<std::string_view> names) const {
    for (const KernelParameter& each : kernel_.parameters) {
      if (is_one_of(lower(each.name), names)) return &each;
    }
    return nullptr;
  }

  /// A, B and C with M, N and K.
  [[nodiscard]] bool is_gemm() const {
    const auto is_pointer = [](const KernelParameter* each) { return each != nullptr && each->is_pointer; };
    const auto is_extent = [](const KernelParameter* each) { return each != nullptr && is_integer(*each); };
    return is_pointer(called({"a"})) && is_pointer(called({"b"})) && is_pointer(called({"c", "d"})) &&
           is_extent(called({"m"})) && is_extent(called({"n"})) && is_extent(called({"k"}));
  }

  [[nodiscard]] std::string name() const {
    std::string result = lower(kernel_.name.substr(kernel_.name.rfind(':') + 1));
    return result;
  }
  /// The kernel with template arguments: defaults, questions where there are none.
  [[nodiscard]] std::string callee() const {
    if (kernel_.templates.empty()) return kernel_.name;
    std::vector<std::string> arguments;
    bool has_question = false;
    for (const TemplateParameter& each : kernel_.templates) {
      has_question = has_question || each.value.empty();
      arguments.push_back(each.value.empty() ? "???" : each.value);
    }
    return has_question ? fmt::format("{}<{}>", kernel_.name, fmt::join(arguments, ", ")) : kernel_.name;
  }

  [[nodiscard]] std::string gemm() const {
    std::string arguments;
    const KernelParameter* const c = called({"c", "d"});
    for (const KernelParameter& each : kernel_.parameters) {
      const std::string word = lower(each.name);
      const bool is_known = is_one_of(word, {"a", "b", "c", "d", "m", "n", "k", "alpha", "beta"});
      arguments += (arguments.empty() ? "" : ", ") + (&each == c ? "d" : is_known ? word : "???");
    }
    const bool has_beta = called({"beta"}) != nullptr, has_alpha = called({"alpha"}) != nullptr;
    std::string limits = "batch = 1, m >= 1, n >= 1";
    if (!has_alpha) limits += ", alpha = one";
    if (!has_beta) limits += ", beta = zero";
    return head() + "operation gemm\n" +
           fmt::format("formats   a={} b={} d={}\n", format_of(called({"a"})->element),
                       format_of(called({"b"})->element), format_of(c->element)) +
           fmt::format("limits    {}\n", limits) + (has_beta ? "in_place  c\n" : "") +
           "# guessed: a block of 16 x 16 threads for as many outputs, columns along x\n" +
           fmt::format("launch    {}<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>({});\n", callee(),
                       arguments);
  }

  /// One output element for each input element, along one extent or along rows.
  [[nodiscard]] std::string declared() const {
    std::vector<std::string> extents, inputs, outputs, scalars, formats;
    for (const KernelParameter* each : extents_) extents.push_back(extent_name(*each));
    const bool are_known = extents.size() == 1 || extents.size() == 2;
    const std::string brackets = are_known ? fmt::format("[{}]", fmt::join(extents, ", ")) : "[???]";
    for (const KernelParameter* each : outputs_) outputs.push_back(each->name + brackets);
    for (const KernelParameter* each : inputs_) inputs.push_back(each->name + brackets);
    for (const KernelParameter* each : scalars_) inputs.push_back(each->name);
    if (outputs.empty()) outputs.push_back("???" + brackets);
    for (const KernelParameter* each : outputs_) formats.push_back(each->name + "=" + format_of(each->element));
    for (const KernelParameter* each : inputs_) formats.push_back(each->name + "=" + format_of(each->element));
    std::string arguments;
    for (const KernelParameter& each : kernel_.parameters) {
      const bool is_other = std::ranges::find(others_, &each) != others_.end();
      arguments += (arguments.empty() ? "" : ", ") + (is_other           ? "???"
                                                      : is_integer(each) ? extent_name(each)
                                                                         : each.name);
    }
    const std::string grid = !are_known            ? "???, ???"
                             : extents.size() == 2 ? fmt::format("{}, 256", extents[0])
                                                   : fmt::format("({} + 255) / 256, 256", extents[0]);
    return head() +
           fmt::format("operation {}: {} <- {} each {}\n", name(), fmt::join(outputs, ", "), fmt::join(inputs, ", "),
                       are_known ? extents[0] : "???") +
           fmt::format("formats   {}\n", fmt::join(formats, " ")) +
           "# Without a reference the values of a declared operation are not judged: memory, races and crashes are.\n"
           "# reference NAME_OF_A_KERNEL_IN_F64\n# error     OUTPUT ulps=4\n" +
           (are_known
                ? "# guessed: that all tensors have these extents, and the launch; an empty grid is an error of CUDA\n"
                : "") +
           (are_known ? fmt::format("limits    {} >= 1\n", extents[0]) : "") +
           fmt::format("launch    {}<<<{}>>>({});\n", callee(), grid, arguments);
  }

  [[nodiscard]] static std::string extent_name(const KernelParameter& parameter) { return lower(parameter.name); }
  [[nodiscard]] std::string head() const { return fmt::format("kernel    {}\n", name()); }

  const KernelSignature& kernel_;
  std::vector<const KernelParameter*> inputs_, outputs_, extents_, scalars_, others_;
};

/// Lines of the file that launch a kernel of that name.
std::vector<std::string> launches_of(std::string_view text, const std::string& kernel) {
  std::vector<std::string> lines;
  for (std::size_t at = text.find("<<<"); at != std::string_view::npos; at = text.find("<<<", at + 3)) {
    const Place place = place_of(text, at);
    std::string line(line_of(text, place.line));
    if (line.find(kernel) == std::string::npos) continue;
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    lines.push_back(fmt::format("line {}: {}", place.line, line));
  }
  return lines;
}

}  // namespace

base::Result<Proposal> propose(std::string_view text, const std::string& file, const std::string& kernel) {
  const auto tokens = tokens_of(text);
  // What an extension of PyTorch is called by launches its kernels.
  std::vector<KernelSignature> kernels = functions_of_tensors(text, tokens);
  const bool are_of_tensors = !kernels.empty();
  if (!are_of_tensors) kernels = kernels_of(text, tokens);
  if (kernels.empty())
    return base::usage_error(fmt::format("{} defines no kernel: no __global__ function with a body", file));
  Proposal result;
  for (const KernelSignature& each : kernels) result.names.push_back(each.name);
  if (!kernel.empty() && std::ranges::find(result.names, kernel) == result.names.end()) {
    return base::usage_error(
        fmt::format("{} has no kernel called '{}'; {}", file, kernel, base::did_you_mean(kernel, result.names)));
  }
  const std::string name = std::filesystem::path(file).filename().string();
  result.text = fmt::format(
      "# What {} computes, for `negzero check {}`. Every ??? is a question; `check` names the first of them.\n", name,
      name);
  for (const KernelSignature& each : kernels) {
    if (!kernel.empty() && each.name != kernel) continue;
    result.text += fmt::format("\n# {}:{}\n", name, each.line);
    for (const std::string& line : launches_of(text, each.name)) result.text += fmt::format("# launched by {}\n", line);
    result.text += are_of_tensors ? proposal_of_tensors(each) : Guess(each).text();
    ++result.kernels;
  }
  for (std::size_t at = result.text.find("???", result.text.find('\n')); at != std::string::npos;
       at = result.text.find("???", std::min(result.text.find('\n', at), result.text.size()))) {
    ++result.questions;
  }
  return result;
}

}  // namespace negzero::source
