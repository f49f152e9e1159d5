// Classes of failures and margins.

#include <algorithm>
#include <limits>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>
#include <negzero/oracle/judge.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {

using exact::Dyadic;
using verdict::Direction;
using verdict::FailureClass;

Mismatch classify(const Permitted& permitted, std::uint64_t observed) {
  const number::Format& format = number::format(permitted.format);
  const auto special = [&](std::uint64_t word) {
    return number::is_nan(format, word) || number::is_infinity(format, word);
  };
  Mismatch mismatch{FailureClass::WrongValue, Direction::None, permitted.rule};
  bool numbers = permitted.finite;
  auto [low, high] = numbers ? permitted.hull() : Interval{};
  bool zero = permitted.holds_zero();
  if (!permitted.only.empty()) {
    numbers = zero = false;
    for (const std::uint64_t word : permitted.only) {
      if (number::is_nan(format, word)) continue;
      const std::int64_t position = number::ordinal(format, word);
      low = numbers ? std::min(low, position) : position;
      high = numbers ? std::max(high, position) : position;
      zero |= number::is_zero(format, word);
      // An infinity alone is no number to miss by a distance.
      numbers = true;
      if (number::is_infinity(format, word)) mismatch.kind = FailureClass::WrongSpecialValue;
    }
  }
  if (special(observed) || !numbers) {
    mismatch.kind = FailureClass::WrongSpecialValue;
    if (number::is_nan(format, observed)) return mismatch;
    const bool negative = number::is_infinity(format, observed) && number::is_negative(format, observed);
    const bool positive = number::is_infinity(format, observed) && !negative;
    if (!permitted.only.empty() || !(positive || negative)) {
      if (permitted.plus_infinity && !permitted.minus_infinity) mismatch.direction = Direction::TooLow;
      if (permitted.minus_infinity && !permitted.plus_infinity) mismatch.direction = Direction::TooHigh;
    } else {
      mismatch.direction = negative ? Direction::TooLow : Direction::TooHigh;
    }
    return mismatch;
  }
  const std::int64_t position = number::ordinal(format, observed);
  if (position == 0 && zero && !format.is_integer()) {
    mismatch.kind = FailureClass::WrongZeroSign;
    if (permitted.rule != "scatter.untouched") mismatch.rule = "zero.sign";
    return mismatch;
  }
  if (position < low) mismatch.direction = Direction::TooLow;
  if (position > high) mismatch.direction = Direction::TooHigh;
  return mismatch;
}

bool worse(FailureClass a, FailureClass b) noexcept {
  const auto rank = [](FailureClass kind) {
    switch (kind) {
      case FailureClass::WrongSpecialValue:
        return 2;
      case FailureClass::WrongValue:
        return 1;
      default:
        return 0;
    }
  };
  return rank(a) > rank(b);
}

bool worse(const Miss& a, const Miss& b, bool farthest) noexcept {
  if (worse(a.kind, b.kind)) return true;
  if (worse(b.kind, a.kind)) return false;
  // An unknown distance is -1 here: none is less.
  const auto distance = [](const Miss& miss) { return miss.steps ? static_cast<double>(*miss.steps) : -1.0; };
  if (farthest && distance(a) != distance(b)) return distance(a) > distance(b);
  return a.place < b.place;
}

std::optional<std::uint64_t> steps_from(const Permitted& permitted, std::uint64_t observed) {
  const number::Format& format = number::format(permitted.format);
  const auto is_number = [&](std::uint64_t word) { return number::classify(format, word) < number::Class::Infinity; };
  if (!is_number(observed)) return std::nullopt;
  const std::int64_t position = number::ordinal(format, observed);
  // Ordinals of F64 reach 2^63: their differences fit unsigned.
  const auto between = [](std::int64_t low, std::int64_t high) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  };
  std::optional<std::uint64_t> nearest;
  const auto offer = [&](std::int64_t low, std::int64_t high) {
    const std::uint64_t steps = position < low ? between(position, low) : position > high ? between(high, position) : 0;
    nearest = std::min(nearest.value_or(steps), steps);
  };
  for (const std::uint64_t word : permitted.only) {
    if (is_number(word)) offer(number::ordinal(format, word), number::ordinal(format, word));
  }
  if (!permitted.only.empty()) return nearest;
  for (const Interval& numbers : permitted.intervals()) {
    const std::int64_t inside = std::clamp(position, numbers.low, numbers.high);
    if (!permitted.held_in || inside != position) {
      offer(numbers.low, numbers.high);
      continue;
    }
    // Between two numbers of the narrower format.
    const number::Format& narrow = number::format(*permitted.held_in);
    for (const number::Rounding rounding : {number::Rounding::Down, number::Rounding::Up}) {
      const std::uint64_t near = Dyadic::from_encoding(format, observed).round_to(narrow, {.rounding = rounding});
      const std::int64_t each = number::ordinal(format, Dyadic::from_encoding(narrow, near).round_to(format));
      offer(each, each);
    }
  }
  return nearest;
}

verdict::Failure failure_of(const Miss& miss, const operation::TensorSpec& output) {
  verdict::Failure failure;
  failure.kind = miss.kind;
  failure.direction = miss.direction;
  failure.rule = miss.rule;
  operation::locate(failure, output, miss.place.element);
  failure.observed = miss.observed;
  failure.observed_text = number::with_bits(number::format(output.format), miss.observed);
  failure.permitted_text = miss.permitted.to_string();
  failure.message = std::string(failure.rule.claim()) + " Observed " + failure.observed_text + ", permitted " +
                    failure.permitted_text + ".";
  return failure;
}

double margin(const Answer& answer, std::uint64_t observed) {
  if (!answer.members.empty()) {
    double least = 1;
    for (const Answer& member : answer.members) {
      if (member.permitted.contains(observed)) least = std::min(least, margin(member, observed));
    }
    return least;
  }
  const Permitted& permitted = answer.permitted;
  const number::Format& format = number::format(permitted.format);
  if (!answer.exact || !permitted.finite || !permitted.only.empty() || permitted.low == permitted.high) return 0;
  if (number::is_nan(format, observed) || number::is_infinity(format, observed)) return 0;
  const Dyadic seen = Dyadic::from_encoding(format, observed);
  const bool above = *answer.exact < seen;
  const Dyadic& end = above ? permitted.high : permitted.low;
  const Dyadic distance = (seen - *answer.exact).abs(), reach = (end - *answer.exact).abs();
  if (distance.is_zero() || reach.is_zero()) return 0;
  return std::min(1.0, distance.approximate() / reach.approximate());
}

}  // namespace negzero::oracle
