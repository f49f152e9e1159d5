// Layouts: padded, transposed, strided, offset and broadcast, as far as a kernel's limits go.

#include <algorithm>
#include <numeric>

#include <negzero/generate/draw.hpp>
#include <negzero/operation/layouts.hpp>
#include <negzero/operation/views.hpp>

namespace negzero::generate {
namespace {

using operation::LayoutOrder;
using operation::LayoutRule;

/// The dimensions, one bit each, along which a tensor may be broadcast without harm to relations between terms: those
/// of a product's factor but the one that is reduced, all of what is added to a sum.
unsigned structured_broadcast(const notation::Signature& signature, std::string_view name) {
  const std::size_t place = *signature.find_tensor(name);
  const std::vector<std::size_t>& extents = signature.tensors[place].extents;
  if (place == signature.addend && !signature.is_update) return (1u << extents.size()) - 1;
  if (signature.factors.size() != 2 || std::ranges::find(signature.factors, place) == signature.factors.end()) return 0;
  unsigned bits = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) bits |= (extents[d] != signature.reduced ? 1u : 0u) << d;
  return bits;
}

/// Gives dimensions of one element strides that mean nothing. One that is passed on as a leading dimension stays as
/// long as what it steps over: libraries refuse others.
void free_strides(tensor::Layout& layout, const LayoutRule& limit, std::uint64_t one_in, base::Random& random) {
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] != 1 || limit.shares(d) || random.below(one_in) != 0) continue;
    const std::int64_t natural = layout.strides[d], multiple = std::max<std::int64_t>(1, limit.stride_multiple);
    const std::int64_t longer = natural + random.between(1, 1024) * multiple;
    const bool may_be_short = limit.order == LayoutOrder::Any && random.below(2) == 0;
    layout.strides[d] = may_be_short ? random.between(0, 2) * multiple : longer;
  }
}

}  // namespace

tensor::Layout draw_layout(const std::vector<std::int64_t>& shape, const LayoutRule& limit, unsigned broadcast,
                           base::Random& random) {
  operation::LayoutStyle style;
  const std::size_t rank = shape.size();
  const std::uint64_t kind = random.below(8);
  const std::int64_t gap = random.below(2) == 0 ? 1 : 16;
  const std::int64_t inner = random.between(2, 3);
  const std::uint64_t broadcast_draw = random.below(12);
  const auto chosen = static_cast<std::size_t>(random.below(std::max<std::size_t>(1, rank)));
  if (kind == 3 || kind == 4) style.gap = gap;
  if (kind == 5 || kind == 6) {
    style.transposed = limit.order == LayoutOrder::Any || limit.order == LayoutOrder::RowOrColumnMajor;
    style.gap = kind == 6 ? gap : 0;
  }
  if (kind == 7) {
    style.batch_gap = gap;
    style.inner = limit.order == LayoutOrder::Any ? inner : 1;
  }
  const bool packed = limit.order == LayoutOrder::Packed;
  tensor::Layout layout = packed ? operation::plain_layout(shape, limit) : operation::lay_out(shape, limit, style);
  // Stride 0 on the fastest dimension is a layout only where any stride is.
  if (limit.broadcast && broadcast_draw == 0 && !packed && rank > 0 && (broadcast >> chosen & 1) != 0) {
    const bool fastest = layout.strides[chosen] == 1;
    if (limit.order == LayoutOrder::Any || !fastest) layout.strides[chosen] = 0;
  }
  if (!packed && std::ranges::find(shape, 1) != shape.end()) free_strides(layout, limit, 4, random);
  const std::int64_t multiple = std::max<std::int64_t>(1, limit.offset_multiple);
  const std::int64_t offset = random.between(0, 15) * (multiple > 1 && random.below(2) == 0 ? multiple : 1);
  if (random.below(2) == 0) layout.offset = std::min(offset, limit.max_offset) / multiple * multiple;
  return layout;
}

tensor::Layout wished_layout(const std::vector<std::int64_t>& shape, const LayoutRule& limit, const LayoutWish& wish,
                             bool is_meant, base::Random& random) {
  if (!is_meant) return operation::plain_layout(shape, limit);
  // Half bytes lie packed whatever else a kernel's limits permit.
  const bool is_start = wish.kind == LayoutWish::Kind::MisalignedStart;
  if (limit.order == LayoutOrder::Packed && !is_start) return operation::plain_layout(shape, limit);
  if (wish.kind == LayoutWish::Kind::Single) {
    const bool may_be_transposed = limit.order == LayoutOrder::Any || limit.order == LayoutOrder::RowOrColumnMajor;
    const std::int64_t gap = random.below(4) == 0 ? 0 : random.between(1, 16);
    tensor::Layout layout =
        operation::lay_out(shape, limit, {.transposed = may_be_transposed && wish.transposed, .gap = gap});
    free_strides(layout, limit, 1, random);
    return layout;
  }
  if (wish.kind == LayoutWish::Kind::Distant) return distant_layout(shape, limit, wish.dimension, random);
  if (wish.kind == LayoutWish::Kind::MisalignedRows) return operation::lay_out(shape, limit, {.gap = 1});
  tensor::Layout layout = operation::plain_layout(shape, limit);
  if (is_start) {
    const std::int64_t multiple = std::max<std::int64_t>(1, limit.offset_multiple);
    layout.offset = std::min(random.between(1, 3) * multiple, limit.max_offset) / multiple * multiple;
  }
  if (wish.kind == LayoutWish::Kind::Repeated) layout.strides[wish.dimension] = 0;
  return layout;
}

tensor::Layout resized_layout(const tensor::Layout& layout, const std::vector<std::int64_t>& shape) {
  tensor::Layout result{shape, layout.strides, layout.offset};
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Fastest first; of two equal strides (an extent of 1 between them) the later dimension is the faster.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
    return layout.strides[x] != layout.strides[y] ? layout.strides[x] < layout.strides[y] : x > y;
  });
  std::int64_t spanned_before = 0, spanned = 0;
  for (const std::size_t d : order) {
    if (layout.strides[d] == 0) continue;
    if (spanned != 0) result.strides[d] = spanned + std::max<std::int64_t>(0, layout.strides[d] - spanned_before);
    spanned_before = layout.strides[d] * std::max<std::int64_t>(1, layout.shape[d]);
    spanned = result.strides[d] * std::max<std::int64_t>(1, shape[d]);
  }
  return result;
}

std::map<std::string, tensor::Layout> draw_layouts(const Request& request, const Traits& traits,
                                                   const operation::Operation& operation, const LayoutWish& wish,
                                                   base::Random& random) {
  std::map<std::string, tensor::Layout> layouts;
  const notation::Signature& signature = operation.signature();
  for (const auto& [spec, limit, is_output] : operation::tensor_views(operation, request.limits)) {
    if (wish.kind != LayoutWish::Kind::Any) {
      const bool is_meant = signature.tensors[wish.tensor].name == spec.name;
      layouts.emplace(spec.name, wished_layout(spec.shape, limit, wish, is_meant, random));
      continue;
    }
    // Bits of dimensions. Along k (and along rows whose terms belong together) a structured strategy needs its own
    // values.
    unsigned broadcast = is_output ? 0 : 7;
    if (traits.structured && !is_output) broadcast = structured_broadcast(signature, spec.name);
    layouts.emplace(spec.name, draw_layout(spec.shape, limit, broadcast, random));
  }
  return layouts;
}

}  // namespace negzero::generate
