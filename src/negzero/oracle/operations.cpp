// Operations on sets, each by the ends of its operands.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/operations.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using exact::Dyadic;

namespace {

/// Infinities and NaN of x + y; the finite part is the caller's.
void add_specials(const Set& x, const Set& y, Set& sum) {
  const auto joins = [](bool infinity, const Set& other, bool same, bool opposite, bool& out, bool& nan) {
    if (!infinity) return;
    if (other.finite || same) out = true;
    if (opposite) nan = true;
  };
  joins(x.plus_infinity, y, y.plus_infinity, y.minus_infinity, sum.plus_infinity, sum.nan);
  joins(x.minus_infinity, y, y.minus_infinity, y.plus_infinity, sum.minus_infinity, sum.nan);
  joins(y.plus_infinity, x, x.plus_infinity, x.minus_infinity, sum.plus_infinity, sum.nan);
  joins(y.minus_infinity, x, x.minus_infinity, x.plus_infinity, sum.minus_infinity, sum.nan);
  sum.nan |= x.nan || y.nan;
}

/// The finite part of x + y where x lies in [low, high] and zeros carry the signs given.
Set add_finite(const Arithmetic& arithmetic, const Dyadic& low, const Dyadic& high, bool x_plus, bool x_minus,
               const Set& y, int grid) {
  const bool x_zero = low.sign() <= 0 && high.sign() >= 0, y_zero = y.holds_zero();
  // Two zeros give -0 only if both are -0; a cancellation of nonzero numbers gives +0.
  const bool cancels = !(low == high && low.is_zero()) && !(y.low == y.high && y.low.is_zero());
  const bool both_zero = x_zero && y_zero;
  bool plus = cancels || (both_zero && (x_plus || y.plus_zero));
  bool minus = both_zero && x_minus && y.minus_zero;
  if (arithmetic.rounding() == AccumulateRounding::Faithful) {
    minus = minus || cancels || (both_zero && ((x_plus && y.minus_zero) || (x_minus && y.plus_zero)));
  }
  return arithmetic.round(low + y.low, high + y.high, plus, minus, grid);
}

void take_finite(Set& into, const Set& finite) {
  const bool plus = into.plus_infinity || finite.plus_infinity, minus = into.minus_infinity || finite.minus_infinity;
  const bool nan = into.nan || finite.nan;
  into = finite;
  into.plus_infinity = plus;
  into.minus_infinity = minus;
  into.nan = nan;
}

}  // namespace

Real Real::from_encoding(const number::Format& format, std::uint64_t word) {
  Real real;
  real.kind = number::classify(format, word);
  real.negative = number::is_negative(format, word);
  if (real.is_finite()) real.value = Dyadic::from_encoding(format, word);
  return real;
}

Set Real::set() const {
  if (is_nan()) return Set::only_nan();
  if (is_infinite()) return Set::infinity(negative);
  return Set::value(value, !negative, negative);
}

std::string Real::to_string() const {
  if (is_nan()) return "nan";
  const std::string sign = negative && (is_zero() || is_infinite()) ? "-" : "";
  return sign + (is_infinite() ? "inf" : value.to_string());
}

Set add_as_they_are(const Arithmetic& arithmetic, const Set& left, const Set& right) {
  return each_pair(left, right, [&](const Set& x, const Set& y) {
    Set sum;
    add_specials(x, y, sum);
    if (x.finite && y.finite) {
      take_finite(sum, add_finite(arithmetic, x.low, x.high, x.plus_zero, x.minus_zero, y, std::min(x.grid, y.grid)));
    }
    return sum;
  });
}

Set add(const Arithmetic& arithmetic, const Set& x, const Set& y) {
  return add_as_they_are(arithmetic, arithmetic.operand(x), arithmetic.operand(y));
}

Set add_exactly(const Set& left, const Set& right) {
  return each_pair(left, right, [](const Set& x, const Set& y) {
    Set sum;
    if (x.finite && y.finite) sum = Set::interval(x.low + y.low, x.high + y.high, std::min(x.grid, y.grid));
    add_specials(x, y, sum);
    return sum;
  });
}

Set add_product(const Arithmetic& arithmetic, const Set& x, const Dyadic& p, bool p_negative) {
  return add_as_they_are(arithmetic, arithmetic.operand(x), Set::value(p, !p_negative, p_negative));
}

