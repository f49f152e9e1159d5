// Permitted sets as ranges of encodings, which code compares without knowing formats.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/number/format.hpp>
#include <negzero/oracle/permitted.hpp>

namespace negzero::as_code {

/// Encodings from low to high in the order of values: -0 lies just below +0, NaNs lie beyond the infinities of their
/// sign.
struct Range {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// The place of an encoding in that order: that of integers is the order of their values.
[[nodiscard]] std::uint64_t order_of(const number::Format& format, std::uint64_t word) noexcept;

/// Returns the ranges of a set, ascending, none of which touches another. They hold exactly the encodings that the set
/// contains.
[[nodiscard]] std::vector<Range> ranges_of(const oracle::Permitted& set);

/// Every encoding of the format, as one range.
[[nodiscard]] std::vector<Range> all_of(const number::Format& format);
/// Whether the ranges hold every encoding of the format.
[[nodiscard]] bool hold_all(const number::Format& format, const std::vector<Range>& ranges) noexcept;

/// Takes an encoding out of ranges.
void take_out(const number::Format& format, std::uint64_t word, std::vector<Range>& ranges);

}  // namespace negzero::as_code
