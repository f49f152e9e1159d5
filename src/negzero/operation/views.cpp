// The views of an operation, by its signature.

#include <utility>

#include <negzero/operation/views.hpp>

namespace negzero::operation {

std::vector<ExtentView> extent_views(Operation& operation, const Limits& limits) {
  std::vector<ExtentView> views;
  const std::vector<std::string>& names = operation.signature().extents;
  for (std::size_t i = 0; i < names.size(); ++i) {
    views.push_back({names[i], &operation.extents()[i], &limits.extents[names[i]]});
  }
  return views;
}

std::vector<TensorView> tensor_views(const Operation& operation, const Limits& limits) {
  std::vector<TensorView> views;
  const notation::Signature& signature = operation.signature();
  for (TensorSpec& spec : tensor_specs(operation)) {
    const std::size_t place = *signature.find_tensor(spec.name);
    const LayoutRule rule = layout_rule(limits, signature, place, spec.format);
    views.push_back({std::move(spec), rule, signature.tensors[place].role == notation::Role::Output});
  }
  return views;
}

std::vector<ScalarView> scalar_views(Operation& operation, const Limits& limits) {
  std::vector<ScalarView> views;
  const std::vector<notation::ScalarSignature>& scalars = operation.signature().scalars;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const ScalarLimit of_numbers = scalars[i].is_addend ? limits.beta : limits.alpha;
    const ScalarLimit limit = scalars[i].is_whole() ? ScalarLimit::Any : of_numbers;
    const ScalarRange* const range = limits.scalars.find(scalars[i].name);
    views.push_back({scalars[i].name, &operation.scalars()[i], limit, range, scalars[i].is_addend, scalars[i].kind});
  }
  return views;
}

}  // namespace negzero::operation
