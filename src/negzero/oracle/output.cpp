// Conversions of ranges and their end as ordinals.

#include <algorithm>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

using contract::OverflowPolicy;
using exact::Dyadic;
using number::Format;

namespace {

/// One value through one conversion, with a definite policy.
struct Converted {
  enum class Kind { Finite, PlusInfinity, MinusInfinity, Nan } kind = Kind::Finite;
  Dyadic value;
};

Converted converted(const Format& to, std::uint64_t word) {
  if (number::is_nan(to, word)) return {Converted::Kind::Nan, {}};
  if (number::is_infinity(to, word)) {
    return {number::is_negative(to, word) ? Converted::Kind::MinusInfinity : Converted::Kind::PlusInfinity, {}};
  }
  return {Converted::Kind::Finite, Dyadic::from_encoding(to, word)};
}

void flag(Range& range, Converted::Kind kind) {
  range.plus_infinity |= kind == Converted::Kind::PlusInfinity;
  range.minus_infinity |= kind == Converted::Kind::MinusInfinity;
  range.nan |= kind == Converted::Kind::Nan;
}

Range convert_by(const Range& range, const Format& to, const number::EncodeOptions& options) {
  Range result;
  result.nan = range.nan;
  const Format& wide = number::format(number::FormatId::F64);
  if (range.plus_infinity || range.minus_infinity) {
    for (const bool negative : {false, true}) {
      if (!(negative ? range.minus_infinity : range.plus_infinity)) continue;
      const Converted infinity = converted(to, number::convert(wide, number::infinity(wide, negative), to, options));
      if (infinity.kind == Converted::Kind::Finite) {
        result.join_interval(infinity.value, infinity.value, infinity.value.lowest_bit());
      } else {
        flag(result, infinity.kind);
      }
    }
  }
  if (!range.finite) return result;
  const Converted low = converted(to, range.low.round_to(to, options));
  const Converted high = converted(to, range.high.round_to(to, options));
  const bool low_finite = low.kind == Converted::Kind::Finite, high_finite = high.kind == Converted::Kind::Finite;
  if (!low_finite) flag(result, low.kind);
  if (!high_finite) flag(result, high.kind);
  const Dyadic largest = Dyadic::from_encoding(to, number::max_finite(to));
  const bool all_above = !low_finite && range.low.sign() > 0, all_below = !high_finite && range.high.sign() < 0;
  if (all_above || all_below) return result;
  const bool held_infinity = result.finite;
  Range finite = Range::interval(low_finite ? low.value : -largest, high_finite ? high.value : largest,
                                 std::max(range.granularity, to.eta_exponent()));
  if (held_infinity) finite.join_interval(result.low, result.high, result.granularity);
  finite.plus_infinity = result.plus_infinity;
  finite.minus_infinity = result.minus_infinity;
  finite.nan = result.nan;
  finite.plus_zero = finite.minus_zero = false;
  if (finite.holds_zero()) {
    const auto vanishes = [&](bool negative) {
      const Dyadic near = negative ? -range.high : range.low, far = negative ? -range.low : range.high;
      if (far.sign() <= 0) return false;
      const Dyadic nearest = near.sign() > 0 ? near : Dyadic::power_of_two(range.granularity);
      if (far < nearest) return false;
      const std::uint64_t word = (negative ? -nearest : nearest).round_to(to, options);
      return number::is_zero(to, word);
    };
    finite.plus_zero = (range.holds_zero() && range.plus_zero) || vanishes(false);
    finite.minus_zero = (range.holds_zero() && range.minus_zero) || vanishes(true);
  }
  return finite;
}

}  // namespace

Range convert(const Range& range, const Format& to, number::Rounding rounding, OverflowPolicy policy) {
  const auto by = [&](number::Overflow overflow) { return convert_by(range, to, {rounding, overflow, false}); };
  switch (policy) {
    case OverflowPolicy::Ieee:
      return by(number::Overflow::Ieee);
    case OverflowPolicy::Saturate:
      return by(number::Overflow::Saturate);
    case OverflowPolicy::Nan:
      return by(number::Overflow::Nan);
    case OverflowPolicy::Either: {
      Range result = by(number::Overflow::Ieee);
      result.join(by(number::Overflow::Saturate));
      result.join(by(number::Overflow::Nan));
      return result;
    }
  }
  return range;
}

Range convert_sum(const Range& range, const Format& from, const Arithmetic& to, number::Rounding rounding,
                  OverflowPolicy policy) {
  using contract::Subnormals;
  const Format& format = to.format();
  const bool takes = to.flushes_inputs() && has_exponents_of_f32(from) && from.id != format.id;
  const Range result = convert(takes ? flushed(range, from, Subnormals::Either) : range, format, rounding, policy);
  const bool gives = to.flushes_results() && has_exponents_of_f32(format);
  return gives ? flushed(result, format, Subnormals::Either) : result;
}