namespace {

/// x times a finite factor that is not zero, rounded nowhere.
Set times(const Set& x, const Real& factor) {
  Set product = x;
  product.low = x.low * factor.value;
  product.high = x.high * factor.value;
  product.grid += factor.value.lowest_bit();
  if (!factor.negative) return product;
  std::swap(product.low, product.high);
  std::swap(product.plus_infinity, product.minus_infinity);
  std::swap(product.plus_zero, product.minus_zero);
  return product;
}

Set multiply_piece(const Arithmetic& arithmetic, const Set& x, const Real& factor) {
  Set result;
  result.nan = x.nan;
  if (factor.is_nan()) return Set::only_nan();
  if (factor.is_infinite()) {
    const auto infinite = [&](bool negative) {
      (negative == factor.negative ? result.plus_infinity : result.minus_infinity) = true;
    };
    if (x.plus_infinity || (x.finite && x.high.sign() > 0)) infinite(false);
    if (x.minus_infinity || (x.finite && x.low.sign() < 0)) infinite(true);
    result.nan |= x.holds_zero();
    return result;
  }
  if (factor.is_zero()) {
    result.nan |= x.any_infinity();
    if (x.finite) {
      const bool positive = x.high.sign() > 0 || x.plus_zero, negative = x.low.sign() < 0 || x.minus_zero;
      take_finite(result,
                  Set::value(Dyadic(), factor.negative ? negative : positive, factor.negative ? positive : negative));
    }
    return result;
  }
  const Set product = times(x, factor);
  result.plus_infinity = product.plus_infinity;
  result.minus_infinity = product.minus_infinity;
  if (product.finite) {
    take_finite(result,
                arithmetic.round(product.low, product.high, product.plus_zero, product.minus_zero, product.grid));
  }
  return result;
}

}  // namespace

Set multiply(const Arithmetic& arithmetic, const Set& x, const Real& factor) {
  return arithmetic.operand(x).each_piece([&](const Set& piece) { return multiply_piece(arithmetic, piece, factor); });
}

Set multiply_add(const Arithmetic& arithmetic, const Set& operand, const Real& factor, const Set& addend) {
  if (!factor.is_finite() || factor.is_zero()) return add(arithmetic, multiply(arithmetic, operand, factor), addend);
  const Set scaled = arithmetic.operand(operand).each_piece([&](const Set& x) { return times(x, factor); });
  return add_as_they_are(arithmetic, scaled, arithmetic.operand(addend));
}

Dyadic sticky_quotient(const Dyadic& x, std::int64_t n) {
  if (x.is_zero()) return {};
  std::vector<std::uint64_t> limbs(x.magnitude_limbs({}));
  x.magnitude_limbs(limbs);
  // Two limbs of fraction leave more than 64 significant bits, whatever n. The lowest limb is for the sticky bit.
  constexpr std::size_t kFraction = 2;
  limbs.insert(limbs.begin(), kFraction, 0);
  unsigned __int128 rest = 0;
  for (std::size_t i = limbs.size(); i-- > 0;) {
    const unsigned __int128 dividend = (rest << 64) | limbs[i];
    limbs[i] = static_cast<std::uint64_t>(dividend / static_cast<std::uint64_t>(n));
    rest = dividend % static_cast<std::uint64_t>(n);
  }
  const int exponent = x.exponent() - 64 * static_cast<int>(kFraction);
  limbs.insert(limbs.begin(), rest != 0 ? 1 : 0);
  return Dyadic::from_limbs(x.sign() < 0, limbs, exponent - 64);
}

std::uint64_t round_quotient(const Dyadic& x, std::int64_t n, const number::Format& format,
                             const number::EncodeOptions& options) {
  return sticky_quotient(x, n).round_to(format, options);
}

std::vector<std::int64_t> divisors(const number::Format& format, std::int64_t count) {
  const std::uint64_t word = Dyadic(count).round_to(format);
  if (number::is_infinity(format, word) || number::is_nan(format, word)) return {count};
  // A count below 2^31 rounded to a float is an integer below 2^32.
  const auto held = static_cast<std::int64_t>(Dyadic::from_encoding(format, word).approximate());
  if (held == count) return {count};
  return {count, held};
}

Real reciprocal(const number::Format& format, std::int64_t n) {
  return Real::from_encoding(format, round_quotient(Dyadic(1), n, format, {}));
}

Set divide(const Arithmetic& arithmetic, const Set& operand, std::int64_t n) {
  return arithmetic.operand(operand).each_piece([&](const Set& x) {
    Set result;
    result.nan = x.nan;
    result.plus_infinity = x.plus_infinity;
    result.minus_infinity = x.minus_infinity;
    if (x.finite) {
      // A quotient has no last bit, but at 2^-64 of the operand's grid it is as good as one.
      const int grid = x.grid - 64;
      take_finite(result, arithmetic.round(sticky_quotient(x.low, n), sticky_quotient(x.high, n), x.plus_zero,
                                           x.minus_zero, grid));
    }
    return result;
  });
}

}  // namespace negzero::oracle
