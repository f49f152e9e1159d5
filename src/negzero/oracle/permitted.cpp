// Membership in a permitted set, and a set in words.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/number/text.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

bool Permitted::contains(std::uint64_t word) const noexcept {
  const number::Format& observed = number::format(format);
  if (std::find(only.begin(), only.end(), word) != only.end()) return true;
  if (number::is_nan(observed, word)) return nan;
  if (!only.empty()) return false;
  if (number::is_infinity(observed, word)) {
    return number::is_negative(observed, word) ? minus_infinity : plus_infinity;
  }
  if (!any_finite) return false;
  const std::int64_t position = number::ordinal(observed, word);
  if (position < low || position > high) return false;
  if (position != 0 || observed.is_integer()) return true;
  return number::is_negative(observed, word) ? minus_zero : plus_zero;
}

namespace {

void append(std::string& text, const std::string& item) {
  if (!text.empty()) text += " or ";
  text += item;
}

}  // namespace

std::string Permitted::to_string() const {
  const number::Format& shown = number::format(format);
  std::string text;
  if (!only.empty()) {
    constexpr std::size_t kMost = 8;
    for (std::size_t i = 0; i < std::min(only.size(), kMost); ++i) append(text, number::with_bits(shown, only[i]));
    if (only.size() > kMost) append(text, "one of " + std::to_string(only.size() - kMost) + " more");
    if (nan) append(text, "nan");
    return text;
  }
  if (any_finite) {
    const bool zero_low = low == 0 && !shown.is_integer(), zero_high = high == 0 && !shown.is_integer();
    const std::uint64_t minus = number::zero(shown, !shown.is_integer());
    if (zero_low && zero_high) {
      if (plus_zero) append(text, number::with_bits(shown, number::zero(shown)));
      if (minus_zero) append(text, number::with_bits(shown, minus));
    } else if (low == high) {
      append(text, number::with_bits(shown, number::from_ordinal(shown, low)));
    } else {
      const std::uint64_t bottom = zero_low && minus_zero ? minus : number::from_ordinal(shown, low);
      const std::uint64_t top = zero_high && !plus_zero ? minus : number::from_ordinal(shown, high);
      append(text, fmt::format("[{}, {}]", number::with_bits(shown, bottom), number::with_bits(shown, top)));
      if (low <= 0 && high >= 0 && !shown.is_integer()) {
        if (!minus_zero) text += " without -0";
        if (!plus_zero) text += " without +0";
      }
    }
  }
  if (plus_infinity) append(text, "+inf");
  if (minus_infinity) append(text, "-inf");
  if (nan) append(text, "nan");
  return text.empty() ? "nothing" : text;
}

}  // namespace negzero::oracle
