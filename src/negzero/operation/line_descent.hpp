// The way from any extents to such that keep the relations of a line and of limits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/operation/line_order.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::operation {

/// Free extents move, defined ones follow: a descent on how much is broken, one extent at a time, and leaps where that
/// ends too early. Signature and limits must outlive it.
class Descent {
 public:
  using Values = std::vector<std::int64_t>;

  Descent(const notation::Signature& signature, const Limits& limits)
      : signature_(signature), limits_(limits), order_(signature, limits), equal_(equal_extents(limits, signature)) {}

  /// Computes what is defined, and returns how much is broken.
  std::int64_t settle(std::span<std::int64_t> extents) const;
  /// Moves free extents but `frozen` until nothing is broken. Returns whether that is so.
  bool run(Values& extents, std::optional<std::size_t> frozen) const;

 private:
  /// The same, with two that stay, as far as each single move mends something. Returns how much is broken then.
  std::int64_t descend(Values& extents, std::optional<std::size_t> frozen, std::optional<std::size_t> held) const;
  /// Where no single move mends anything: moves one extent to a multiple of a number that relations have or of another
  /// extent, as `g % 16 = 0, n % g = 0` want, holds it there, and lets the others follow. Keeps the nearest of those
  /// that leave least, where that is less than what was broken. Returns what is broken then.
  std::int64_t leap(Values& extents, std::optional<std::size_t> frozen, std::int64_t broken) const;
  /// The multiples, at and above its value and below it, of each number above 1 in the relations and of each extent
  /// above 1, as far as the extent's limits accept them; the nearest first.
  [[nodiscard]] std::vector<std::int64_t> multiples_near(const Values& extents, std::size_t extent) const;
  /// Gives an extent, and those that are equal to it, a value.
  void set(Values& extents, std::size_t extent, std::int64_t value) const;
  /// Moves one extent, and those that are equal to it, in one direction as far as that mends anything, and no further.
  std::int64_t move(Values& extents, std::size_t extent, int direction, std::int64_t broken) const;

  const notation::Signature& signature_;
  const Limits& limits_;
  LineOrder order_;
  std::vector<EqualExtents> equal_;
};

}  // namespace negzero::operation
