// Rows and starts that wide loads may not take, and a batch stride of 0.

#include <algorithm>
#include <string>
#include <vector>

#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {
namespace {

using notation::Role;
using operation::LayoutOrder;

/// Elements that are whole vectors of every format: sixteen of F8 are 16 bytes.
constexpr std::int64_t kVector = 16;

const operation::LayoutLimit& limit_of(const WishList& list, std::size_t tensor) {
  return operation::layout_limit(list.limits(), list.signature(), tensor);
}

/// Small extents, of which the fastest of a tensor is whole vectors and the others have a second element. `batches`: of
/// those that only repeat the operation.
Wish extents_for(const WishList& list, std::size_t tensor, std::int64_t batches, base::Random& random) {
  Wish wish;
  const std::size_t fastest = list.signature().tensors[tensor].extents[list.fastest_dimension(tensor)];
  for (std::size_t e = 0; e < list.extents(); ++e) {
    const bool is_fastest = e == fastest;
    const std::int64_t wanted = is_fastest         ? kVector * random.between(1, 3)
                                : list.is_batch(e) ? batches
                                                   : random.between(2, 20);
    wish.extents[e] = list.least(e, wanted);
  }
  return wish;
}

}  // namespace

void wish_for_layouts(WishList& list) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  const auto if_small = [&](Wish wish, LayoutWish layouts) -> std::optional<Wish> {
    wish.layouts = layouts;
    return list.if_at_most(kMost, wish);
  };
  const std::vector<notation::TensorSignature>& tensors = list.signature().tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const operation::LayoutLimit& limit = limit_of(list, t);
    const std::vector<std::size_t>& dimensions = tensors[t].extents;
    const bool may_have_gaps =
        dimensions.size() > 1 && limit.order != LayoutOrder::Packed && limit.stride_multiple == 1;
    if (may_have_gaps) {
      const LayoutWish layouts{LayoutWish::Kind::MisalignedRows, t};
      list.offer(3, [&, t, layouts](std::uint64_t, base::Random& random) {
        return if_small(extents_for(list, t, 1, random), layouts);
      });
      // The same where everything else calls for the fast path.
      const bool is_factor = std::ranges::find(list.signature().factors, t) != list.signature().factors.end();
      list.offer(is_factor ? 2 : 0, [&, layouts](std::uint64_t, base::Random&) {
        Wish wish;
        for (std::size_t e = 0; e < list.extents(); ++e) wish.extents[e] = list.least(e, e == list.inner() ? 32 : 64);
        for (std::size_t e = 0; e < list.extents(); ++e) {
          if (list.is_batch(e)) wish.extents[e] = list.least(e, 1);
        }
        return if_small(wish, layouts);
      });
    }
    for (std::size_t d = 0; d < dimensions.size() && limit.order != LayoutOrder::Packed && dimensions.size() > 1; ++d) {
      // A matrix of one row is what a leading dimension is lost for most often.
      list.offer(d + 2 == dimensions.size() ? 5 : 2, [&, t, d](std::uint64_t turn, base::Random& random) {
        Wish wish;
        for (std::size_t e = 0; e < list.extents(); ++e) {
          wish.extents[e] = list.least(e, list.is_batch(e) ? random.between(1, 2) : random.between(2, 20));
        }
        wish.extents[dimensions[d]] = list.least(dimensions[d], 1);
        return if_small(wish, {LayoutWish::Kind::Single, t, d, turn % 2 == 0});
      });
    }
    if (tensors[t].role != Role::Index && limit.offset_multiple == 1 && limit.alignment == 1 && limit.max_offset > 0) {
      list.offer(3, [&, t](std::uint64_t, base::Random& random) {
        return if_small(extents_for(list, t, 1, random), {LayoutWish::Kind::MisalignedStart, t});
      });
    }
    const bool may_repeat = limit.broadcast && !tensors[t].words.keeps_apart();
    if (tensors[t].role == Role::Output || !may_repeat || limit.order == LayoutOrder::Packed) continue;
    // What is added to every row, or to every column, of a square.
    for (std::size_t d = 0; d < dimensions.size() && t == list.signature().addend; ++d) {
      const bool is_fastest = d + 1 == dimensions.size();
      if (list.is_batch(dimensions[d]) || (is_fastest && limit.order != LayoutOrder::Any)) continue;
      list.offer(3, [&, t, d](std::uint64_t, base::Random& random) {
        Wish wish;
        const std::int64_t side = random.between(9, 40);
        for (std::size_t e = 0; e < list.extents(); ++e) {
          wish.extents[e] = list.least(e, list.is_batch(e) ? 1 : e == list.inner() ? random.between(1, 16) : side);
        }
        return if_small(wish, {LayoutWish::Kind::Repeated, t, d});
      });
    }
    for (std::size_t d = 0; d + 1 < dimensions.size(); ++d) {
      if (!list.is_batch(dimensions[d])) continue;
      const std::string& extent = list.signature().extents[dimensions[d]];
      if (std::ranges::find(limit.shared, extent) != limit.shared.end()) continue;
      list.offer(3, [&, t, d](std::uint64_t, base::Random& random) {
        return if_small(extents_for(list, t, random.between(2, 4), random), {LayoutWish::Kind::Repeated, t, d});
      });
    }
  }
}

}  // namespace negzero::generate
