// Whole tiles in all extents at once, and one to three tiles in every direction.

#include <algorithm>
#include <vector>

#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {
namespace {

/// Most products of a wish, but where the kernel's smallest case has an eighth of that: two tiles in three directions.
constexpr std::int64_t kMostWork = std::int64_t{1} << 23;

/// Tiles that kernels have, and in how many cases of a thousand they are met. `inner`: along what is summed up.
struct Tile {
  std::int64_t outer, inner;
  std::uint64_t times;
};
/// Of products. A case of many is whole for smaller tiles too.
constexpr Tile kOfProducts[] = {{16, 16, 3}, {32, 32, 3}, {64, 32, 3}, {64, 64, 3}, {128, 8, 2}, {128, 32, 3}};
/// Of what is read once.
constexpr Tile kOfElements[] = {{32, 32, 2}, {32, 256, 3}, {64, 512, 2}, {8, 1024, 3}, {1, 4096, 2}, {256, 256, 2}};

/// Half of them plain in memory, the others as they come.
LayoutWish layouts_of(std::uint64_t turn) {
  return {.kind = turn % 2 == 0 ? LayoutWish::Kind::Plain : LayoutWish::Kind::Any};
}

void wish_for_usual_tiles(WishList& list) {
  const bool is_product = list.signature().factors.size() == 2;
  const auto tiles = is_product ? std::vector<Tile>(std::begin(kOfProducts), std::end(kOfProducts))
                                : std::vector<Tile>(std::begin(kOfElements), std::end(kOfElements));
  const bool selects = list.signature().combine && operation::selects(*list.signature().combine);
  for (const Tile& tile : tiles) {
    // Of the three cases of a tile two are plain, and of two one. What is wrong with a selection shows in fewer cases.
    list.offer(selects ? 3 : tile.times, [&](std::uint64_t turn, base::Random&) -> std::optional<Wish> {
      Wish wish{.layouts = layouts_of(turn), .is_rare = turn == 0};
      for (std::size_t e = 0; e < list.extents(); ++e) {
        if (!list.is_batch(e)) wish.extents[e] = e == list.inner() ? tile.inner : tile.outer;
      }
      if (!list.admits(wish) || list.work(wish) > kMostWork) return std::nullopt;
      return wish;
    });
  }
}

/// What a kernel says of its tiles.
class Hinted {
 public:
  explicit Hinted(const WishList& list) : list_(list) {
    for (std::size_t e = 0; e < list.extents(); ++e) {
      if (!list.is_batch(e) && largest(e) > 1) extents_.push_back(e);
    }
    Wish one;
    for (const std::size_t e : extents_) one.extents[e] = largest(e);
    work_ = list.work(one);
  }

  /// The extents that have tiles.
  [[nodiscard]] const std::vector<std::size_t>& extents() const { return extents_; }
  /// Products of one tile, the largest.
  [[nodiscard]] std::int64_t work() const { return work_; }

  /// So many tiles in each extent, the last whole or only begun.
  [[nodiscard]] std::optional<Wish> tiles(const std::vector<std::int64_t>& counts, bool whole, base::Random& random,
                                          std::uint64_t turn) const {
    Wish wish{.layouts = layouts_of(turn), .is_rare = turn == 0};
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      const std::size_t e = extents_[i];
      const std::int64_t tile = largest(e), multiple = list_.limit(e).multiple;
      const std::int64_t last = whole || counts[i] == 1 ? tile : random.between(1, std::max<std::int64_t>(1, tile / 8));
      wish.extents[e] = ((counts[i] - 1) * tile + last + multiple - 1) / multiple * multiple;
      if (list_.limit(e).power_of_two) wish.extents[e] = list_.least(e, wish.extents[e]);
    }
    const Wish smallest;
    if (!list_.admits(wish) || list_.work(wish) > std::max(kMostWork, 8 * list_.work(smallest))) return std::nullopt;
    return wish;
  }

 private:
  /// The largest size of a tile; 0 or 1: there is none.
  [[nodiscard]] std::int64_t largest(std::size_t extent) const {
    const operation::ExtentLimit& limit = list_.limit(extent);
    const std::int64_t tile = limit.tiles.empty() ? 0 : std::ranges::max(limit.tiles);
    return std::max<std::int64_t>(limit.multiple, (tile + limit.multiple - 1) / limit.multiple * limit.multiple);
  }

  const WishList& list_;
  std::vector<std::size_t> extents_;
  std::int64_t work_ = 1;
};

void wish_for_hinted_tiles(WishList& list) {
  const Hinted hinted(list);
  const std::size_t count = hinted.extents().size();
  if (count == 0) return;
  // Of large tiles only a few cases have whole second ones: two in three directions are eight.
  const bool is_large = hinted.work() > (std::int64_t{1} << 18);
  const std::vector<std::int64_t> one(count, 1), two(count, 2);
  list.offer(3, [&](std::uint64_t turn, base::Random& random) { return hinted.tiles(one, true, random, turn); });
  list.offer(is_large ? 2 : 4,
             [&](std::uint64_t turn, base::Random& random) { return hinted.tiles(two, false, random, turn); });
  list.offer(is_large ? 1 : 3,
             [&](std::uint64_t turn, base::Random& random) { return hinted.tiles(two, true, random, turn); });
  for (std::size_t i = 0; i < count && count > 1; ++i) {
    for (const std::int64_t tiles : {2, 3}) {
      list.offer(2, [&, i, tiles](std::uint64_t turn, base::Random& random) {
        std::vector<std::int64_t> counts = one;
        counts[i] = tiles;
        return hinted.tiles(counts, !is_large && turn == 0, random, turn);
      });
    }
  }
}

}  // namespace

void wish_for_tiles(WishList& list) {
  wish_for_usual_tiles(list);
  wish_for_hinted_tiles(list);
}

}  // namespace negzero::generate
