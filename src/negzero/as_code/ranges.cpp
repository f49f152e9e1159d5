// Permitted sets as ranges of encodings.

#include <algorithm>

#include <negzero/as_code/ranges.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::as_code {

namespace {

using number::Format;

/// The inverse of order_of().
std::uint64_t word_at(const Format& format, std::uint64_t order) noexcept {
  const std::uint64_t sign = format.sign_mask(), mask = format.word_mask();
  return !format.is_integer() && (order & sign) == 0 ? ~order & mask : (order ^ sign) & mask;
}

void add_nan(const Format& format, std::vector<Range>& ranges) {
  if (format.nan_codes == number::NanCodes::None) return;
  const std::uint64_t sign = format.sign_mask(), all = format.word_mask() >> 1;
  const std::uint64_t first = format.nan_codes == number::NanCodes::AllOnes ? all : number::infinity(format) + 1;
  ranges.push_back({first, all});
  ranges.push_back({sign | all, sign | first});
}

/// Each number that is held in the narrower format by itself, where they are few; else all that lies between.
std::vector<oracle::Interval> numbers_of(const oracle::Permitted& set) {
  constexpr double kMost = 256;
  if (set.count() > kMost) return set.intervals();
  const Format &format = number::format(set.format), &narrow = number::format(*set.held_in);
  std::vector<oracle::Interval> numbers;
  for (const oracle::Piece& piece : set.pieces()) {
    const std::int64_t high = number::ordinal(narrow, piece.high.round_to(narrow));
    for (std::int64_t i = number::ordinal(narrow, piece.low.round_to(narrow)); i <= high; ++i) {
      const auto value = exact::Dyadic::from_encoding(narrow, number::from_ordinal(narrow, i));
      const std::int64_t at = number::ordinal(format, value.round_to(format));
      numbers.push_back({at, at});
    }
  }
  return numbers;
}

void add(const oracle::Permitted& set, std::vector<Range>& ranges) {
  const Format& format = number::format(set.format);
  if (set.nan) add_nan(format, ranges);
  for (const std::uint64_t word : set.only) ranges.push_back({word, word});
  if (!set.only.empty()) return;
  if (set.plus_infinity) ranges.push_back({number::infinity(format), number::infinity(format)});
  if (set.minus_infinity) ranges.push_back({number::infinity(format, true), number::infinity(format, true)});
  const auto between = [&](std::int64_t low, std::int64_t high) {
    if (low <= high) ranges.push_back({number::from_ordinal(format, low), number::from_ordinal(format, high)});
  };
  for (const auto& [low, high] : set.held_in ? numbers_of(set) : set.intervals()) {
    if (format.is_integer()) {
      between(low, high);
      continue;
    }
    between(low, std::min<std::int64_t>(high, -1));
    between(std::max<std::int64_t>(low, 1), high);
    if (low > 0 || high < 0) continue;
    if (set.minus_zero) ranges.push_back({number::zero(format, true), number::zero(format, true)});
    if (set.plus_zero) ranges.push_back({number::zero(format), number::zero(format)});
  }
}

}  // namespace

std::uint64_t order_of(const Format& format, std::uint64_t word) noexcept {
  const std::uint64_t sign = format.sign_mask();
  return !format.is_integer() && (word & sign) != 0 ? ~word & format.word_mask() : word ^ sign;
}

std::vector<Range> ranges_of(const oracle::Permitted& set) {
  const Format& format = number::format(set.format);
  std::vector<Range> ranges, joined;
  add(set, ranges);
  std::ranges::sort(ranges, {}, [&](const Range& range) { return order_of(format, range.low); });
  for (const Range& range : ranges) {
    const std::uint64_t low = order_of(format, range.low), high = order_of(format, range.high);
    const std::uint64_t end = joined.empty() ? 0 : order_of(format, joined.back().high);
    if (joined.empty() || (low > end && low - end > 1)) {
      joined.push_back(range);
    } else if (high > end) {
      joined.back().high = range.high;
    }
  }
  return joined;
}

std::vector<Range> all_of(const Format& format) { return {{word_at(format, 0), word_at(format, format.word_mask())}}; }

bool hold_all(const Format& format, const std::vector<Range>& ranges) noexcept {
  return ranges.size() == 1 && order_of(format, ranges[0].low) == 0 &&
         order_of(format, ranges[0].high) == format.word_mask();
}

void take_out(const Format& format, std::uint64_t word, std::vector<Range>& ranges) {
  const std::uint64_t at = order_of(format, word);
  std::vector<Range> left;
  for (const Range& range : ranges) {
    const std::uint64_t low = order_of(format, range.low), high = order_of(format, range.high);
    if (at < low || at > high) {
      left.push_back(range);
      continue;
    }
    if (low < at) left.push_back({range.low, word_at(format, at - 1)});
    if (at < high) left.push_back({word_at(format, at + 1), range.high});
  }
  ranges = std::move(left);
}

}  // namespace negzero::as_code
