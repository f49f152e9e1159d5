// The views of each kind of operation.

#include <utility>
#include <variant>

#include <negzero/operation/views.hpp>

namespace negzero::operation {
namespace {

struct Extents {
  const Limits& limits;

  std::vector<ExtentView> operator()(Gemm& gemm) const {
    return {{"batch", &gemm.batch, &limits.batch, {}},
            {"m", &gemm.m, &limits.m, limits.tiles.m},
            {"n", &gemm.n, &limits.n, limits.tiles.n},
            {"k", &gemm.k, &limits.k, limits.tiles.k}};
  }
  std::vector<ExtentView> operator()(Reduce& reduce) const {
    return {{"rows", &reduce.rows, &limits.rows, limits.tiles.m},
            {"columns", &reduce.columns, &limits.columns, limits.tiles.k}};
  }
  std::vector<ExtentView> operator()(Scatter& scatter) const {
    return {{"updates", &scatter.updates, &limits.updates, limits.tiles.k},
            {"destinations", &scatter.destinations, &limits.destinations, limits.tiles.m}};
  }
};

struct Formats {
  std::vector<number::FormatId*> operator()(Gemm& gemm) const { return {&gemm.a, &gemm.b, &gemm.d}; }
  std::vector<number::FormatId*> operator()(Reduce& reduce) const { return {&reduce.x, &reduce.y}; }
  std::vector<number::FormatId*> operator()(Scatter& scatter) const { return {&scatter.x}; }
};

}  // namespace

std::vector<ExtentView> extent_views(Operation& operation, const Limits& limits) {
  return std::visit(Extents{limits}, operation);
}

std::vector<TensorView> tensor_views(const Operation& operation, const Limits& limits) {
  std::vector<TensorView> views;
  for (TensorSpec& spec : input_specs(operation)) views.push_back({std::move(spec), &limits.inputs, false});
  views.push_back({output_spec(operation), &limits.output, true});
  return views;
}

std::vector<ScalarView> scalar_views(Operation& operation, const Limits& limits) {
  auto* const gemm = std::get_if<Gemm>(&operation);
  if (gemm == nullptr) return {};
  return {{"alpha", &gemm->alpha, limits.alpha, false}, {"beta", &gemm->beta, limits.beta, true}};
}

std::vector<Scalar> scalars_of(const Operation& operation) {
  const auto* const gemm = std::get_if<Gemm>(&operation);
  if (gemm == nullptr) return {};
  return {gemm->alpha, gemm->beta};
}

void set_formats(Operation& operation, std::span<const number::FormatId> formats) {
  const std::vector<number::FormatId*> places = std::visit(Formats{}, operation);
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = formats[i];
}

}  // namespace negzero::operation
