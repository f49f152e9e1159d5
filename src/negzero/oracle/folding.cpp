// Scales operands one by one.

#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/folding.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Subnormals;
using exact::Dyadic;

namespace {

/// Encodings of one element's results.
struct Choice {
  std::uint64_t near, away, beyond;
};

class Folder {
 public:
  Folder(const Real& alpha, const Arithmetic& arithmetic, Subnormals inputs)
      : alpha_(alpha),
        arithmetic_(arithmetic),
        inputs_(inputs),
        nearest_(arithmetic.promoted(arithmetic.format().id)),
        target_(arithmetic.format()) {}

  [[nodiscard]] Choice operator()(const Real& element) const {
    Real x = element;
    const bool subnormal = x.kind == number::Class::Subnormal;
    if (subnormal && inputs_ == Subnormals::Flush) x = {number::Class::Zero, x.negative, {}};
    const bool dropped = subnormal && inputs_ == Subnormals::Either;
    const bool negative = x.negative != alpha_.negative;
    const std::uint64_t nan = number::canonical_nan(target_), zero = number::zero(target_, negative);
    const std::uint64_t infinity = target_.has_infinity ? number::infinity(target_, negative) : nan;
    if (x.is_nan() || alpha_.is_nan() || (x.is_infinite() && alpha_.is_zero()) ||
        (x.is_zero() && alpha_.is_infinite())) {
      return {nan, nan, nan};
    }
    if (x.is_infinite() || alpha_.is_infinite()) {
      // Inf times what may be flushed.
      return dropped ? Choice{nan, nan, infinity} : Choice{infinity, infinity, infinity};
    }
    if (x.is_zero() || alpha_.is_zero()) return {zero, zero, zero};
    const Dyadic magnitude = (x.value * alpha_.value).abs();
    const Rounded least = arithmetic_.least(magnitude);
    Rounded greatest = arithmetic_.greatest(magnitude);
    if (arithmetic_.rounding() == AccumulateRounding::TowardZero) greatest = nearest_.greatest(magnitude);
    if (least.overflow) return {infinity, infinity, infinity};
    const auto encoded = [&](const Dyadic& value) {
      return value.is_zero() ? zero : (negative ? -value : value).round_to(target_);
    };
    const bool flushed = arithmetic_.inputs() != Subnormals::Keep && !least.value.is_zero() &&
                         least.value.floor_log2() < target_.min_normal_exponent();
    const std::uint64_t near = dropped || flushed ? zero : encoded(least.value), away = encoded(greatest.value);
    return {near, away, greatest.overflow ? infinity : away};
  }

 private:
  const Real& alpha_;
  const Arithmetic& arithmetic_;
  Subnormals inputs_;
  Arithmetic nearest_;
  const number::Format& target_;
};

bool is_negative_product(const Operand& a, std::size_t i, const Operand& b, std::size_t j) {
  return ((a.flags[i] ^ b.flags[j]) & kNegative) != 0;
}

}  // namespace

Folded fold(const tensor::Tensor& tensor, const Real& alpha, const Arithmetic& arithmetic, Subnormals inputs,
            contract::Multiplicand multiplicand) {
  const Folder folder(alpha, arithmetic, inputs);
  std::vector<std::uint64_t> near = tensor.words(), away, beyond;
  away.reserve(near.size());
  beyond.reserve(near.size());
  bool choices = false, overflows = false;
  for (std::uint64_t& word : near) {
    const Choice choice = folder(Real::from_encoding(tensor.format(), word));
    choices |= choice.near != choice.away;
    overflows |= choice.beyond != choice.away;
    word = choice.near;
    away.push_back(choice.away);
    beyond.push_back(choice.beyond);
  }
  const auto apart = [&](std::vector<std::uint64_t> words) {
    return take_apart(arithmetic.format(), std::move(words), multiplicand, {});
  };
  Folded folded{apart(std::move(near))};
  if (choices || overflows) folded.away = apart(std::move(away));
  if (overflows) folded.beyond = apart(std::move(beyond));
  return folded;
}

TermIntervals folded_terms(const Folded& folded, const Operand& other, const Factors& factors, bool into_b) {
  TermIntervals intervals;
  intervals.same = !folded.away;
  Terms beyond;
  const auto push = [&](Terms& terms, const Operand& mine, std::size_t i, std::size_t j) {
    into_b ? terms.push_product(other, i, mine, j) : terms.push_product(mine, i, other, j);
  };
  intervals.low.reserve(factors.count + 1);
  if (!intervals.same) intervals.high.reserve(factors.count + 1);
  for (std::size_t k = 0; k < factors.count; ++k) {
    const std::size_t i = factors.a_begin + k * factors.a_stride, j = factors.b_begin + k * factors.b_stride;
    if (intervals.same) {
      push(intervals.low, folded.near, i, j);
      continue;
    }
    const bool negative =
        into_b ? is_negative_product(other, i, folded.near, j) : is_negative_product(folded.near, i, other, j);
    push(intervals.low, negative ? *folded.away : folded.near, i, j);
    push(intervals.high, negative ? folded.near : *folded.away, i, j);
    if (folded.beyond) push(beyond, *folded.beyond, i, j);
  }
  intervals.plus_infinity = beyond.infinity(false);
  intervals.minus_infinity = beyond.infinity(true);
  intervals.nan = beyond.nan() || beyond.kinds().maybe_nan();
  return intervals;
}

}  // namespace negzero::oracle
