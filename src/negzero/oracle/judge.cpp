// Classes of failures and margins.

#include <algorithm>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/judge.hpp>

namespace negzero::oracle {

using exact::Dyadic;
using operation::Direction;
using operation::FailureClass;

Mismatch classify(const Permitted& permitted, std::uint64_t observed) {
  const number::Format& format = number::format(permitted.format);
  const auto special = [&](std::uint64_t word) {
    return number::is_nan(format, word) || number::is_infinity(format, word);
  };
  Mismatch mismatch{FailureClass::WrongValue, Direction::None, permitted.rule};
  std::int64_t low = permitted.low, high = permitted.high;
  bool numbers = permitted.any_finite;
  bool zero = numbers && low <= 0 && high >= 0;
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

double margin(const Answer& answer, std::uint64_t observed) {
  const Permitted& permitted = answer.permitted;
  const number::Format& format = number::format(permitted.format);
  if (!answer.exact || !permitted.any_finite || !permitted.only.empty() || permitted.low == permitted.high) return 0;
  if (number::is_nan(format, observed) || number::is_infinity(format, observed)) return 0;
  const Dyadic seen = Dyadic::from_encoding(format, observed);
  const bool above = *answer.exact < seen;
  const Dyadic end =
      Dyadic::from_encoding(format, number::from_ordinal(format, above ? permitted.high : permitted.low));
  const Dyadic distance = (seen - *answer.exact).abs(), reach = (end - *answer.exact).abs();
  if (distance.is_zero() || reach.is_zero()) return 0;
  return std::min(1.0, distance.approximate() / reach.approximate());
}

std::string_view claim_of(std::string_view rule) noexcept {
  for (const Rule& row : rules()) {
    if (row.id == rule) return row.claim;
  }
  return {};
}

}  // namespace negzero::oracle
