// The tensors and layouts that a case of an operation has.

#include <utility>

#include <negzero/operation/case.hpp>
#include <negzero/tensor/placement.hpp>

namespace negzero::operation {

using number::FormatId;

std::vector<TensorSpec> input_specs(const Operation& operation) {
  if (const auto* gemm = std::get_if<Gemm>(&operation)) {
    return {{"a", gemm->a, {gemm->batch, gemm->m, gemm->k}},
            {"b", gemm->b, {gemm->batch, gemm->k, gemm->n}},
            {"c", gemm->d, {gemm->batch, gemm->m, gemm->n}}};
  }
  if (const auto* reduce = std::get_if<Reduce>(&operation)) {
    return {{"x", reduce->x, {reduce->rows, reduce->columns}}};
  }
  const auto& scatter = std::get<Scatter>(operation);
  return {{"x", scatter.x, {scatter.updates}},
          {"index", FormatId::I32, {scatter.updates}, scatter.destinations},
          {"init", scatter.x, {scatter.destinations}}};
}

TensorSpec output_spec(const Operation& operation) {
  if (const auto* gemm = std::get_if<Gemm>(&operation)) return {"d", gemm->d, {gemm->batch, gemm->m, gemm->n}};
  if (const auto* reduce = std::get_if<Reduce>(&operation)) return {"y", reduce->y, {reduce->rows}};
  const auto& scatter = std::get<Scatter>(operation);
  return {"out", scatter.x, {scatter.destinations}};
}

void pack_missing_layouts(Case& value) {
  for (TensorSpec& spec : input_specs(value.operation)) {
    value.layouts.try_emplace(spec.name, tensor::Layout::packed(std::move(spec.shape)));
  }
  TensorSpec output = output_spec(value.operation);
  value.layouts.try_emplace(output.name, tensor::Layout::packed(std::move(output.shape)));
}

void unify_shared_elements(Case& value) {
  for (auto& [name, elements] : value.tensors) {
    tensor::resolve_conflicts(value.layouts.at(name), elements.element_bytes(), elements.bytes());
  }
}

}  // namespace negzero::operation
