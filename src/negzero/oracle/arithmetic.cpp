// Roundings of exact values, with overflow and flushing, as pairs of ends.

#include <algorithm>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/number/holds.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/flushing.hpp>

namespace negzero::oracle {

using contract::AccumulateRounding;
using contract::Subnormals;
using exact::Dyadic;
using number::Rounding;

namespace {

/// The largest number of a format.
const Dyadic& largest(const number::Format& format) {
  static const std::vector<Dyadic> of_each = [] {
    std::vector<Dyadic> numbers;
    for (const number::Format& each : number::all_formats()) {
      numbers.push_back(Dyadic::from_encoding(each, number::max_finite(each)));
    }
    return numbers;
  }();
  return of_each[static_cast<std::size_t>(format.id)];
}

}  // namespace

Arithmetic::Arithmetic(number::FormatId format, const Declared& contract)
    : format_(&number::format(format)),
      rounding_(contract.sums.rounding),
      inputs_(contract.subnormals.inputs),
      results_(contract.subnormals.results),
      flushes_loads_(results_ != Subnormals::Keep && contract.sums.start != contract::Start::FirstTerm),
      truncation_overflows_(contract.roundings.overflow == contract::OverflowPolicy::Either),
      max_finite_(&largest(*format_)) {}

Arithmetic Arithmetic::in(number::FormatId format) const {
  Arithmetic other = *this;
  other.format_ = &number::format(format);
  other.max_finite_ = &largest(*other.format_);
  return other;
}

Arithmetic Arithmetic::promoted(number::FormatId format) const {
  Arithmetic other = in(format);
  other.rounding_ = AccumulateRounding::Nearest;
  return other;
}

Subnormals Arithmetic::inputs() const { return acts_in(format_->id, inputs_); }
Subnormals Arithmetic::results() const { return acts_in(format_->id, results_); }

bool Arithmetic::may_flush() const noexcept { return inputs_ != Subnormals::Keep || results_ != Subnormals::Keep; }

bool Arithmetic::may_saturate() const noexcept { return rounding_ != AccumulateRounding::Nearest; }

bool Arithmetic::may_overflow() const noexcept {
  return rounding_ != AccumulateRounding::TowardZero || truncation_overflows_;
}

bool Arithmetic::is_tiny(const Dyadic& x, const number::EncodeOptions& options) const {
  const int top = x.floor_log2(), min_normal = format_->min_normal_exponent();
  if (top != min_normal - 1) return top < min_normal;
  // Rounded as if the exponent had no lower end, it may still reach the smallest normal number.
  const int shift = 2 * precision();
  const Dyadic scaled = Dyadic::from_encoding(*format_, x.scaled(shift).round_to(*format_, options));
  return scaled.floor_log2() < min_normal + shift;
}

Rounded Arithmetic::rounded(const Dyadic& x, bool upward) const {
  number::EncodeOptions options;
  switch (rounding_) {
    case AccumulateRounding::Nearest:
      options.rounding = Rounding::NearestEven;
      break;
    case AccumulateRounding::TowardZero:
      options.rounding = Rounding::TowardZero;
      // 7.4 of IEEE 754: truncation saturates. Where Inf is permitted too, the end away from zero shows it.
      if (truncation_overflows_ && !x.is_zero() && upward == (x.sign() > 0) &&
          x.floor_log2() > format_->max_exponent()) {
        options.overflow = number::Overflow::Infinity;
      }
      break;
    case AccumulateRounding::Faithful:
      options.rounding = upward ? Rounding::Up : Rounding::Down;
      break;
  }
  const std::uint64_t word = x.round_to(*format_, options);
  if (number::is_infinity(*format_, word) || number::is_nan(*format_, word)) {
    return {x.sign() < 0 ? -max_finite() : max_finite(), true};
  }
  Dyadic value = Dyadic::from_encoding(*format_, word);
  if (results_ != Subnormals::Keep && !value.is_zero() && is_tiny(x, options)) {
    // Flushing moves towards zero: up for a negative number, down for a positive one.
    if (results() == Subnormals::Flush || upward == (value.sign() < 0)) value = Dyadic();
  }
  return {value, false};
}

Rounded Arithmetic::least(const Dyadic& x) const { return rounded(x, false); }
Rounded Arithmetic::greatest(const Dyadic& x) const { return rounded(x, true); }

bool Arithmetic::can_overflow(const Dyadic& x) const {
  // Below 2^emax, which is a number of the format, no rounding comes to more than that.
  if (x.is_zero() || x.floor_log2() < format_->max_exponent()) return false;
  const Dyadic magnitude = x.abs();
  return greatest(magnitude).overflow;
}

bool Arithmetic::holds(const Dyadic& x) const { return is_number_of(*format_, x); }

bool is_number_of(const number::Format& format, const Dyadic& x) {
  if (x.is_zero()) return true;
  const int lowest = x.lowest_bit();
  return lowest >= format.eta_exponent() && x.floor_log2() - lowest < format.precision() && x.abs() <= largest(format);
}

Set Arithmetic::round(const Dyadic& low, const Dyadic& high, bool exact_plus, bool exact_minus, int grid) const {
  if (results() == Subnormals::Either) return round_or_flush(low, high, exact_plus, exact_minus, grid);
  Set set;
  const Rounded bottom = least(low), top = greatest(high);
  const auto overflows = [&](bool negative) {
    if (!format_->has_infinity) {
      set.nan = true;
    } else {
      (negative ? set.minus_infinity : set.plus_infinity) = true;
    }
  };
  if (top.overflow && high.sign() > 0) overflows(false);
  if (bottom.overflow && low.sign() < 0) overflows(true);
  const bool all_above = bottom.overflow && low.sign() > 0;
  const bool all_below = top.overflow && high.sign() < 0;
  if (all_above || all_below) return set;
  set.finite = true;
  set.low = bottom.value;
  set.high = top.value;
  set.grid = std::max(grid, eta_exponent());
  if (!set.holds_zero()) return set;
  const bool exact_zero = low.sign() <= 0 && high.sign() >= 0;
  set.plus_zero = (exact_zero && exact_plus) || vanishes(low, high, grid, false);
  set.minus_zero = (exact_zero && exact_minus) || vanishes(low, high, grid, true);
  return set;
}

bool Arithmetic::vanishes(const Dyadic& low, const Dyadic& high, int grid, bool negative) const {
  // The result nearest to zero on this side, if there is one, decides: roundings are monotone.
  const Dyadic near = negative ? -high : low, far = negative ? -low : high;
  if (far.sign() <= 0) return false;
  const Dyadic nearest = near.sign() > 0 ? near : Dyadic::power_of_two(grid);
  if (far < nearest) return false;
  return negative ? greatest(-nearest).value.is_zero() : least(nearest).value.is_zero();
}

Set Arithmetic::round_or_flush(const Dyadic& low, const Dyadic& high, bool exact_plus, bool exact_minus,
                               int grid) const {
  Arithmetic kept = *this;
  kept.results_ = Subnormals::Keep;
  Set set = kept.round(low, high, exact_plus, exact_minus, grid);
  const bool plus = vanishes(low, high, grid, false), minus = vanishes(low, high, grid, true);
  if (plus || minus) set.unite(Set::value({}, plus, minus));
  return set;
}

Set Arithmetic::load(const Dyadic& x, bool negative) const {
  if (holds(x)) return Set::value(x, !negative, negative);
  Arithmetic conversion = *this;
  if (results_ == Subnormals::Flush) conversion.results_ = Subnormals::Either;
  Set set = conversion.round(x, x, true, false, x.lowest_bit());
  if (rounding_ == AccumulateRounding::Nearest) return set;
  // A conversion rounds to nearest, whatever additions do; it does not make them overflow.
  conversion.rounding_ = AccumulateRounding::Nearest;
  const Set nearest = conversion.round(x, x, true, false, x.lowest_bit());
  if (nearest.finite) set.unite(nearest);
  return set;
}

Set Arithmetic::operand(const Set& set) const { return flushed(set, *format_, inputs()); }

Set Arithmetic::moved_to(const number::Format& wider, const Set& set) const {
  if (wider.id != number::FormatId::F64) return set;
  const Subnormals source = conversion_flushing(*format_, wider, inputs_, results_).source;
  return flushed(set, *format_, contract::opened(source));
}

std::vector<number::FormatId> wider_formats(number::FormatId declared) {
  using number::FormatId;
  std::vector<FormatId> formats;
  const number::Format& narrow = number::format(declared);
  if (narrow.is_integer()) return formats;
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64}) {
    const number::Format& format = number::format(id);
    if (number::holds(format, narrow) && format.precision() > narrow.precision()) formats.push_back(id);
  }
  return formats;
}

std::vector<Arithmetic> behind_sum(const Arithmetic& sum) {
  if (sum.rounding() == AccumulateRounding::Nearest) return {sum};
  return {sum, sum.promoted(sum.format().id)};
}

Dyadic ulp(const number::Format& format, const Dyadic& x) {
  if (x.is_zero()) return Dyadic::power_of_two(format.eta_exponent());
  return Dyadic::power_of_two(std::max(x.floor_log2() - format.precision() + 1, format.eta_exponent()));
}

}  // namespace negzero::oracle