const Format& held_format(const contract::Contract& contract) {
  return number::format(contract.promote ? contract.promote->format : contract.accumulate);
}

Range stored(const Range& range, const Arithmetic& to, bool may_overflow) {
  Range result = convert(range, to.format(), number::Rounding::NearestEven, contract::OverflowPolicy::Ieee);
  // What it gives may be flushed; what it takes as well, where that may be F32.
  const bool may_flush =
      to.results() != contract::Subnormals::Keep || (to.may_flush() && to.format().id != number::FormatId::F32);
  if (may_flush && has_exponents_of_f32(to.format())) {
    result = flushed(result, to.format(), contract::Subnormals::Either);
  }
  if (may_overflow && !to.may_saturate()) return result;
  result.plus_infinity &= range.plus_infinity;
  result.minus_infinity &= range.minus_infinity;
  result.nan &= range.nan;
  return result;
}

Permitted to_permitted(const Range& range, const Format& output, const contract::Contract& contract, bool selection,
                       verdict::Rule rule) {
  const Format& from =
      contract.intermediate.empty() ? held_format(contract) : number::format(contract.intermediate.back().format);
  const Range result = selection ? convert(range, output, contract.output_rounding, contract.overflow)
                                 : convert_sum(range, from, Arithmetic(output.id, contract), contract.output_rounding,
                                               contract.overflow);
  Permitted permitted;
  permitted.format = output.id;
  permitted.rule = rule;
  permitted.plus_infinity = result.plus_infinity;
  permitted.minus_infinity = result.minus_infinity;
  permitted.nan = result.nan;
  permitted.any_finite = result.finite;
  permitted.plus_zero = result.plus_zero;
  permitted.minus_zero = result.minus_zero;
  if (result.finite) {
    permitted.low = number::ordinal(output, result.low.round_to(output));
    permitted.high = number::ordinal(output, result.high.round_to(output));
    if (permitted.low > 0 || permitted.high < 0) permitted.plus_zero = permitted.minus_zero = true;
  }
  const bool any_sign = contract.zero_sign == contract::ZeroSign::Any ||
                        (contract.zero_sign == contract::ZeroSign::Default && !selection);
  if (any_sign) permitted.plus_zero = permitted.minus_zero = true;
  if (permitted.any_finite && (range.nan || range.any_infinity()) == false &&
      (permitted.nan || permitted.plus_infinity || permitted.minus_infinity)) {
    permitted.rule = "output.overflow";
  }
  return permitted;
}

void join(Permitted& into, const Permitted& other) {
  if (other.any_finite) {
    const auto holds_zero = [](const Permitted& set) { return set.any_finite && set.low <= 0 && set.high >= 0; };
    const bool mine = holds_zero(into), theirs = holds_zero(other);
    if (mine || theirs) {
      into.plus_zero = (mine && into.plus_zero) || (theirs && other.plus_zero);
      into.minus_zero = (mine && into.minus_zero) || (theirs && other.minus_zero);
    }
    into.low = into.any_finite ? std::min(into.low, other.low) : other.low;
    into.high = into.any_finite ? std::max(into.high, other.high) : other.high;
    into.any_finite = true;
  }
  into.plus_infinity |= other.plus_infinity;
  into.minus_infinity |= other.minus_infinity;
  into.nan |= other.nan;
}

Permitted united(std::vector<Permitted> sets) {
  std::vector<Permitted> parts;
  Permitted hull = sets.front();
  for (Permitted& set : sets) {
    join(hull, set);
    hull.rule = weaker(hull.rule, set.rule);
    hull.vacuous |= set.vacuous;
    const auto is_same = [&](const Permitted& other) {
      return other.any_finite == set.any_finite && other.low == set.low && other.high == set.high &&
             other.plus_zero == set.plus_zero && other.minus_zero == set.minus_zero &&
             other.plus_infinity == set.plus_infinity && other.minus_infinity == set.minus_infinity &&
             other.nan == set.nan && other.only == set.only;
    };
    if (std::ranges::none_of(parts, is_same)) parts.push_back(std::move(set));
  }
  if (parts.size() < 2) return hull;
  hull.parts = std::move(parts);
  if (!hull.holds(0)) return hull;
  // Parts on both sides of zero make a hull that holds it: its sign is up to those that do themselves.
  hull.plus_zero = hull.minus_zero = false;
  for (const Permitted& part : hull.parts) {
    hull.plus_zero |= part.holds(0) && part.plus_zero;
    hull.minus_zero |= part.holds(0) && part.minus_zero;
  }
  return hull;
}

Permitted only(const Format& format, std::vector<std::uint64_t> words, verdict::Rule rule) {
  Permitted permitted;
  permitted.format = format.id;
  permitted.only = std::move(words);
  permitted.rule = rule;
  return permitted;
}

}  // namespace negzero::oracle
