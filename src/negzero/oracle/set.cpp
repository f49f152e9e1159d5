// Hulls and unions of sets.

#include <algorithm>
#include <numeric>
#include <utility>

#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

using exact::Dyadic;

namespace {

void absorb(Piece& piece, const Piece& next) {
  piece.high = std::max(piece.high, next.high);
  piece.grid = std::min(piece.grid, next.grid);
}

/// Pieces that lie apart, at most `most` of them. Takes them in any order.
std::vector<Piece> apart(std::vector<Piece> pieces, std::size_t most) {
  std::ranges::sort(pieces, {}, &Piece::low);
  std::vector<Piece> result;
  for (Piece& piece : pieces) {
    if (!result.empty() && piece.low <= result.back().high) {
      absorb(result.back(), piece);
    } else {
      result.push_back(std::move(piece));
    }
  }
  if (result.size() <= most) return result;
  // The widest gaps stay.
  std::vector<Dyadic> gaps;
  for (std::size_t i = 1; i < result.size(); ++i) gaps.push_back(result[i].low - result[i - 1].high);
  std::vector<std::size_t> order(gaps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto kept = order.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::ranges::nth_element(order, kept, [&](std::size_t a, std::size_t b) { return gaps[b] < gaps[a]; });
  std::sort(order.begin(), kept);
  std::vector<Piece> merged{std::move(result.front())};
  auto next = order.begin();
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (next != kept && *next == i - 1) {
      ++next;
      merged.push_back(std::move(result[i]));
    } else {
      absorb(merged.back(), result[i]);
    }
  }
  return merged;
}

}  // namespace

Set Set::value(const Dyadic& number, bool plus_zero, bool minus_zero) {
  Set set;
  set.finite = true;
  set.low = set.high = number;
  set.grid = number.is_zero() ? kNoGrid : number.lowest_bit();
  set.plus_zero = plus_zero;
  set.minus_zero = minus_zero;
  return set;
}

Set Set::interval(const Dyadic& low, const Dyadic& high, int grid) {
  Set set = value(low);
  set.high = high;
  set.grid = grid;
  return set;
}

Set Set::only_nan() {
  Set set;
  set.nan = true;
  return set;
}

Set Set::infinity(bool negative) {
  Set set;
  (negative ? set.minus_infinity : set.plus_infinity) = true;
  return set;
}

Set Set::of(std::vector<Piece> pieces, std::size_t most) {
  Set set;
  if (pieces.empty()) return set;
  pieces = apart(std::move(pieces), most);
  set = interval(pieces.front().low, pieces.back().high, kNoGrid);
  for (const Piece& piece : pieces) set.grid = std::min(set.grid, piece.grid);
  set.minus_zero = true;
  if (pieces.size() > 1) set.apart_ = std::move(pieces);
  return set;
}

std::vector<Piece> Set::pieces() const {
  if (has_gaps()) return apart_;
  return finite ? std::vector<Piece>{{low, high, grid}} : std::vector<Piece>{};
}

bool Set::holds(const Dyadic& number) const {
  if (!finite || number < low || high < number) return false;
  const auto is_inside = [&](const Piece& piece) { return piece.low <= number && number <= piece.high; };
  return !has_gaps() || std::ranges::any_of(apart_, is_inside);
}

void Set::join(const Set& other) {
  if (other.finite) {
    // A sign of zero counts only where the set that carries it holds zero.
    const bool mine = holds_zero(), theirs = other.holds_zero();
    plus_zero = (mine && plus_zero) || (theirs && other.plus_zero);
    minus_zero = (mine && minus_zero) || (theirs && other.minus_zero);
    join_interval(other.low, other.high, other.grid);
    // A zero between two hulls that do not hold it is an artefact of the hull; its sign follows the default.
    if (!mine && !theirs) plus_zero = true;
  }
  plus_infinity |= other.plus_infinity;
  minus_infinity |= other.minus_infinity;
  nan |= other.nan;
}

void Set::join_interval(const Dyadic& other_low, const Dyadic& other_high, int other_grid) {
  if (!finite || other_low < low) low = other_low;
  if (!finite || high < other_high) high = other_high;
  finite = true;
  grid = std::min(grid, other_grid);
  apart_.clear();
}

void Set::unite(const Set& other, std::size_t most) {
  const bool is_empty = !finite && !any_infinity() && !nan;
  const bool meets = finite && other.finite && !(high < other.low) && !(other.high < low);
  if (is_empty) {
    *this = other;
  } else if (!other.finite || (meets && !has_gaps() && !other.has_gaps())) {
    join(other);
  } else {
    *this = united(std::vector{*this, other}, most);
  }
}

Set Set::united(const std::vector<Set>& sets, std::size_t most) {
  Set all;
  std::vector<Piece> pieces;
  bool plus = false, minus = false, has_zero = false;
  for (const Set& set : sets) {
    if (set.holds_zero()) {
      has_zero = true;
      plus |= set.plus_zero;
      minus |= set.minus_zero;
    }
    all.join(set);
    for (Piece& piece : set.pieces()) pieces.push_back(std::move(piece));
  }
  pieces = apart(std::move(pieces), most);
  if (pieces.size() > 1) all.apart_ = std::move(pieces);
  // A zero that only the merging of pieces reached may have either sign.
  all.plus_zero = has_zero ? plus : all.holds_zero();
  all.minus_zero = has_zero ? minus : all.holds_zero();
  return all;
}

}  // namespace negzero::oracle
