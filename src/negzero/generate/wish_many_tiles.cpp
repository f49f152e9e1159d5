// Tiles that a kernel says it has, and many of them in one direction.

#include <algorithm>
#include <vector>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_cuts.hpp>

namespace negzero::generate {

/// What a kernel says of its tiles, or that it takes whole ones only.
void wish_for_hinted_tiles(WishList& list) {
  Cuts cuts(list);
  const std::size_t count = cuts.count();
  // The largest size in each direction; 1: there is none.
  std::vector<std::int64_t> tiles;
  for (const std::size_t e : cuts.directions()) {
    const operation::ExtentLimit& limit = list.limit(e);
    const std::int64_t tile = limit.tiles.empty() ? 1 : std::ranges::max(limit.tiles);
    tiles.push_back((tile + limit.multiple - 1) / limit.multiple * limit.multiple);
  }
  if (std::ranges::all_of(tiles, [](std::int64_t tile) { return tile <= 1; })) return;
  // Other directions are drawn as usual, or count their elements as tiles.
  const auto cut = [&](std::uint64_t turn, std::vector<std::int64_t> counts, bool whole) {
    Cut result{tiles, std::move(counts), whole};
    for (std::int64_t& tile : result.tiles) {
      if (tile == 1 && turn % 2 == 0) tile = 0;
    }
    return result;
  };
  // `every`: one of so many has whole tiles.
  const auto all = [&](std::uint64_t times, std::int64_t number, std::uint64_t every) {
    cuts.offer(times, number == 2, [&, number, every](std::uint64_t turn, base::Random&) {
      return cut(turn + 1, std::vector<std::int64_t>(count, number), turn % every == 0);
    });
  };
  const bool is_large = cuts.work(tiles) > (std::int64_t{1} << 18);
  all(4, 1, 2);
  all(14, 2, 14);
  all(1, 3, 2);
  // Three beside each other, and little to sum up.
  cuts.offer(3, false, [&](std::uint64_t turn, base::Random& random) {
    Cut result = cut(turn, std::vector<std::int64_t>(count, 3), turn == 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (cuts.directions()[i] == list.inner()) result = with_short(std::move(result), i, random);
    }
    return result;
  });
  for (std::size_t i = 0; i < count && count > 1; ++i) {
    for (const std::int64_t number : {2, 3}) {
      cuts.offer(2, false, [&, i, number](std::uint64_t turn, base::Random&) {
        std::vector<std::int64_t> counts(count, 1);
        counts[i] = number;
        return cut(turn, std::move(counts), !is_large && turn == 0);
      });
    }
  }
}

/// Nine to twelve tiles in one direction, and two in another: each pair of directions with smaller and larger tiles,
/// with a batch and without.
void wish_for_many_tiles(WishList& list) {
  struct Kind {
    std::size_t many, two;
    std::int64_t tile;
    bool has_batch;
  };
  Cuts cuts(list);
  const std::size_t count = cuts.count();
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j) continue;
      const bool is_summed = cuts.directions()[i] == list.inner() || cuts.directions()[j] == list.inner();
      const bool is_product = list.signature().factors.size() == 2;
      for (const std::int64_t tile : {16, 32}) {
        // Steps of a sum are many in other wishes too.
        for (const bool has_batch : {false, true}) {
          if (!is_product || !is_summed || has_batch == (tile == 32)) kinds.push_back({i, j, tile, has_batch});
        }
      }
    }
  }
  if (kinds.empty()) return;
  const std::uint64_t times = list.signature().factors.size() == 2 ? 16 : 8;
  cuts.offer(times, false, [&](std::uint64_t turn, base::Random& random) {
    const auto [many, two, tile, has_batch] =
        kinds[static_cast<std::size_t>((turn + times * list.round()) % kinds.size())];
    Cut result{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count, 1)};
    result.has_batch = has_batch;
    for (std::size_t i = 0; i < count; ++i) {
      const operation::ExtentLimit& limit = list.limit(cuts.directions()[i]);
      result.tiles[i] = !limit.tiles.empty() ? std::ranges::max(limit.tiles) : std::max(tile, limit.multiple);
      if (i != many && i != two) result = with_short(std::move(result), i, random);
    }
    // Fewer where there is no room for so many.
    const std::int64_t room = std::max<std::int64_t>(2, cuts.room(result.tiles) / 2);
    result.counts[many] = room < 9 ? random.between(std::min<std::int64_t>(5, room), room) : random.between(9, 12);
    result.counts[two] = 2;
    return result;
  });
}

}  // namespace negzero::generate
