// One to three tiles in every direction, whole and ragged; many in one direction; with a batch and without.

#include <algorithm>
#include <vector>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_list.hpp>

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

/// Half of them plain in memory, the others as they come.
LayoutWish layouts_of(std::uint64_t turn) {
  return {.kind = turn % 2 == 0 ? LayoutWish::Kind::Plain : LayoutWish::Kind::Any};
}

/// How a case is cut into tiles.
struct Cut {
  std::vector<std::int64_t> tiles;   ///< lengths of tiles, one for each direction; 0: that extent is drawn as usual
  std::vector<std::int64_t> counts;  ///< how many of them, the last one whole or only begun
  bool whole = false;
};

/// The same with a few elements in one direction.
Cut with_short(Cut cut, std::size_t direction, base::Random& random) {
  cut.tiles[direction] = random.between(2, 8);
  cut.counts[direction] = 1;
  return cut;
}

/// The wishes for tiles in the directions of an operation: the extents that vary but for a batch.
class Cuts {
 public:
  explicit Cuts(WishList& list) : list_(list), most_(most_work(list.signature())) {
    for (std::size_t e = 0; e < list.extents(); ++e) {
      const operation::ExtentLimit& limit = list.limit(e);
      if (list.is_batch(e)) {
        batches_.push_back(e);
      } else if (limit.min != limit.max) {
        directions_.push_back(e);
      }
    }
    // Two tiles in each of three directions are eight; a kernel whose least case is above all others gets none but
    // that.
    const std::int64_t least = list.work(Wish{});
    if (least <= most_) most_ = std::max(most_, 8 * least);
  }

  [[nodiscard]] const std::vector<std::size_t>& directions() const { return directions_; }
  [[nodiscard]] std::size_t count() const { return directions_.size(); }
  [[nodiscard]] std::int64_t work(const std::vector<std::int64_t>& tiles) const {
    Wish wish;
    for (std::size_t i = 0; i < count(); ++i) {
      if (tiles[i] > 0) wish.extents[directions_[i]] = tiles[i];
    }
    return list_.work(wish);
  }

  /// Offers `times` cases that are cut so; every third has a batch of several.
  template <typename CutOf>
  void offer(std::uint64_t times, bool watched, const CutOf& cut_of) {
    list_.offer(times, [&](std::uint64_t turn, base::Random& random) {
      return made(cut_of(turn, random), turn, watched, random);
    });
  }

 private:
  [[nodiscard]] std::optional<Wish> made(const Cut& cut, std::uint64_t turn, bool watched, base::Random& random) const {
    // More than a few in a thousand of these would take as long as all others.
    constexpr std::int64_t kDear = std::int64_t{1} << 19;
    Wish wish{.layouts = layouts_of(turn), .is_watched = watched};
    for (std::size_t i = 0; i < count(); ++i) {
      if (cut.tiles[i] == 0) continue;
      const operation::ExtentLimit& limit = list_.limit(directions_[i]);
      const std::int64_t tile = cut.tiles[i];
      // Mostly little more than the tiles before.
      const std::int64_t begun = random.below(8) == 0 ? tile - 1 : tile / 8;
      const std::int64_t last = cut.whole            ? tile
                                : cut.counts[i] == 1 ? random.between((tile + 1) / 2, tile)
                                                     : random.between(1, std::max<std::int64_t>(1, begun));
      const std::int64_t length = (cut.counts[i] - 1) * tile + last;
      const std::int64_t multiple = std::max<std::int64_t>(1, limit.multiple);
      wish.extents[directions_[i]] = list_.least(directions_[i], (length + multiple - 1) / multiple * multiple);
    }
    for (const std::size_t batch : batches_) {
      wish.extents[batch] = list_.least(batch, turn % 3 == 1 ? random.between(2, 3) : 1);
    }
    if (list_.work(wish) > kDear) {
      for (const std::size_t batch : batches_) wish.extents[batch] = list_.least(batch, 1);
      wish.is_rare = turn == 0;
    }
    return list_.if_at_most(most_, wish);
  }

  WishList& list_;
  std::int64_t most_;
  std::vector<std::size_t> directions_, batches_;
};

/// One whole tile of each of the usual sizes.
void wish_for_whole_tiles(WishList& list) {
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
  if (are_hinted) return;
  const std::int64_t tile = at_most(16, std::int64_t{1} << 16);
  cuts.offer(14, true, [&](std::uint64_t turn, base::Random&) {
    return Cut{sides(tile, 0), std::vector<std::int64_t>(count, 2), turn % 3 == 0};
  });
  cuts.offer(4, false, [&](std::uint64_t, base::Random&) {
    return Cut{sides(tile, 0), std::vector<std::int64_t>(count, 3)};
  });
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

/// Nine to twelve tiles in one direction, and two in another.
void wish_for_many_tiles(WishList& list) {
  Cuts cuts(list);
  const std::size_t count = cuts.count();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      if (i != j) pairs.emplace_back(i, j);
    }
  }
  if (pairs.empty()) return;
  const std::uint64_t times = list.signature().factors.size() == 2 ? 12 : 6;
  cuts.offer(times, false, [&](std::uint64_t turn, base::Random& random) {
    const auto [many, two] = pairs[static_cast<std::size_t>((turn + times * list.round()) % pairs.size())];
    Cut result{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count, 1)};
    for (std::size_t i = 0; i < count; ++i) {
      const operation::ExtentLimit& limit = list.limit(cuts.directions()[i]);
      const std::int64_t usual = turn % 2 == 0 ? 16 : 32;
      result.tiles[i] = !limit.tiles.empty() ? std::ranges::max(limit.tiles) : usual;
      if (i != many && i != two) result = with_short(std::move(result), i, random);
    }
    result.counts[many] = random.between(9, 12);
    result.counts[two] = 2;
    return result;
  });
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
