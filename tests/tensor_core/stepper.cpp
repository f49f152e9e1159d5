// The arithmetic of one step.

#include "stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace negzero::tensor_core {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The integer part of significand * 2^shift.
std::int64_t shifted(std::int64_t significand, int shift) {
  if (shift >= 0) return significand << shift;
  return shift <= -63 ? 0 : significand >> -shift;
}

/// One conversion of sum * 2^last to the accumulator.
double converted(const Machine& machine, std::int64_t sum, int last) {
  const Shape& range = machine.nearest ? kF16 : kF32;
  const std::int64_t size = std::llabs(sum);
  if (size == 0) return 0;
  int top = 63;
  while ((size >> top) == 0) --top;
  const int leading = std::max(top + last, range.least_exponent);
  const int drop = leading - (machine.result_bits - 1) - last;
  std::int64_t kept = shifted(size, -drop);
  if (machine.nearest && drop > 0) {
    const std::int64_t rest = drop > 62 ? size : size - (kept << drop);
    const std::int64_t half = drop > 62 ? std::numeric_limits<std::int64_t>::max() : std::int64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  }
  double result = std::ldexp(static_cast<double>(kept), drop + last);
  const double beyond = std::ldexp(1.0, range.greatest_exponent + 1);
  if (result >= beyond) result = kInfinity;
  if (result == 0) return 0;
  return sum < 0 ? -result : result;
}

}  // namespace

Held Held::of(double value, const Shape& shape) {
  Held held{std::signbit(value), 0, shape.least_exponent, shape.fraction_bits};
  if (value == 0) return held;
  int exponent = 0;
  (void)std::frexp(value, &exponent);
  held.exponent = std::max(exponent - 1, shape.least_exponent);
  held.significand = static_cast<std::int64_t>(std::ldexp(std::fabs(value), shape.fraction_bits - held.exponent));
  return held;
}

double Held::value() const {
  const double size = std::ldexp(static_cast<double>(significand), exponent - fraction_bits);
  return negative ? -size : size;
}

double step(const Machine& machine, std::span<const double> a, const Shape& a_shape, std::span<const double> b,
            const Shape& b_shape, double c) {
  struct Term {
    bool negative;
    std::int64_t significand;
    int exponent, fraction_bits;
  };
  double special = std::isfinite(c) ? 0 : c;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) {
      special += a[i] * b[i];
      continue;
    }
    const Held x = Held::of(a[i], a_shape), y = Held::of(b[i], b_shape);
    terms.push_back({x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent,
                     x.fraction_bits + y.fraction_bits});
  }
  if (special != 0 || std::isnan(special)) return special;
  const Held held = Held::of(c, machine.nearest ? kF16 : kF32);
  terms.push_back({held.negative, held.significand, held.exponent, held.fraction_bits});
  int greatest = machine.floor;
  for (const Term& term : terms) {
    if (term.significand != 0) greatest = std::max(greatest, term.exponent);
  }
  const int last = greatest - machine.kept_bits;
  std::int64_t sum = 0;
  for (const Term& term : terms) {
    if (term.significand == 0) continue;
    const std::int64_t kept = shifted(term.significand, term.exponent - term.fraction_bits - last);
    sum += term.negative ? -kept : kept;
  }
  return converted(machine, sum, last);
}

double slice(const Machine& machine, std::span<const double> a, const Shape& a_shape, std::span<const double> b,
             const Shape& b_shape, double c) {
  double accumulator = c;
  for (std::size_t begin = 0; begin < a.size(); begin += machine.length) {
    const std::size_t count = std::min(machine.length, a.size() - begin);
    accumulator = step(machine, a.subspan(begin, count), a_shape, b.subspan(begin, count), b_shape, accumulator);
  }
  return accumulator;
}

}  // namespace negzero::tensor_core
