// How the directions of an operation are cut into tiles, for wishes of several of them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/generate/wish_list.hpp>

namespace negzero::generate {

/// Half of them plain in memory, the others as they come.
[[nodiscard]] inline LayoutWish layouts_of(std::uint64_t turn) {
  return {.kind = turn % 2 == 0 ? LayoutWish::Kind::Plain : LayoutWish::Kind::Any};
}

/// How a case is cut into tiles.
struct Cut {
  std::vector<std::int64_t> tiles;   ///< lengths of tiles, one for each direction; 0: that extent is drawn as usual
  std::vector<std::int64_t> counts;  ///< how many of them, the last one whole or only begun
  bool whole = false;
  std::optional<bool> has_batch{};  ///< nothing: one turn in three has
};

/// The same with a few elements in one direction.
[[nodiscard]] Cut with_short(Cut cut, std::size_t direction, base::Random& random);

/// The wishes for tiles in the directions of an operation: the extents that vary but for a batch.
class Cuts {
 public:
  explicit Cuts(WishList& list);

  [[nodiscard]] const std::vector<std::size_t>& directions() const { return directions_; }
  [[nodiscard]] std::size_t count() const { return directions_.size(); }
  /// The work of one tile in each direction, as the limits have it.
  [[nodiscard]] std::int64_t work(const std::vector<std::int64_t>& tiles) const;

  /// How many such tiles a case may have.
  [[nodiscard]] std::int64_t room(const std::vector<std::int64_t>& tiles) const { return most_ / work(tiles); }

  /// Offers `times` cases that are cut so; every third has a batch of several.
  template <typename CutOf>
  void offer(std::uint64_t times, bool watched, const CutOf& cut_of) {
    list_.offer(times, [&](std::uint64_t turn, base::Random& random) {
      return made(cut_of(turn, random), turn, watched, random);
    });
  }

 private:
  [[nodiscard]] std::optional<Wish> made(const Cut& cut, std::uint64_t turn, bool watched, base::Random& random) const;

  WishList& list_;
  std::int64_t most_;
  std::vector<std::size_t> directions_, batches_;
};

// Parts of wish_for_tiles(), by kind.
void wish_for_hinted_tiles(WishList& list);
void wish_for_many_tiles(WishList& list);

}  // namespace negzero::generate
