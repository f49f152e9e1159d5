// What a computed value may be: numbers in pieces, signs of zero, infinities, NaN.

#pragma once

#include <cstddef>
#include <vector>

#include <negzero/exact/dyadic.hpp>

namespace negzero::oracle {

/// The grid of zero: every power of two divides it.
inline constexpr int kNoGrid = 1 << 20;

/// Every number from `low` to `high` that is a multiple of 2^grid.
struct Piece {
  exact::Dyadic low, high;  ///< both included
  int grid = kNoGrid;
  friend bool operator==(const Piece&, const Piece&) = default;
};

/// Most pieces of a set.
inline constexpr std::size_t kPieces = 128;

/// The values that a computed quantity may take. Most sets are one piece, the hull of their numbers: every rounding is
/// monotone, so a hull survives a chain of operations by its ends alone, and so does each piece of several.
struct Set {
  bool finite = false;      ///< whether there is a number
  exact::Dyadic low, high;  ///< the least and the greatest
  int grid = kNoGrid;       ///< the finest of the pieces' grids
  bool plus_zero = false;   ///< which signs a zero may carry, where there is one
  bool minus_zero = false;
  bool plus_infinity = false, minus_infinity = false, nan = false;

  /// One number. A zero gets the signs given.
  [[nodiscard]] static Set value(const exact::Dyadic& number, bool plus_zero = true, bool minus_zero = false);
  [[nodiscard]] static Set interval(const exact::Dyadic& low, const exact::Dyadic& high, int grid);
  [[nodiscard]] static Set only_nan();
  [[nodiscard]] static Set infinity(bool negative);
  /// The numbers of pieces, in any order, which may meet. A zero may have either sign.
  [[nodiscard]] static Set of(std::vector<Piece> pieces, std::size_t most = kPieces);

  /// The pieces, ascending and apart.
  [[nodiscard]] std::vector<Piece> pieces() const;
  template <class Visit>
  void for_each_piece(const Visit& visit) const {
    for (const Piece& piece : apart_) visit(piece);
    if (apart_.empty() && finite) visit(Piece{low, high, grid});
  }
  [[nodiscard]] bool has_gaps() const { return !apart_.empty(); }
  /// Whether that number is in one of the pieces. (Grids are not looked at.)
  [[nodiscard]] bool holds(const exact::Dyadic& number) const;
  [[nodiscard]] bool holds_zero() const {
    return finite && low.sign() <= 0 && high.sign() >= 0 && (!has_gaps() || holds({}));
  }
  [[nodiscard]] bool any_infinity() const { return plus_infinity || minus_infinity; }
  [[nodiscard]] bool single() const {
    return finite ? low == high && !any_infinity() && !nan : plus_infinity + minus_infinity + nan == 1;
  }

  /// The hull of both: for accumulators of one contract.
  void join(const Set& other);
  /// Makes the one piece hold the interval too; leaves the signs of zero alone.
  void join_interval(const exact::Dyadic& other_low, const exact::Dyadic& other_high, int other_grid);
  /// Adds another set, with the gap between: for the members of a choice that a contract leaves open. Pieces that meet
  /// are one. Above `most` the two that are nearest to each other become one, on the finer of their grids: sets that
  /// are united one by one may come to others than united().
  void unite(const Set& other, std::size_t most = kPieces);
  /// All of them at once.
  [[nodiscard]] static Set united(const std::vector<Set>& sets, std::size_t most = kPieces);
  /// What `operation` makes of each piece, united.
  template <class Operation>
  [[nodiscard]] Set each_piece(const Operation& operation) const;

 private:
  std::vector<Piece> apart_{};  ///< the pieces where there are several
};

template <class Operation>
Set Set::each_piece(const Operation& operation) const {
  if (!has_gaps()) return operation(*this);
  Set specials;
  specials.plus_infinity = plus_infinity;
  specials.minus_infinity = minus_infinity;
  specials.nan = nan;
  std::vector<Set> results;
  if (any_infinity() || nan) results.push_back(operation(specials));
  for (const Piece& piece : apart_) {
    Set one = interval(piece.low, piece.high, piece.grid);
    one.plus_zero = plus_zero;
    one.minus_zero = minus_zero;
    results.push_back(operation(one));
  }
  return united(results);
}

/// What `operation` makes of each pair of pieces, united.
template <class Operation>
Set each_pair(const Set& x, const Set& y, const Operation& operation) {
  return x.each_piece([&](const Set& a) { return y.each_piece([&](const Set& b) { return operation(a, b); }); });
}

}  // namespace negzero::oracle
