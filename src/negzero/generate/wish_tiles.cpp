// One to three tiles of usual sizes in every direction, whole and ragged, with a batch and without; vectors.

#include <algorithm>
#include <vector>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_cuts.hpp>

namespace negzero::generate {
namespace {

/// Tiles that kernels have, and in how many cases of a thousand they are met. `inner`: along what is summed up.
struct Tile {
  std::int64_t outer, inner;
  std::uint64_t times;
};
/// Of products. A case of many is whole for smaller tiles too.
constexpr Tile kOfProducts[] = {{16, 16, 3}, {32, 32, 3}, {64, 32, 3}, {64, 64, 2}, {128, 8, 2}, {128, 32, 2}};
/// Of what is read once.
constexpr Tile kOfElements[] = {{32, 32, 2}, {32, 256, 3}, {64, 512, 2}, {8, 1024, 3}, {1, 4096, 2}, {256, 256, 2}};

/// One whole tile of each of the usual sizes.
void wish_for_whole_tiles(WishList& list) {
  const bool is_product = list.signature().factors.size() == 2;
  const auto tiles = is_product ? std::vector<Tile>(std::begin(kOfProducts), std::end(kOfProducts))
                                : std::vector<Tile>(std::begin(kOfElements), std::end(kOfElements));
  const bool selects = list.signature().combine && notation::selects(*list.signature().combine);
  for (const Tile& tile : tiles) {
    // Of the three cases of a tile two are plain, and of two one. What is wrong with a selection shows in fewer cases.
    list.offer(selects ? 3 : tile.times, [&](std::uint64_t turn, base::Random&) -> std::optional<Wish> {
      Wish wish{.layouts = layouts_of(turn), .is_rare = turn == 0};
      for (std::size_t e = 0; e < list.extents(); ++e) {
        if (!list.is_batch(e)) wish.extents[e] = e == list.inner() ? tile.inner : tile.outer;
      }
      return list.if_at_most(most_work(list.signature()), wish);
    });
  }
}

/// Several tiles of usual sizes; of kernels that say what theirs are, larger ones: a launch has levels above its tiles.
/// What is summed up is short where many tiles lie beside each other.
void wish_for_usual_tiles(WishList& list) {
  Cuts cuts(list);
  const std::size_t count = cuts.count();
  if (count < 2) return;
  const auto is_hinted = [&](std::size_t e) { return !list.limit(e).tiles.empty(); };
  const bool are_hinted = std::ranges::count_if(cuts.directions(), is_hinted) > 1;
  std::int64_t hint = 0;
  for (const std::size_t e : cuts.directions()) {
    if (are_hinted && is_hinted(e) && e != list.inner()) hint = std::max(hint, std::ranges::max(list.limit(e).tiles));
  }
  const auto sides = [&](std::int64_t tile, std::int64_t inner) {
    std::vector<std::int64_t> tiles;
    for (const std::size_t e : cuts.directions()) tiles.push_back(e == list.inner() && inner != 0 ? inner : tile);
    return tiles;
  };
  const bool is_product = list.signature().factors.size() == 2;
  // Of many directions so small tiles that a case of two of them in each is no large one.
  const auto at_most = [&](std::int64_t tile, std::int64_t work) {
    while (tile > 2 && cuts.work(sides(2 * tile, 0)) > work) tile /= 2;
    return tile;
  };
  const auto square = [&](std::uint64_t times, std::int64_t tile, std::int64_t number) {
    if (tile <= 2 * hint) return;
    if (!is_product) tile = at_most(tile, std::int64_t{1} << 17);
    cuts.offer(times, false, [&, tile, number](std::uint64_t, base::Random& random) {
      Cut cut{sides(tile, is_product ? random.between(2, 8) : 0), std::vector<std::int64_t>(count, number)};
      for (std::size_t i = 0; i < count && is_product; ++i) {
        if (cuts.directions()[i] == list.inner()) cut.counts[i] = 1;
      }
      return cut;
    });
  };
  square(is_product ? 12 : 6, 64, 2);
  square(is_product ? 7 : 3, 32, 3);
  square(is_product ? 3 : 2, 64, 3);
  square(is_product && !are_hinted ? 3 : 2, 128, 2);
  if (is_product && !are_hinted) {
    // With so little to sum up that they take no longer than others.
    cuts.offer(4, false, [&](std::uint64_t turn, base::Random& random) {
      constexpr std::int64_t kLarge[] = {96, 128, 192, 256};
      Cut cut{sides(kLarge[turn], random.between(2, 3)), std::vector<std::int64_t>(count, turn < 2 ? 3 : 2)};
      for (std::size_t i = 0; i < count; ++i) {
        if (cuts.directions()[i] == list.inner()) cut.counts[i] = 1;
      }
      return cut;
    });
  }
  if (are_hinted) return;
  const std::int64_t tile = at_most(16, std::int64_t{1} << 16);
  cuts.offer(14, true, [&](std::uint64_t turn, base::Random&) {
    return Cut{sides(tile, 0), std::vector<std::int64_t>(count, 2), turn % 3 == 0};
  });
  cuts.offer(4, false, [&](std::uint64_t, base::Random&) {
    return Cut{sides(tile, 0), std::vector<std::int64_t>(count, 3)};
  });
  if (!is_product) return;
  // Two on each side with a second step of what is summed up, and a third: buffers that take turns.
  for (const auto& [side, steps] : {std::pair{32, 3}, std::pair{64, 2}}) {
    cuts.offer(3, false, [&, side = side, steps = steps](std::uint64_t, base::Random&) {
      Cut cut{sides(side, 0), std::vector<std::int64_t>(count, 2)};
      for (std::size_t i = 0; i < count; ++i) {
        if (cuts.directions()[i] == list.inner()) cut.counts[i] = steps;
      }
      return cut;
    });
  }
}

/// Two tiles on one side, and several along what is summed up, where a kernel holds more than one tile of it at a time.
void wish_for_deep_tiles(WishList& list) {
  if (list.signature().factors.size() != 2) return;
  Cuts cuts(list);
  for (std::size_t i = 0; i < cuts.count(); ++i) {
    if (cuts.directions()[i] == list.inner()) continue;
    cuts.offer(4, false, [&, i](std::uint64_t, base::Random& random) {
      Cut cut{std::vector<std::int64_t>(cuts.count(), 64), std::vector<std::int64_t>(cuts.count(), 2)};
      for (std::size_t other = 0; other < cuts.count(); ++other) {
        if (cuts.directions()[other] == list.inner()) {
          cut.tiles[other] = 128;
          cut.counts[other] = random.between(2, 3);
        } else if (other != i) {
          cut = with_short(std::move(cut), other, random);
        }
      }
      return cut;
    });
  }
}

/// One row, or one column, in each of many matrices, or of a few.
void wish_for_vectors(WishList& list) {
  if (list.signature().factors.size() != 2) return;
  const Cuts cuts(list);
  for (const std::size_t e : cuts.directions()) {
    if (e == list.inner()) continue;
    const bool is_row = e == cuts.directions().front();
    list.offer(is_row ? 30 : 6, [&, e](std::uint64_t, base::Random& random) -> std::optional<Wish> {
      Wish wish;
      for (std::size_t batch = 0; batch < list.extents(); ++batch) {
        if (list.is_batch(batch)) wish.extents[batch] = list.least(batch, random.between(30, 70));
      }
      wish.extents[e] = list.least(e, 1);
      return list.if_at_most(most_work(list.signature()), wish);
    });
  }
  // More matrices than a byte counts.
  list.offer(2, [&](std::uint64_t, base::Random& random) -> std::optional<Wish> {
    Wish wish;
    for (std::size_t e = 0; e < list.extents(); ++e) {
      wish.extents[e] = list.least(e, list.is_batch(e) ? random.between(257, 600) : random.between(1, 4));
    }
    return list.if_at_most(most_work(list.signature()), wish);
  });
}

}  // namespace

void wish_for_tiles(WishList& list) {
  wish_for_whole_tiles(list);
  wish_for_usual_tiles(list);
  wish_for_deep_tiles(list);
  wish_for_hinted_tiles(list);
  wish_for_many_tiles(list);
  wish_for_vectors(list);
}

}  // namespace negzero::generate
