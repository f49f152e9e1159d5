// Conversions of sets and their end as ordinals.

#include <algorithm>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/number/holds.hpp>
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

void flag(Set& set, Converted::Kind kind) {
  set.plus_infinity |= kind == Converted::Kind::PlusInfinity;
  set.minus_infinity |= kind == Converted::Kind::MinusInfinity;
  set.nan |= kind == Converted::Kind::Nan;
}

Set convert_by(const Set& set, const Format& to, const number::EncodeOptions& options) {
  Set result;
  result.nan = set.nan;
  const Format& wide = number::format(number::FormatId::F64);
  if (set.plus_infinity || set.minus_infinity) {
    for (const bool negative : {false, true}) {
      if (!(negative ? set.minus_infinity : set.plus_infinity)) continue;
      const Converted infinity = converted(to, number::convert(wide, number::infinity(wide, negative), to, options));
      if (infinity.kind == Converted::Kind::Finite) {
        result.join_interval(infinity.value, infinity.value, infinity.value.lowest_bit());
      } else {
        flag(result, infinity.kind);
      }
    }
  }
  if (!set.finite) return result;
  const Converted low = converted(to, set.low.round_to(to, options));
  const Converted high = converted(to, set.high.round_to(to, options));
  const bool low_finite = low.kind == Converted::Kind::Finite, high_finite = high.kind == Converted::Kind::Finite;
  if (!low_finite) flag(result, low.kind);
  if (!high_finite) flag(result, high.kind);
  const Dyadic largest = Dyadic::from_encoding(to, number::max_finite(to));
  const bool all_above = !low_finite && set.low.sign() > 0, all_below = !high_finite && set.high.sign() < 0;
  if (all_above || all_below) return result;
  const bool held_infinity = result.finite;
  Set finite = Set::interval(low_finite ? low.value : -largest, high_finite ? high.value : largest,
                             std::max(set.grid, to.eta_exponent()));
  if (held_infinity) finite.join_interval(result.low, result.high, result.grid);
  finite.plus_infinity = result.plus_infinity;
  finite.minus_infinity = result.minus_infinity;
  finite.nan = result.nan;
  finite.plus_zero = finite.minus_zero = false;
  if (finite.holds_zero()) {
    const auto vanishes = [&](bool negative) {
      const Dyadic near = negative ? -set.high : set.low, far = negative ? -set.low : set.high;
      if (far.sign() <= 0) return false;
      const Dyadic nearest = near.sign() > 0 ? near : Dyadic::power_of_two(set.grid);
      if (far < nearest) return false;
      const std::uint64_t word = (negative ? -nearest : nearest).round_to(to, options);
      return number::is_zero(to, word);
    };
    finite.plus_zero = (set.holds_zero() && set.plus_zero) || vanishes(false);
    finite.minus_zero = (set.holds_zero() && set.minus_zero) || vanishes(true);
  }
  return finite;
}

}  // namespace

Set convert(const Set& set, const Format& to, number::Rounding rounding, OverflowPolicy policy) {
  const auto by = [&](number::Overflow overflow) {
    return set.each_piece([&](const Set& piece) { return convert_by(piece, to, {rounding, overflow, false}); });
  };
  switch (policy) {
    case OverflowPolicy::Default:
    case OverflowPolicy::Ieee:
      return by(number::Overflow::Ieee);
    case OverflowPolicy::Saturate:
      return by(number::Overflow::Saturate);
    case OverflowPolicy::Nan:
      return by(number::Overflow::Nan);
    case OverflowPolicy::Either: {
      Set result = by(number::Overflow::Ieee);
      result.unite(by(number::Overflow::Saturate));
      result.unite(by(number::Overflow::Nan));
      return result;
    }
  }
  return set;
}

Set convert_sum(const Set& set, const Format& from, const Arithmetic& to, number::Rounding rounding,
                OverflowPolicy policy) {
  using contract::Subnormals;
  const Format& format = to.format();
  const bool takes = to.flushes_inputs() && has_exponents_of_f32(from) && from.id != format.id;
  const Set result = convert(takes ? flushed(set, from, Subnormals::Either) : set, format, rounding, policy);
  const bool gives = to.flushes_results() && has_exponents_of_f32(format);
  return gives ? flushed(result, format, Subnormals::Either) : result;
}

Set stored(const Set& set, const Arithmetic& to, bool may_overflow) {
  Set result = convert(set, to.format(), number::Rounding::NearestEven, contract::OverflowPolicy::Ieee);
  // What it gives may be flushed; what it takes as well, where that may be F32.
  const bool may_flush =
      to.results() != contract::Subnormals::Keep || (to.may_flush() && to.format().id != number::FormatId::F32);
  if (may_flush && has_exponents_of_f32(to.format())) {
    result = flushed(result, to.format(), contract::Subnormals::Either);
  }
  if (may_overflow && !to.may_saturate()) return result;
  result.plus_infinity &= set.plus_infinity;
  result.minus_infinity &= set.minus_infinity;
  result.nan &= set.nan;
  return result;
}

Permitted to_permitted(const Set& before, const Set& result, const Format& output, bool tells_zeros,
                       verdict::Rule rule) {
  Permitted permitted(output.id, result);
  if (!tells_zeros) permitted.plus_zero = permitted.minus_zero = true;
  const bool overflows = result.finite && !before.nan && !before.any_infinity();
  permitted.rule = overflows && (result.nan || result.any_infinity()) ? verdict::Rule("output.overflow") : rule;
  return permitted;
}

namespace {

/// The narrower format of which the numbers of both sets are: the one of both that holds the other's.
std::optional<number::FormatId> common_format(const Permitted& a, const Permitted& b) {
  if (!a.finite || !b.finite) return a.finite ? a.held_in : b.held_in;
  if (!a.held_in || !b.held_in) return std::nullopt;
  if (number::holds(number::format(*a.held_in), number::format(*b.held_in))) return a.held_in;
  return number::holds(number::format(*b.held_in), number::format(*a.held_in)) ? b.held_in : std::nullopt;
}

}  // namespace

void unite(Permitted& into, const Permitted& other) {
  into.held_in = common_format(into, other);
  into.unite(static_cast<const Set&>(other));
}

Permitted united(const std::vector<Permitted>& sets, std::size_t most) {
  Permitted all(sets.front().format, Set::united({sets.begin(), sets.end()}, most));
  all.rule = sets.front().rule;
  Permitted numbers(all.format);
  for (const Permitted& set : sets) {
    numbers.held_in = common_format(numbers, set);
    numbers.finite |= set.finite;
    all.rule = weaker(all.rule, set.rule);
    all.vacuous |= set.vacuous;
  }
  all.held_in = numbers.held_in;
  return all;
}

Permitted only(const Format& format, std::vector<std::uint64_t> words, verdict::Rule rule) {
  Permitted permitted(format.id);
  permitted.only = std::move(words);
  permitted.rule = rule;
  return permitted;
}

}  // namespace negzero::oracle
