// Equal extents, and extents that 16 bits do not count.

#include <algorithm>
#include <numeric>
#include <vector>

#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {
namespace {

/// Most products of a wish for equal extents.
constexpr std::int64_t kMostEqual = std::int64_t{1} << 20;

/// A wish for one length of all these extents, at least `length`, and other lengths of the others.
std::optional<Wish> equal(const WishList& list, const std::vector<std::size_t>& extents, std::int64_t length,
                          base::Random& random) {
  std::int64_t multiple = 1, smallest = length;
  for (const std::size_t e : extents) {
    multiple = std::min<std::int64_t>(std::lcm(multiple, list.limit(e).multiple), kMostEqual);
    smallest = std::max(smallest, list.least(e, length));
  }
  length = (smallest + multiple - 1) / multiple * multiple;
  Wish wish;
  for (std::size_t e = 0; e < list.extents(); ++e) {
    if (std::ranges::find(extents, e) != extents.end()) {
      wish.extents[e] = length;
      continue;
    }
    wish.extents[e] = list.least(e, list.is_batch(e) ? 1 : random.between(2, 24));
    // One more where it came out the same.
    if (wish.extents[e] == length) wish.extents[e] = list.least(e, length + 1);
  }
  return list.if_at_most(kMostEqual, wish);
}

/// A wish for that length of one extent, the others as short as they may be.
std::optional<Wish> far(const WishList& list, std::size_t extent, std::int64_t length, bool is_rare,
                        base::Random& random) {
  // A kernel that takes whole tiles only has no case so small: of these one for each extent.
  constexpr std::int64_t kMost = std::int64_t{1} << 21, kMostOfRare = std::int64_t{1} << 23;
  Wish wish{.is_rare = is_rare}, least = wish;
  wish.extents[extent] = least.extents[extent] = list.least(extent, length);
  // Few updates would meet few of many destinations: their number is left to chance.
  for (std::size_t other = 0; other < list.extents() && !list.signature().is_update; ++other) {
    if (other == extent) continue;
    least.extents[other] = list.least(other, 1);
    wish.extents[other] = list.least(other, !is_rare && random.below(4) == 0 ? 2 : 1);
  }
  for (Wish* const each : {&wish, &least}) {
    if (!list.admits(*each) || each->extents[extent] < length) continue;
    if (list.work(*each) <= (is_rare ? kMostOfRare : kMost)) return *each;
  }
  return std::nullopt;
}

}  // namespace

void wish_for_equal_extents(WishList& list) {
  std::vector<std::size_t> sides;
  for (std::size_t e = 0; e < list.extents(); ++e) {
    if (!list.is_batch(e)) sides.push_back(e);
    for (std::size_t other = 0; other < e; ++other) {
      const bool is_batch = list.is_batch(e) || list.is_batch(other);
      list.offer(is_batch ? 2 : 4, [&, e, other, is_batch](std::uint64_t turn, base::Random& random) {
        // So long that no strategy needs more terms.
        const std::int64_t length = is_batch        ? random.between(5, 6)
                                    : turn % 2 == 0 ? random.between(9, 32)
                                                    : random.between(33, 64);
        return equal(list, {other, e}, length, random);
      });
    }
  }
  if (sides.size() < 3) return;
  list.offer(6, [&](std::uint64_t turn, base::Random& random) {
    // Half of them longer than a tile or two, with a tail.
    return equal(list, sides, turn % 2 == 0 ? random.between(9, 32) : random.between(16, 24) * 2 + 1, random);
  });
}

void wish_for_far_extents(WishList& list) {
  std::vector<std::size_t> tiled;
  // A place past 16 bits shows only where its element wins.
  const bool selects = list.signature().combine && notation::selects(*list.signature().combine);
  for (std::size_t e = 0; e < list.extents(); ++e) {
    // A block or more for each batch: what takes longest, and is rare enough to be told apart from others.
    list.offer(list.is_batch(e) ? 1
               : selects        ? 8
                                : 2,
               [&, e](std::uint64_t turn, base::Random& random) {
                 // Of as many results one past 16 bits shows as well as many, in less time; a long sum is cheap, and of
                 // destinations few are met.
                 const bool is_cheap = e == list.inner() || list.signature().is_update;
                 return far(list, e, is_cheap ? random.between(65537, 131072) : 65537, turn == 0, random);
               });
    if (!list.is_batch(e) && e != list.inner() && !list.limit(e).tiles.empty()) tiled.push_back(e);
  }
  if (tiled.empty()) return;
  list.offer(1, [&](std::uint64_t, base::Random& random) {
    const std::size_t e = tiled[list.round() % tiled.size()];
    const std::int64_t tile = std::ranges::min(list.limit(e).tiles);
    // Millions of rows: of large tiles in one thousand of four.
    if (tile > 32 && list.round() / tiled.size() % 4 != 0) return std::optional<Wish>();
    return far(list, e, 65535 * tile + random.between(1, tile), true, random);
  });
}

}  // namespace negzero::generate
