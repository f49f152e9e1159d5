// Membership in a permitted set, and a set in words.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <negzero/number/text.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

using exact::Dyadic;
using number::Format;

namespace {

Dyadic at(const Format& format, std::int64_t ordinal) {
  return Dyadic::from_encoding(format, number::from_ordinal(format, ordinal));
}

Interval between(const Format& format, const Dyadic& low, const Dyadic& high) {
  return {number::ordinal(format, low.round_to(format)), number::ordinal(format, high.round_to(format))};
}

}  // namespace

Permitted::Permitted(number::FormatId format_, Interval numbers) : format(format_) {
  const Format& own = number::format(format_);
  static_cast<Set&>(*this) = interval(at(own, numbers.low), at(own, numbers.high), own.eta_exponent());
  minus_zero = true;
}

bool Permitted::contains(std::uint64_t word) const noexcept {
  const Format& observed = number::format(format);
  if (std::find(only.begin(), only.end(), word) != only.end()) return true;
  if (number::is_nan(observed, word)) return nan;
  if (!only.empty()) return false;
  const bool is_negative = number::is_negative(observed, word);
  if (number::is_infinity(observed, word)) return is_negative ? minus_infinity : plus_infinity;
  const Dyadic value = Dyadic::from_encoding(observed, word);
  if (!holds(value) || !is_held(value)) return false;
  if (!number::is_zero(observed, word) || observed.is_integer()) return true;
  return is_negative ? minus_zero : plus_zero;
}

bool Permitted::has(std::int64_t ordinal) const noexcept {
  const Dyadic value = at(number::format(format), ordinal);
  return holds(value) && is_held(value);
}

bool Permitted::is_held(const Dyadic& value) const noexcept {
  return !held_in || is_number_of(number::format(*held_in), value);
}

double Permitted::count() const {
  double count = static_cast<double>(only.size()) + nan;
  if (!only.empty()) return count;
  count += plus_infinity + minus_infinity;
  const Format& counted = number::format(held_in.value_or(format));
  for (const Piece& piece : pieces()) {
    const Interval numbers = between(counted, piece.low, piece.high);
    count += static_cast<double>(numbers.high) - static_cast<double>(numbers.low) + 1;
  }
  return count + (holds_zero() && plus_zero && minus_zero ? 1 : 0);
}

Interval Permitted::hull() const noexcept { return between(number::format(format), low, high); }

std::vector<Interval> Permitted::intervals() const {
  std::vector<Interval> intervals;
  for (const Piece& piece : pieces()) {
    const Interval next = between(number::format(format), piece.low, piece.high);
    if (!intervals.empty() && next.low - 1 <= intervals.back().high) {
      intervals.back().high = next.high;
    } else {
      intervals.push_back(next);
    }
  }
  return intervals;
}

std::string Permitted::to_string() const {
  const Format& shown = number::format(format);
  std::vector<std::string> items;
  constexpr std::size_t kMost = 8;
  for (std::size_t i = 0; i < std::min(only.size(), kMost); ++i) items.push_back(number::with_bits(shown, only[i]));
  if (only.size() > kMost) items.push_back(fmt::format("one of {} more", only.size() - kMost));
  const bool is_signed = !shown.is_integer();
  const std::uint64_t minus = number::zero(shown, is_signed);
  for (const Interval& each : only.empty() ? intervals() : std::vector<Interval>()) {
    const bool zero_low = each.low == 0 && is_signed, zero_high = each.high == 0 && is_signed;
    if (zero_low && zero_high) {
      if (plus_zero) items.push_back(number::with_bits(shown, number::zero(shown)));
      if (minus_zero) items.push_back(number::with_bits(shown, minus));
    } else if (each.low == each.high) {
      items.push_back(number::with_bits(shown, number::from_ordinal(shown, each.low)));
    } else {
      const std::uint64_t bottom = zero_low && minus_zero ? minus : number::from_ordinal(shown, each.low);
      const std::uint64_t top = zero_high && !plus_zero ? minus : number::from_ordinal(shown, each.high);
      std::string text = fmt::format("[{}, {}]", number::with_bits(shown, bottom), number::with_bits(shown, top));
      if (each.low <= 0 && each.high >= 0 && is_signed) {
        if (!minus_zero) text += " without -0";
        if (!plus_zero) text += " without +0";
      }
      if (held_in) text += fmt::format(" of {}", number::format(*held_in).name);
      items.push_back(std::move(text));
    }
  }
  if (only.empty() && plus_infinity) items.emplace_back("+inf");
  if (only.empty() && minus_infinity) items.emplace_back("-inf");
  if (nan) items.emplace_back("nan");
  return items.empty() ? "nothing" : fmt::format("{}", fmt::join(items, " or "));
}

}  // namespace negzero::oracle
