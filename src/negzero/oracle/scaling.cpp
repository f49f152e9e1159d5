// Folding alpha, and the bound of scaled partial sums.

#include <algorithm>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/scaling.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using exact::Dyadic;

Operand fold(const tensor::Tensor& tensor, const Real& alpha, number::FormatId format,
             const contract::Contract& contract, bool away) {
  const number::Format& target = number::format(format);
  std::vector<std::uint64_t> words = tensor.words();
  for (std::uint64_t& word : words) {
    Real x = Real::from_encoding(tensor.format(), word);
    if (contract.subnormal_inputs == contract::Subnormals::Flush && x.kind == number::Class::Subnormal) {
      x = {number::Class::Zero, x.negative, {}};
    }
    const bool negative = x.negative != alpha.negative;
    if (x.is_nan() || alpha.is_nan() || (x.is_infinite() && alpha.is_zero()) || (x.is_zero() && alpha.is_infinite())) {
      word = number::canonical_nan(target);
    } else if (x.is_infinite() || alpha.is_infinite()) {
      word = target.has_infinity ? number::infinity(target, negative) : number::canonical_nan(target);
    } else if (x.is_zero() || alpha.is_zero()) {
      word = number::zero(target, negative);
    } else {
      number::EncodeOptions options;
      if (away) options.rounding = negative ? number::Rounding::Down : number::Rounding::Up;
      word = (x.value * alpha.value).round_to(target, options);
    }
  }
  return take_apart(target, std::move(words), contract.multiplicand, contract::Subnormals::Keep);
}

bool scales_exactly(const Arithmetic& arithmetic, const Facts& facts, const Dyadic& alpha) {
  const int shift = alpha.floor_log2();
  if (alpha.lowest_bit() != shift) return false;
  if (facts.nonzero == 0) return true;
  const int lowest = std::max(facts.lowest_bit, arithmetic.eta_exponent());
  const int floor = arithmetic.may_flush() ? arithmetic.format().min_normal_exponent() : arithmetic.eta_exponent();
  // Computed partial sums stay below twice S while the bound of rule c stays below S; where it does not, nothing is
  // near the top of the exponents either, unless this says so.
  const Dyadic largest = facts.magnitude().scaled(1);
  return lowest + std::min(shift, 0) >= floor && !arithmetic.can_overflow(largest) &&
         !arithmetic.can_overflow(largest.scaled(shift));
}

Range scaled_anywhere(const Arithmetic& arithmetic, const Arithmetic& held, const SumResult& sum, const Leaves& leaves,
                      const Dyadic& alpha, const Dyadic* c, contract::Multiplicand multiplicand) {
  const Facts& facts = sum.facts;
  const auto m = static_cast<std::int64_t>(facts.nonzero);
  const std::int64_t extra = c != nullptr ? 1 : 0;
  const std::int64_t steps = (leaves.all().inexact != 0 ? m : m - 1) + 1 + extra;
  const int p = arithmetic.precision();
  const Dyadic magnitude = alpha.abs() * facts.magnitude() + (c != nullptr ? c->abs() : Dyadic());
  Dyadic factor;
  switch (arithmetic.rounding()) {
    case AccumulateRounding::Nearest:
    case AccumulateRounding::TowardZero: {
      const int u = arithmetic.rounding() == AccumulateRounding::Nearest ? -p : 1 - p;
      const Dyadic growth = Dyadic(1) + Dyadic(m + 2, u);
      factor = Dyadic(steps, u) * growth * growth;
      break;
    }
    case AccumulateRounding::Faithful:
      factor = faithful_growth(p, static_cast<std::uint64_t>(steps));
      break;
  }
  // Each product, scaling and addition may underflow by eta, or be flushed by the smallest normal number.
  const int tiny = arithmetic.may_flush() ? arithmetic.format().min_normal_exponent() : arithmetic.eta_exponent();
  const Dyadic lost = (Dyadic(1) + alpha.abs()) * Dyadic(3 * m + 3, tiny);
  Dyadic bound = factor * magnitude + lost;
  if (const auto rounded = multiplicand_rounding(multiplicand)) {
    bound += magnitude.scaled(2 - number::format(rounded->format).precision());
  }
  if (arithmetic.may_saturate()) {
    const Dyadic before = facts.magnitude() - arithmetic.max_finite(), after = magnitude - arithmetic.max_finite();
    if (before.sign() > 0) bound += alpha.abs() * before;
    if (after.sign() > 0) bound += after;
  }
  Dyadic low = facts.sum_low * alpha, high = facts.sum_high * alpha;
  if (alpha.sign() < 0) std::swap(low, high);
  if (c != nullptr) {
    low += *c;
    high += *c;
  }
  Range range = inward(held, low - bound, high + bound, held.eta_exponent());
  range.plus_zero = range.minus_zero = true;
  if (arithmetic.may_overflow()) {
    const bool over = arithmetic.can_overflow(magnitude + bound) || arithmetic.can_overflow(facts.magnitude() + bound);
    if (over && (arithmetic.format().has_infinity || held.format().has_infinity)) range.plus_infinity = range.minus_infinity = true;
    range.nan |= over;
  }
  return range;
}

}  // namespace negzero::oracle
