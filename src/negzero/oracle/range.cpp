// Hulls of ranges.

#include <algorithm>

#include <negzero/oracle/range.hpp>

namespace negzero::oracle {

Range Range::value(const exact::Dyadic& number, bool plus_zero, bool minus_zero) {
  Range range;
  range.finite = true;
  range.low = range.high = number;
  range.granularity = number.is_zero() ? kNoGrid : number.lowest_bit();
  range.plus_zero = plus_zero;
  range.minus_zero = minus_zero;
  return range;
}

Range Range::interval(const exact::Dyadic& low, const exact::Dyadic& high, int granularity) {
  Range range = value(low);
  range.high = high;
  range.granularity = granularity;
  return range;
}

Range Range::only_nan() {
  Range range;
  range.nan = true;
  return range;
}

Range Range::infinity(bool negative) {
  Range range;
  (negative ? range.minus_infinity : range.plus_infinity) = true;
  return range;
}

void Range::join(const Range& other) {
  if (other.finite) {
    // A sign of zero counts only where the range that carries it holds zero.
    const bool mine = holds_zero(), theirs = other.holds_zero();
    plus_zero = (mine && plus_zero) || (theirs && other.plus_zero);
    minus_zero = (mine && minus_zero) || (theirs && other.minus_zero);
    join_interval(other.low, other.high, other.granularity);
    // A zero between two hulls that do not hold it is an artefact of the hull; its sign follows the default.
    if (!mine && !theirs) plus_zero = true;
  }
  plus_infinity |= other.plus_infinity;
  minus_infinity |= other.minus_infinity;
  nan |= other.nan;
}

void Range::join_interval(const exact::Dyadic& other_low, const exact::Dyadic& other_high, int other_granularity) {
  if (!finite || other_low < low) low = other_low;
  if (!finite || high < other_high) high = other_high;
  finite = true;
  granularity = std::min(granularity, other_granularity);
}

}  // namespace negzero::oracle
