// Computer operations on sets: what an addition, a scaling or a fused multiply-add can give.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

/// A number that is known: alpha, beta, an element.
struct Real {
  number::Class kind = number::Class::Zero;
  bool negative = false;
  exact::Dyadic value;  ///< 0 unless finite and nonzero

  [[nodiscard]] static Real from_encoding(const number::Format& format, std::uint64_t word);
  [[nodiscard]] bool is_nan() const { return kind == number::Class::Nan; }
  [[nodiscard]] bool is_infinite() const { return kind == number::Class::Infinity; }
  [[nodiscard]] bool is_finite() const { return kind < number::Class::Infinity; }
  [[nodiscard]] bool is_zero() const { return kind == number::Class::Zero; }
  [[nodiscard]] bool is_one() const { return is_finite() && value == exact::Dyadic(1); }
  /// The number as a set: exactly itself.
  [[nodiscard]] Set set() const;
  /// "-0.5", "inf", "nan".
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Real&, const Real&) = default;
};

// Each takes sets with gaps, and unites what it makes of their pieces.

/// fl(x + y) for every x, y in the sets. An exact cancellation gives +0, or either zero under faithful rounding
/// (IEEE 754-2019 6.3).
[[nodiscard]] Set add(const Arithmetic& arithmetic, const Set& x, const Set& y);
/// The same of what is no operand of its own: nothing is flushed but the result.
[[nodiscard]] Set add_as_they_are(const Arithmetic& arithmetic, const Set& x, const Set& y);
/// x + y, rounded nowhere.
[[nodiscard]] Set add_exactly(const Set& x, const Set& y);

/// fl(x + p) with the exact product p, finite; `p_negative` is its sign where it is zero.
[[nodiscard]] Set add_product(const Arithmetic& arithmetic, const Set& x, const exact::Dyadic& p, bool p_negative);

/// fl(factor * x). Inf * 0 and NaN give NaN; `factor` may be anything.
[[nodiscard]] Set multiply(const Arithmetic& arithmetic, const Set& x, const Real& factor);

/// fl(factor * x + y), the product unrounded. Where the factor is not finite this is add(multiply(x), y).
[[nodiscard]] Set multiply_add(const Arithmetic& arithmetic, const Set& x, const Real& factor, const Set& y);

/// fl(x / n) for a positive integer n, correctly rounded.
[[nodiscard]] Set divide(const Arithmetic& arithmetic, const Set& x, std::int64_t n);

/// fl(1 / n).
[[nodiscard]] Real reciprocal(const number::Format& format, std::int64_t n);

/// What kernels divide by that divide by `count`: the count, and the count rounded to the format, where that does not
/// hold it.
[[nodiscard]] std::vector<std::int64_t> divisors(const number::Format& format, std::int64_t count);

/// x / n rounded once to `format`. Requires n > 0.
[[nodiscard]] std::uint64_t round_quotient(const exact::Dyadic& x, std::int64_t n, const number::Format& format,
                                           const number::EncodeOptions& options);

/// x / n with more than 64 significant bits; where that is inexact, a bit far below them makes it round like the
/// quotient. Requires 0 < n.
[[nodiscard]] exact::Dyadic sticky_quotient(const exact::Dyadic& x, std::int64_t n);

}  // namespace negzero::oracle
