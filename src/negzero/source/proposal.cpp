// Guesses from names, says what it guessed, and asks where names say nothing.

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/lower.hpp>
#include <negzero/base/nearest.hpp>
#include <negzero/source/launchers.hpp>
#include <negzero/source/parameter_types.hpp>
#include <negzero/source/place.hpp>
#include <negzero/source/proposal.hpp>
#include <negzero/source/signatures.hpp>
#include <negzero/source/tensor_proposal.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

/// "???" where the type says nothing.
std::string format_of(const std::string& type) {
  const std::string format = format_of_type(type);
  return format.empty() ? "???" : format;
}

/// What the parameters of a kernel are to an operation.
class Guess {
 public:
  /// `is_kernel`: it is a kernel, whose launch is guessed; else a function that launches some.
  Guess(const KernelSignature& kernel, bool is_kernel, std::string name)
      : kernel_(kernel), is_kernel_(is_kernel), name_(std::move(name)) {
    for (const KernelParameter& each : kernel.parameters) {
      if (each.is_pointer) {
        (each.is_const ? inputs_ : outputs_).push_back(&each);
      } else if (is_integer(each)) {
        extents_.push_back(&each);
      } else if (is_number(each) || is_truth(each)) {
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
      if (is_one_of(base::lower(each.name), names)) return &each;
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

  /// What a parameter of a matrix product is to it. Leading dimensions are those of rows.
  [[nodiscard]] std::string gemm_argument(const KernelParameter& parameter) const {
    const std::string word = base::lower(parameter.name);
    if (&parameter == called({"c", "d"})) return "d";
    if (is_one_of(word, {"a", "b", "c", "d", "m", "n", "k", "alpha", "beta"})) return word;
    if (is_stream(parameter)) return "stream";
    if (is_integer(parameter) && is_one_of(word, {"lda", "ldb"})) return fmt::format("{}_stride1", word.back());
    return is_integer(parameter) && is_one_of(word, {"ldc", "ldd"}) ? "d_stride1" : "???";
  }

  [[nodiscard]] std::string gemm() const {
    std::string arguments;
    const KernelParameter* const c = called({"c", "d"});
    for (const KernelParameter& each : kernel_.parameters) {
      arguments += (arguments.empty() ? "" : ", ") + gemm_argument(each);
    }
    const bool has_strides = arguments.find("_stride1") != std::string::npos;
    const bool has_beta = called({"beta"}) != nullptr, has_alpha = called({"alpha"}) != nullptr;
    std::string limits = "batch = 1, m >= 1, n >= 1";
    if (!has_alpha) limits += ", alpha = one";
    if (!has_beta) limits += ", beta = zero";
    return head() + "operation gemm\n" +
           fmt::format("formats   a={} b={} d={}\n", format_of(called({"a"})->element),
                       format_of(called({"b"})->element), format_of(c->element)) +
           fmt::format("limits    {}\n", limits) + (has_strides ? "layout    row_major near\n" : "") +
           (has_beta ? "in_place  c\n" : "") + guessed(has_strides) +
           (is_kernel_ ? "# guessed: a block of 16 x 16 threads for as many outputs, columns along x\n" : "") +
           fmt::format("launch    {}{}({});\n", callee(),
                       is_kernel_ ? "<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>" : "", arguments);
  }

  /// One output element for each input element, along one extent or along rows.
  [[nodiscard]] std::string declared() const {
    std::vector<std::string> extents, inputs, outputs, scalars, formats;
    for (const KernelParameter* each : extents_) extents.push_back(extent_name(*each));
    const bool are_known = extents.size() == 1 || extents.size() == 2;
    const std::string brackets = are_known ? fmt::format("[{}]", fmt::join(extents, ", ")) : "[???]";
    for (const KernelParameter* each : outputs_) outputs.push_back(each->name + brackets);
    for (const KernelParameter* each : inputs_) inputs.push_back(each->name + brackets);
    for (const KernelParameter* each : scalars_) inputs.push_back(each->name + (is_truth(*each) ? " bool" : ""));
    if (outputs.empty()) outputs.push_back("???" + brackets);
    for (const KernelParameter* each : outputs_) formats.push_back(each->name + "=" + format_of(each->element));
    for (const KernelParameter* each : inputs_) formats.push_back(each->name + "=" + format_of(each->element));
    std::string arguments;
    for (const KernelParameter& each : kernel_.parameters) {
      const bool is_other = std::ranges::find(others_, &each) != others_.end();
      arguments += (arguments.empty() ? "" : ", ") + (is_stream(each)    ? "stream"
                                                      : is_other         ? "???"
                                                      : is_integer(each) ? extent_name(each)
                                                                         : each.name);
    }
    const std::string grid = !are_known            ? "???, ???"
                             : extents.size() == 2 ? fmt::format("{}, 256", extents[0])
                                                   : fmt::format("({} + 255) / 256, 256", extents[0]);
    return head() +
           fmt::format("operation {}: {} <- {} each {}\n", name_, fmt::join(outputs, ", "), fmt::join(inputs, ", "),
                       are_known ? extents[0] : "???") +
           fmt::format("formats   {}\n", fmt::join(formats, " ")) +
           "# Without a reference the values of a declared operation are not judged: memory, races and crashes are.\n"
           "# reference NAME_OF_A_KERNEL_IN_F64\n# error     OUTPUT ulps=4\n" +
           guessed() + (are_known ? fmt::format("limits    {} >= 1\n", extents[0]) : "") +
           fmt::format("launch    {}{}({});\n", callee(), is_kernel_ ? fmt::format("<<<{}>>>", grid) : "", arguments);
  }

  [[nodiscard]] static std::string extent_name(const KernelParameter& parameter) { return base::lower(parameter.name); }
  [[nodiscard]] std::string head() const { return fmt::format("kernel    {}\n", name_); }
  /// The line that says what rests on names alone.
  [[nodiscard]] std::string guessed(bool is_launch_guessed = false) const {
    return fmt::format("guessed   {}limits, operation\n", is_kernel_ || is_launch_guessed ? "launch, " : "");
  }

  const KernelSignature& kernel_;
  bool is_kernel_;
  std::string name_;
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
  const std::vector<KernelSignature> kernels = kernels_of(text, tokens);
  Proposal result;
  // What an extension of PyTorch is called by launches its kernels.
  for (KernelSignature& each : functions_of_tensors(text, tokens)) {
    result.names.push_back(each.name);
    result.declarations.push_back({.function = std::move(each), .is_of_tensors = true});
  }
  if (result.declarations.empty()) {
    for (const KernelSignature& each : kernels) result.names.push_back(each.name);
    for (Launcher& each : launchers_of(text, tokens)) {
      result.declarations.push_back({.function = std::move(each.function), .kernels = std::move(each.kernels)});
    }
    for (const KernelSignature& each : kernels) {
      const auto launches_it = [&](const Proposed& other) {
        return std::ranges::find(other.kernels, short_name(each)) != other.kernels.end();
      };
      if (std::ranges::none_of(result.declarations, launches_it)) result.declarations.push_back({.function = each});
    }
  }
  if (result.names.empty())
    return base::usage_error(fmt::format("{} defines no kernel: no __global__ function with a body", file));
  if (!kernel.empty()) {
    std::erase_if(result.declarations, [&](const Proposed& each) {
      return each.function.name != kernel && std::ranges::find(each.kernels, kernel) == each.kernels.end();
    });
  }
  if (result.declarations.empty()) {
    return base::usage_error(
        fmt::format("{} has no kernel called '{}'; {}", file, kernel, base::did_you_mean(kernel, result.names)));
  }
  const std::string path = std::filesystem::path(file).filename().string();
  std::vector<std::string> taken;
  for (Proposed& each : result.declarations) {
    each.name = base::lower(each.kernels.size() == 1 ? each.kernels.front() : short_name(each.function));
    while (std::ranges::find(taken, each.name) != taken.end()) each.name += "_again";
    taken.push_back(each.name);
    each.about.push_back(fmt::format("{}:{}", path, each.function.line));
    if (each.is_of_tensors) {
      each.text = proposal_of_tensors(each.function);
      continue;
    }
    if (each.kernels.empty()) {
      for (const std::string& line : launches_of(text, each.function.name)) each.about.push_back("launched by " + line);
    } else {
      each.about.back() += fmt::format(": it launches {}", fmt::join(each.kernels, ", "));
    }
    each.text = Guess(each.function, each.kernels.empty(), each.name).text();
  }
  return result;
}

std::string file_of(const Proposal& proposal, const std::string& file, const std::vector<std::string>& texts) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::string result = fmt::format(
      "# What {0} computes, for `negzero check {0}`.\n# A draft begins at extents of 1 and gives finite values: widen "
      "`limits` and `values` to what callers give.\n",
      name);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result += '\n';
    for (const std::string& line : proposal.declarations[i].about) result += fmt::format("# {}\n", line);
    result += texts[i];
  }
  if (questions_in(result) > 0) {
    result.insert(result.find('\n'), " Every ??? is a question; `check` names the first of them.");
  }
  return result;
}

std::size_t questions_in(const std::string& text) {
  std::size_t result = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (!line.starts_with('#') && line.find("???") != std::string_view::npos) ++result;
    begin = end + 1;
  }
  return result;
}

}  // namespace negzero::source
