// Rows, batches and planes so far apart that offsets in 32 bits wrap: few elements, and no memory between.

#include <algorithm>
#include <bit>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_list.hpp>
#include <negzero/operation/layouts.hpp>

namespace negzero::generate {
namespace {

/// From here on a signed offset of 32 bits wraps.
constexpr std::int64_t kWraps = std::int64_t{1} << 31;

}  // namespace

tensor::Layout distant_layout(const std::vector<std::int64_t>& shape, const operation::LayoutRule& rule,
                              std::size_t dimension, base::Random& random) {
  tensor::Layout layout = operation::plain_layout(shape, rule);
  if (shape[dimension] < 2 || rule.shares(dimension)) return layout;
  const std::int64_t steps = shape[dimension] - 1;
  // What steps over this dimension has one element, or must step over all of it.
  const std::int64_t span = std::min(rule.max_span, tensor::kMaxSpan) - layout.extent();
  const std::int64_t most = std::min(rule.max_stride, span / steps);
  if (most * steps < kWraps) return layout;
  // A power of two as it is, which wraps to where an element lies, or somewhat more, which wraps to where none does.
  const int low = 29,
            high = std::max(low, std::min(33, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most))) - 1));
  std::int64_t stride = std::int64_t{1} << random.between(low, high);
  if (random.below(2) == 0) stride += random.between(1, 4096) * 16;
  // Past what 32 bits hold with a sign, and in two of three also past what they hold without.
  const std::int64_t past = random.below(3) != 0 && most / 2 * steps >= kWraps ? 2 * kWraps : kWraps;
  if (stride * steps < past) stride = past / steps + random.between(1, 4096) * 16;
  const std::int64_t multiple = std::max<std::int64_t>(1, rule.stride_multiple);
  layout.strides[dimension] = std::min(stride, most) / multiple * multiple;
  for (std::size_t d = 0; d < dimension; ++d) {
    if (shape[d] > 1 && !rule.shares(d)) return operation::plain_layout(shape, rule);
  }
  return layout;
}

void wish_for_distant_layouts(WishList& list) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  const std::vector<notation::TensorSignature>& tensors = list.signature().tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::vector<std::size_t>& dimensions = tensors[t].extents;
    if (!operation::permits_distant(list.limits(), list.signature(), t)) continue;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (d == list.fastest_dimension(t)) continue;
      list.offer(3, [&, t, d](std::uint64_t turn, base::Random& random) -> std::optional<Wish> {
        // On a GPU memory is mapped for each, which takes milliseconds: long searches have few.
        if (!list.is_early() && (turn > 0 || list.round() % 4 != 0)) return std::nullopt;
        Wish wish{.layouts = {LayoutWish::Kind::Distant, t, d}};
        for (std::size_t e = 0; e < list.extents(); ++e) wish.extents[e] = list.least(e, random.between(2, 12));
        // What lies outside of the dimension is one element.
        for (std::size_t outer = 0; outer < d; ++outer)
          wish.extents[dimensions[outer]] = list.least(dimensions[outer], 1);
        wish.extents[dimensions[d]] = list.least(dimensions[d], random.between(5, 9));
        return list.if_at_most(kMost, wish);
      });
    }
  }
}

}  // namespace negzero::generate
