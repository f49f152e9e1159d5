// The stated bounds of numerics.md sections 2 and 3, computed once more in plain rationals.

#pragma once

#include <span>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "enumerator.hpp"

namespace negzero::oracle_cross {

using Rational = boost::multiprecision::cpp_rational;

[[nodiscard]] Rational power_of_two(int exponent);
/// The value of a finite number.
[[nodiscard]] Rational to_rational(const Number& number);
/// The value with 120 bits and a jammed last bit: rounds like the value itself.
[[nodiscard]] Number to_number(const Rational& value);
/// Weight of the last place of the binade of |x|, eta at least.
[[nodiscard]] Rational ulp(const SmallFormat& format, const Rational& x);
[[nodiscard]] Rational max_finite(const SmallFormat& format);
/// T of numerics.md section 3: what a magnitude must reach to overflow in the mode given.
[[nodiscard]] Rational overflow_threshold(const SmallFormat& format, Mode mode);

/// The exact facts about a sum: s, S, P, N, m.
struct SumFacts {
  Rational sum, magnitude, positive, negative;
  int nonzero = 0;
};
/// Requires finite terms with one exact value each.
[[nodiscard]] SumFacts facts(std::span<const Term> terms);

/// Rule 2a: every partial sum in every order is representable, no overflow and no flush.
[[nodiscard]] bool exact_in_every_order(const Machine& machine, std::span<const Term> terms);

/// B of rule 2c for one accumulator: the largest |y^ - s| over all orders while nothing overflows. Flushing adds what
/// numerics.md states for results, and one smallest normal for each of the two inputs of an addition.
///
/// A fused machine is bounded as `either`: in any order a slice of one product rounds it before it is added.
/// The same where each addition is in one of these machines' formats, and may be stored to the narrower ones: the
/// narrowest first.
[[nodiscard]] Rational mixed_bound(std::span<const Machine> machines, std::span<const Term> terms);
[[nodiscard]] Rational sum_bound(const Machine& machine, std::span<const Term> terms, bool compensated = false);

/// The same bound for a sum whose leaves are known only to within `slack` each (the outer sum of `promote`):
/// `magnitudes` holds |s_b| + B_b.
[[nodiscard]] Rational outer_bound(const Machine& machine, std::span<const Rational> magnitudes);

/// |alpha| B + the roundings of both scalings and of the last addition, as numerics.md 2c states for the epilogue.
[[nodiscard]] Rational epilogue_bound(const Machine& machine, const Rational& sum, const Rational& bound,
                                      const Rational& alpha, const Rational& beta_c, bool has_c, bool beta_is_one);

/// B and what a store to the machine's format, rounded to nearest, adds to it.
[[nodiscard]] Rational store_bound(const Machine& machine, const Rational& sum, const Rational& bound);

/// P' or N': how large a computed partial sum of terms of one sign can become.
[[nodiscard]] Rational reachable_magnitude(const Machine& machine, const Rational& one_sign, const Rational& bound);

}  // namespace negzero::oracle_cross
