// Rule 2c's formulas, term by term.

#include "bound.hpp"

#include <algorithm>
#include <cassert>

namespace negzero::oracle_cross {

namespace {

using boost::multiprecision::cpp_int;

/// floor(log2(x)) for x > 0.
int floor_log2(const Rational& x) {
  const cpp_int& above = numerator(x);
  const cpp_int& below = denominator(x);
  int guess = static_cast<int>(msb(above)) - static_cast<int>(msb(below));
  if (x < power_of_two(guess)) --guess;
  return guess;
}

Rational unit_roundoff(const SmallFormat& format) { return power_of_two(-format.precision); }
Rational eta(const SmallFormat& format) { return power_of_two(format.eta_exponent()); }

/// Error of one rounding relative to its operand or result: u to nearest, 2u truncated or faithful.
Rational relative_step(const Machine& machine) {
  const Rational u = unit_roundoff(machine.format());
  return machine.rounder.mode == Mode::NearestEven ? u : 2 * u;
}

/// Largest loss of an operation that underflows: half an eta to nearest, a whole one otherwise.
Rational underflow_step(const Machine& machine) {
  const Rational e = eta(machine.format());
  return machine.rounder.mode == Mode::NearestEven ? e / 2 : e;
}

/// How often one smallest normal number can be lost: every leaf and every addition's result is a value that vanishes at
/// most once, whether as a result, as an operand of the next addition, or by being added to a zero.
int flush_events(const Machine& machine, int nonzero) {
  const bool flushes = machine.rounder.flush != Flush::Keep || machine.inputs != Flush::Keep;
  return flushes ? 2 * nonzero - 1 : 0;
}

struct Products {
  bool any = false;      ///< at least one nonzero term is a product that the format does not hold
  int underflowing = 0;  ///< nu
  int below_eta = 0;     ///< products that are no multiples of eta
  Rational half_ulps = 0;
};

bool representable(const SmallFormat& format, const Number& value) {
  const Rounder toward_zero{format, Mode::TowardZero};
  const Code code = toward_zero.round(value);
  return is_finite(format, code) && to_rational(format.decode(code)) == to_rational(value);
}

Products inspect(const Machine& machine, std::span<const Term> terms) {
  Products result;
  for (const Term& term : terms) {
    const Number& value = term.exact.front();
    if (!term.product || value.is_zero() || representable(machine.format(), value)) continue;
    result.any = true;
    const Rational magnitude = abs(to_rational(value));
    if (magnitude < power_of_two(machine.format().min_exponent)) ++result.underflowing;
    if (denominator(Rational(magnitude / eta(machine.format()))) != 1) ++result.below_eta;
    result.half_ulps += ulp(machine.format(), magnitude) / 2;
  }
  return result;
}

Rational power(const Rational& base, int exponent) {
  Rational result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

}  // namespace

Rational power_of_two(int exponent) {
  const cpp_int one = 1;
  return exponent >= 0 ? Rational(one << exponent) : Rational(one, one << -exponent);
}

Rational to_rational(const Number& number) {
  assert(number.kind == Number::Kind::Finite);
  cpp_int significand = static_cast<std::uint64_t>(number.significand >> 64);
  significand <<= 64;
  significand += static_cast<std::uint64_t>(number.significand);
  const Rational magnitude = Rational(significand) * power_of_two(number.exponent);
  return number.negative ? Rational(-magnitude) : magnitude;
}

Number to_number(const Rational& value) {
  Number result;
  if (value == 0) return result;
  const Rational magnitude = abs(value);
  result.negative = value < 0;
  result.exponent = floor_log2(magnitude) - 119;
  const Rational scaled = magnitude * power_of_two(-result.exponent);
  cpp_int whole = numerator(scaled) / denominator(scaled);
  if (scaled != whole) whole |= 1;
  result.significand = static_cast<std::uint64_t>(whole >> 64);
  result.significand <<= 64;
  result.significand |= static_cast<std::uint64_t>(whole & cpp_int(~std::uint64_t{0}));
  return result;
}

Rational ulp(const SmallFormat& format, const Rational& x) {
  if (x == 0) return eta(format);
  return power_of_two(std::max(floor_log2(abs(x)), format.min_exponent) - format.precision + 1);
}

Rational max_finite(const SmallFormat& format) { return to_rational(format.decode(format.max_magnitude)); }

Rational overflow_threshold(const SmallFormat& format, Mode mode) {
  const Rational largest = max_finite(format);
  const Rational step = ulp(format, largest);
  // Faithful rounding may give Inf just above the largest number.
  return mode == Mode::NearestEven ? Rational(largest + step / 2) : largest;
}

SumFacts facts(std::span<const Term> terms) {
  SumFacts result;
  for (const Term& term : terms) {
    const Rational value = to_rational(term.exact.front());
    if (value == 0) continue;
    ++result.nonzero;
    (value > 0 ? result.positive : result.negative) += abs(value);
  }
  result.sum = result.positive - result.negative;
  result.magnitude = result.positive + result.negative;
  return result;
}

bool exact_in_every_order(const Machine& machine, std::span<const Term> terms) {
  const SumFacts known = facts(terms);
  if (known.nonzero == 0) return true;
  int lowest = 1 << 20;
  for (const Term& term : terms) {
    Number value = term.exact.front();
    if (value.is_zero()) continue;
    while ((value.significand & 1) == 0) {
      value.significand >>= 1;
      ++value.exponent;
    }
    lowest = std::min(lowest, value.exponent);
  }
  const bool flushes = machine.rounder.flush != Flush::Keep || machine.inputs != Flush::Keep;
  const int floor = flushes ? machine.format().min_exponent : machine.format().eta_exponent();
  return lowest >= floor && known.magnitude <= power_of_two(lowest + machine.format().precision) &&
         std::max(known.positive, known.negative) <= max_finite(machine.format());
}

/// The most additions that one of these terms meets; C joins the tree of the others.
int additions(const Machine& machine, std::span<const Term> terms) {
  int nonzero = 0;
  bool has_c = false;
  for (const Term& term : terms) {
    if (term.exact.front().is_zero()) continue;
    ++nonzero;
    has_c |= term.is_c;
  }
  return std::min(nonzero - 1, machine.additions + (has_c ? 1 : 0));
}

Rational mixed_bound(std::span<const Machine> machines, std::span<const Term> terms) {
  const SumFacts known = facts(terms);
  const int m = known.nonzero;
  if (m == 0) return 0;
  const int most = additions(machines.front(), terms), k = most + (inspect(machines.front(), terms).any ? 1 : 0);
  Rational grown = 1, tiny = 0, lost = 0;
  bool nearest = true;
  for (const Machine& machine : machines) {
    const bool is_nearest = machine.rounder.mode == Mode::NearestEven;
    nearest = nearest && is_nearest;
    grown *= power(1 + unit_roundoff(machine.format()) * (is_nearest ? 1 : 2), k);
    tiny += inspect(machine, terms).underflowing * eta(machine.format());
    lost += flush_events(machine, m) * power_of_two(machine.format().min_exponent);
  }
  const auto relative = [&](const Rational& sum) -> Rational { return (grown - 1) * sum + grown * tiny; };
  Rational bound = relative(known.magnitude);
  if (most < m - 1) lost *= grown;
  if (!nearest) return bound + lost;
  const Rational larger = std::max(known.positive, known.negative);
  Rational stepwise = 0;
  for (const Machine& machine : machines) {
    const Rational half = ulp(machine.format(), larger + relative(larger)) / 2;
    stepwise += inspect(machine, terms).half_ulps + (m - 1) * half;
  }
  return std::min(bound, stepwise) + lost;
}

Rational sum_bound(const Machine& machine, std::span<const Term> terms, bool compensated) {
  const SmallFormat& format = machine.format();
  const SumFacts known = facts(terms);
  const int m = known.nonzero;
  if (m == 0) return 0;
  const Products products = inspect(machine, terms);
  const Rational u = unit_roundoff(format);
  const Rational& total = known.magnitude;
  const int roundings = products.any ? m : m - 1;
  const Rational lost = flush_events(machine, m) * power_of_two(format.min_exponent);

  if (machine.rounder.mode == Mode::TowardZero) {
    const Rational relative = 2 * u * roundings * total + products.underflowing * eta(format);
    const Rational stepwise = (m - 1) * ulp(format, total) + 2 * products.half_ulps;
    return std::min(relative, stepwise) + lost;
  }
  if (machine.rounder.mode == Mode::Faithful) {
    return (power(1 + 2 * u, roundings) - 1) * total + products.underflowing * eta(format) + lost;
  }
  const Rational relative = roundings * u * total + products.underflowing * eta(format) / 2;
  if (compensated) {
    // Kahan's last compensation, subtracted at the end or by a zero term, is wrong where its step's sum was the smaller
    // operand (p = 4: {15/8, 11/4} gives 5, 1.3 u S away).
    // Flushing: two smallest normal numbers for each of a step's four operations, and one for a product.
    const Rational flushed =
        lost == 0 ? Rational(0) : 10 * static_cast<int>(terms.size()) * power_of_two(format.min_exponent);
    // Dot2 rounds the error of a product that is no multiple of eta: a term that is off by eta / 2.
    const Rational off = products.below_eta * eta(format) / 2;
    const int k = roundings + (m > 1 ? 1 : 0);
    return k * u * (total + off) + off + flushed;
  }
  const Rational underflow = products.underflowing * eta(format) / 2;
  const Rational grown = std::max(known.positive, known.negative) * (1 + roundings * u) + underflow;
  const Rational half = ulp(format, grown) / 2;
  // A slice of one product rounds it, so a fused machine reaches what a separate one does.
  const Rational bound = std::min<Rational>(relative, products.half_ulps + (m - 1) * half) + lost;
  const int most = additions(machine, terms);
  if (most == m - 1) return bound;
  const Rational growth = power(1 + u, most + (products.any ? 1 : 0));
  return std::min<Rational>(bound, (growth - 1) * total + growth * (underflow + lost));
}

Rational outer_bound(const Machine& machine, std::span<const Rational> magnitudes) {
  Rational total = 0;
  for (const Rational& magnitude : magnitudes) total += magnitude;
  const int k = std::max<int>(static_cast<int>(magnitudes.size()) - 1, 0);
  const Rational u = unit_roundoff(machine.format());
  const Rational half = ulp(machine.format(), total * (1 + k * u)) / 2;
  const Rational lost = flush_events(machine, k + 1) * power_of_two(machine.format().min_exponent);
  return std::min<Rational>(k * u * total, k * half) + lost;
}

Rational epilogue_bound(const Machine& machine, const Rational& sum, const Rational& bound, const Rational& alpha,
                        const Rational& beta_c, bool has_c, bool beta_is_one) {
  const Rational step = relative_step(machine);
  const Rational tiny = underflow_step(machine);
  Rational result = abs(alpha) * bound;
  if (alpha != 1) result += step * abs(alpha) * (abs(sum) + bound) + tiny;
  if (!has_c) return result;
  if (!beta_is_one) result += step * abs(beta_c) + tiny;
  return result + step * (abs(alpha * sum + beta_c) + result);
}

Rational store_bound(const Machine& machine, const Rational& sum, const Rational& bound) {
  return bound + unit_roundoff(machine.format()) * (abs(sum) + bound) + eta(machine.format()) / 2;
}

Rational reachable_magnitude(const Machine& machine, const Rational& one_sign, const Rational& bound) {
  return machine.rounder.mode == Mode::TowardZero ? one_sign : Rational(one_sign + bound);
}

}  // namespace negzero::oracle_cross
