// Strides from the fastest dimension out.

#include <algorithm>
#include <utility>

#include <negzero/operation/layouts.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::operation {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  multiple = std::max<std::int64_t>(1, multiple);
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

tensor::Layout lay_out(const std::vector<std::int64_t>& shape, const LayoutRule& rule, const LayoutStyle& style) {
  tensor::Layout layout;
  layout.shape = shape;
  layout.strides.assign(shape.size(), 1);
  std::vector<std::size_t> order;  // Fastest first.
  for (std::size_t d = shape.size(); d-- > 0;) order.push_back(d);
  const bool transposed = style.transposed || rule.order == LayoutOrder::ColumnMajor;
  if (transposed && order.size() >= 2) std::swap(order[0], order[1]);
  std::int64_t stride = style.inner == 1 ? 1 : round_up(style.inner, rule.stride_multiple);
  bool is_line = true;
  for (const std::size_t d : order) {
    if (rule.shares(d)) {
      layout.strides[d] = 0;
      continue;
    }
    layout.strides[d] = stride;
    const std::int64_t spanned = stride * std::max<std::int64_t>(1, shape[d]);
    stride = round_up(spanned + (is_line ? style.gap : style.batch_gap), rule.stride_multiple);
    is_line = false;
  }
  return layout;
}

tensor::Layout plain_layout(const std::vector<std::int64_t>& shape, const LayoutRule& rule) {
  if (rule.order != LayoutOrder::Packed) return lay_out(shape, rule);
  std::vector<std::int64_t> own = shape;
  for (std::size_t d = 0; d < own.size(); ++d) {
    if (rule.shares(d)) own[d] = 1;
  }
  tensor::Layout layout = tensor::Layout::packed(std::move(own));
  layout.shape = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (rule.shares(d)) layout.strides[d] = 0;
  }
  return layout;
}

void lay_missing_plainly(Case& value, const Limits& limits) {
  std::vector<std::string> missing;
  for (const TensorSpec& spec : tensor_specs(value.operation)) {
    if (!value.layouts.contains(spec.name)) missing.push_back(spec.name);
  }
  pack_missing_layouts(value);
  if (missing.empty() || !outside(limits, value.operation, value.layouts)) return;
  for (const TensorView& view : tensor_views(value.operation, limits)) {
    if (std::ranges::find(missing, view.spec.name) == missing.end()) continue;
    value.layouts[view.spec.name] = plain_layout(view.spec.shape, view.limit);
  }
  lay_in_place(value);
}

}  // namespace negzero::operation
