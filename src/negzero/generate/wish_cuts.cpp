// Lengths of so many tiles, the last one whole or only begun.

#include <algorithm>

#include <negzero/generate/draw.hpp>
#include <negzero/generate/wish_cuts.hpp>

namespace negzero::generate {

Cut with_short(Cut cut, std::size_t direction, base::Random& random) {
  cut.tiles[direction] = random.between(2, 8);
  cut.counts[direction] = 1;
  return cut;
}

Cuts::Cuts(WishList& list) : list_(list), most_(most_work(list.signature())) {
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

std::int64_t Cuts::work(const std::vector<std::int64_t>& tiles) const {
  Wish wish;
  for (std::size_t i = 0; i < count(); ++i) {
    if (tiles[i] > 0) wish.extents[directions_[i]] = list_.least(directions_[i], tiles[i]);
  }
  return list_.work(wish);
}

std::optional<Wish> Cuts::made(const Cut& cut, std::uint64_t turn, bool watched, base::Random& random) const {
  // More than a few in a thousand of these would take as long as all others.
  constexpr std::int64_t kDear = std::int64_t{1} << 19;
  Wish wish{.layouts = layouts_of(turn + turn / 2 + list_.round()), .is_watched = watched};
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
  const bool has_batch = cut.has_batch.value_or(turn % 3 == 1);
  for (const std::size_t batch : batches_) {
    wish.extents[batch] = list_.least(batch, has_batch ? random.between(2, 3) : 1);
  }
  if (list_.work(wish) > kDear) {
    for (const std::size_t batch : batches_) wish.extents[batch] = list_.least(batch, 1);
    wish.is_rare = turn == 0;
  }
  return list_.if_at_most(most_, wish);
}

}  // namespace negzero::generate
