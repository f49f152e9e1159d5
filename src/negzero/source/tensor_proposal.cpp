// Guesses what a function of tensors computes from its name and the number of its tensors.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/lower.hpp>
#include <negzero/source/parameter_types.hpp>
#include <negzero/source/tensor_proposal.hpp>

namespace negzero::source {
namespace {

/// Whether the name says that matrices are multiplied.
bool is_product(const std::string& name) {
  constexpr const char* kOfProducts[] = {"matmul", "gemm", "matrix_mul", "matmult"};
  return std::ranges::any_of(kOfProducts, [&](const char* word) { return name.find(word) != std::string::npos; });
}

}  // namespace

std::string proposal_of_tensors(const KernelSignature& function) {
  const std::string name = base::lower(function.name.substr(function.name.rfind(':') + 1));
  const bool returns = function.result.find("Tensor") != std::string::npos;
  std::vector<std::string> inputs, optional, scalars;
  for (const KernelParameter& each : function.parameters) {
    if (is_tensor(each)) inputs.push_back(each.name);
    if (is_optional_tensor(each)) optional.push_back(each.name);
    if (each.element == "float" || each.element == "double") scalars.push_back(each.name);
    if (is_truth(each)) scalars.push_back(each.name);
  }
  // One that returns nothing writes to a tensor that it is given: the last one, as a rule.
  std::string output = "y";
  while (std::ranges::find(inputs, output) != inputs.end() || std::ranges::find(optional, output) != optional.end() ||
         std::ranges::find(scalars, output) != scalars.end()) {
    output += 'y';
  }
  if (!returns) {
    output = inputs.back();
    inputs.pop_back();
  }
  const bool is_gemm = is_product(name) && inputs.size() == 2 && optional.empty();
  if (is_gemm) output = std::string("d");
  std::vector<std::string> arguments;
  std::size_t tensors = 0;
  for (const KernelParameter& each : function.parameters) {
    const bool is_known =
        is_tensor(each) || is_optional_tensor(each) || std::ranges::find(scalars, each.name) != scalars.end();
    const bool is_input = is_tensor(each) && tensors++ < inputs.size();
    arguments.push_back(!is_known          ? "???"
                        : !is_gemm         ? each.name
                        : !is_tensor(each) ? "???"
                        : !is_input        ? "d"
                        : tensors == 1     ? "a"
                                           : "b");
  }
  const std::string call = fmt::format("{}({})", function.name, fmt::join(arguments, ", "));
  const std::string statement = returns ? fmt::format("{} = {}", output, call) : call;
  if (is_gemm) {
    return fmt::format(
        "kernel    {}\noperation gemm\n# guessed: matrices of F32, with nothing added\n"
        "limits    batch = 1, alpha = one, beta = zero, m >= 1, n >= 1\ntorch     {};\n",
        name, statement);
  }
  std::vector<std::string> operands;
  for (const std::string& input : inputs) operands.push_back(fmt::format("{}[n]", input));
  for (const std::string& input : optional) operands.push_back(fmt::format("{}?[n]", input));
  for (const KernelParameter& each : function.parameters) {
    if (std::ranges::find(scalars, each.name) == scalars.end()) continue;
    operands.push_back(each.name + (is_truth(each) ? " bool" : ""));
  }
  if (operands.empty()) operands.emplace_back("???");
  return fmt::format(
      "kernel    {0}\n# guessed: F32, and an element of the output for each of the inputs\n"
      "operation {0}: {1}[n] <- {2} each n\nlimits    n >= 1\n"
      "# Without a reference the values of a declared operation are not judged: memory, races and crashes are.\n"
      "# reference NAME_OF_A_KERNEL_IN_F64\n# error     {1} ulps=4\ntorch     {3};\n",
      name, output, fmt::join(operands, ", "), statement);
}

}  // namespace negzero::source
