// How the list of wishes is made: offers in a fixed order, of which the one at a place is taken.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <negzero/generate/wish.hpp>
#include <negzero/operation/relations.hpp>
#include <negzero/operation/workload.hpp>

namespace negzero::generate {

/// Goes through all offers of an operation and a kernel's limits, and makes one of them.
class WishList {
 public:
  /// Makes the wish of its turn, 0, 1, ...; nothing where limits exclude it.
  using Make = std::function<std::optional<Wish>(std::uint64_t turn, base::Random& random)>;

  /// Neither is owned. `place`: of the wish that is made.
  WishList(const notation::Signature& signature, const operation::Limits& limits, const WishPlace& place,
           base::Random random);

  /// `times` wishes of one kind.
  void offer(std::uint64_t times, const Make& make);
  [[nodiscard]] const std::optional<Wish>& wish() const { return wish_; }
  /// Wishes that were offered until now.
  [[nodiscard]] std::uint64_t offered() const { return next_; }

  [[nodiscard]] const notation::Signature& signature() const { return signature_; }
  [[nodiscard]] const operation::Limits& limits() const { return limits_; }
  [[nodiscard]] std::uint64_t round() const { return place_.round; }
  [[nodiscard]] bool is_early() const { return place_.is_early; }
  [[nodiscard]] std::size_t extents() const { return signature_.extents.size(); }
  [[nodiscard]] const operation::ExtentLimit& limit(std::size_t extent) const;
  /// Whether an extent only repeats the whole operation: both factors of a product have it, and so has the result.
  [[nodiscard]] bool is_batch(std::size_t extent) const;
  /// The extent along which tiles are short: inner_extent().
  [[nodiscard]] std::size_t inner() const;
  /// The least accepted extent of at least `wanted`; the greatest accepted one where all are less.
  [[nodiscard]] std::int64_t least(std::size_t extent, std::int64_t wanted) const;
  /// The work of the least case that has the wish (operation::Workload).
  [[nodiscard]] std::int64_t work(const Wish& wish) const;
  /// Gives extents that are equal the greatest length wished for one of them. Returns whether the limits accept the
  /// wish then.
  [[nodiscard]] bool admits(Wish& wish) const;
  /// The wish, where the limits accept it and the least case that has it has at most so much work.
  [[nodiscard]] std::optional<Wish> if_at_most(std::int64_t work, Wish wish) const;
  /// The dimension of a tensor along which its elements lie one behind the other.
  [[nodiscard]] std::size_t fastest_dimension(std::size_t tensor) const;

 private:
  const notation::Signature& signature_;
  const operation::Limits& limits_;
  operation::Workload workload_;
  WishPlace place_;
  base::Random random_;
  std::uint64_t next_ = 0;
  std::size_t kind_ = 0;
  std::vector<operation::EqualExtents> equal_;
  std::optional<Wish> wish_;
};

/// Most places of a round that are looked at: no list of wishes is longer.
inline constexpr std::uint64_t kMostWishes = 340;

/// All of them, in their order.
void wish_for_all(WishList& list);

void wish_for_tiles(WishList& list);
void wish_for_long_rows(WishList& list);
void wish_for_equal_extents(WishList& list);
void wish_for_far_extents(WishList& list);
void wish_for_layouts(WishList& list);
void wish_for_distant_layouts(WishList& list);

}  // namespace negzero::generate
