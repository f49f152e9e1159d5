// Membership in a permitted set, and a set in words.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <negzero/number/text.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::oracle {

bool Permitted::contains(std::uint64_t word) const noexcept {
  if (!parts.empty()) return std::ranges::any_of(parts, [&](const Permitted& part) { return part.contains(word); });
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

bool Permitted::holds(std::int64_t ordinal) const noexcept {
  if (!parts.empty()) return std::ranges::any_of(parts, [&](const Permitted& part) { return part.holds(ordinal); });
  return any_finite && ordinal >= low && ordinal <= high;
}

bool Permitted::has_gaps() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (const Permitted& part : parts) {
    if (part.any_finite) ranges.emplace_back(part.low, part.high);
  }
  std::ranges::sort(ranges);
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first > ranges[i - 1].second && ranges[i].first - 1 > ranges[i - 1].second) return true;
    ranges[i].second = std::max(ranges[i].second, ranges[i - 1].second);
  }
  return false;
}

namespace {

/// What the set's text names, each once.
void list(const Permitted& set, std::vector<std::string>& items) {
  const auto append = [&](std::string item) {
    if (std::ranges::find(items, item) == items.end()) items.push_back(std::move(item));
  };
  for (const Permitted& part : set.parts) list(part, items);
  if (!set.parts.empty()) return;
  const number::Format& shown = number::format(set.format);
  if (!set.only.empty()) {
    constexpr std::size_t kMost = 8;
    const std::vector<std::uint64_t>& only = set.only;
    for (std::size_t i = 0; i < std::min(only.size(), kMost); ++i) append(number::with_bits(shown, only[i]));
    if (only.size() > kMost) append("one of " + std::to_string(only.size() - kMost) + " more");
    if (set.nan) append("nan");
    return;
  }
  if (set.any_finite) {
    const std::int64_t low = set.low, high = set.high;
    const bool zero_low = low == 0 && !shown.is_integer(), zero_high = high == 0 && !shown.is_integer();
    const std::uint64_t minus = number::zero(shown, !shown.is_integer());
    if (zero_low && zero_high) {
      if (set.plus_zero) append(number::with_bits(shown, number::zero(shown)));
      if (set.minus_zero) append(number::with_bits(shown, minus));
    } else if (low == high) {
      append(number::with_bits(shown, number::from_ordinal(shown, low)));
    } else {
      const std::uint64_t bottom = zero_low && set.minus_zero ? minus : number::from_ordinal(shown, low);
      const std::uint64_t top = zero_high && !set.plus_zero ? minus : number::from_ordinal(shown, high);
      std::string range = fmt::format("[{}, {}]", number::with_bits(shown, bottom), number::with_bits(shown, top));
      if (low <= 0 && high >= 0 && !shown.is_integer()) {
        if (!set.minus_zero) range += " without -0";
        if (!set.plus_zero) range += " without +0";
      }
      append(std::move(range));
    }
  }
  if (set.plus_infinity) append("+inf");
  if (set.minus_infinity) append("-inf");
  if (set.nan) append("nan");
}

}  // namespace

std::string Permitted::to_string() const {
  std::vector<std::string> items;
  list(*this, items);
  return items.empty() ? "nothing" : fmt::format("{}", fmt::join(items, " or "));
}

}  // namespace negzero::oracle
