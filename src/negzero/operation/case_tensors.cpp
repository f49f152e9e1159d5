// The tensors and layouts that a case of an operation has.

#include <utility>

#include <negzero/operation/case.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::operation {

using number::FormatId;

std::vector<TensorSpec> input_specs(const Operation& operation) {
  std::vector<TensorSpec> specs;  // put together by moves: a list of initial values would be copied
  specs.reserve(3);
  const auto add = [&](const char* name, FormatId format, std::vector<std::int64_t> shape) -> TensorSpec& {
    return specs.emplace_back(TensorSpec{name, format, std::move(shape)});
  };
  if (const auto* gemm = std::get_if<Gemm>(&operation)) {
    add("a", gemm->a, {gemm->batch, gemm->m, gemm->k});
    add("b", gemm->b, {gemm->batch, gemm->k, gemm->n});
    add("c", gemm->d, {gemm->batch, gemm->m, gemm->n});
  } else if (const auto* reduce = std::get_if<Reduce>(&operation)) {
    add("x", reduce->x, {reduce->rows, reduce->columns});
  } else {
    const auto& scatter = std::get<Scatter>(operation);
    add("x", scatter.x, {scatter.updates});
    add("index", FormatId::I32, {scatter.updates}).index_below = scatter.destinations;
    add("init", scatter.x, {scatter.destinations});
  }
  return specs;
}

TensorSpec output_spec(const Operation& operation) {
  if (const auto* gemm = std::get_if<Gemm>(&operation)) return {"d", gemm->d, {gemm->batch, gemm->m, gemm->n}};
  if (const auto* reduce = std::get_if<Reduce>(&operation)) return {"y", reduce->y, {reduce->rows}};
  const auto& scatter = std::get<Scatter>(operation);
  return {"out", scatter.x, {scatter.destinations}};
}

void pack_missing_layouts(Case& value) {
  const auto pack = [&](TensorSpec spec) {
    const auto [place, is_missing] = value.layouts.try_emplace(std::move(spec.name));
    if (is_missing) place->second = tensor::Layout::packed(std::move(spec.shape));
  };
  for (TensorSpec& spec : input_specs(value.operation)) pack(std::move(spec));
  pack(output_spec(value.operation));
}

void unify_shared_elements(Case& value) {
  for (auto& [name, elements] : value.tensors) {
    tensor::resolve_conflicts(value.layouts.at(name), elements.element_bytes(), elements.bytes());
  }
}

}  // namespace negzero::operation
