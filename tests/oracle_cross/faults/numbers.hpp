// Sets of exact numbers, and formats as ways to round them: what the enumeration and the faulty evaluations compute in.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <negzero/number/format.hpp>

#include "../formats.hpp"
#include "../softfloat.hpp"

namespace negzero::oracle_faults {

using namespace oracle_cross;  // NOLINT(google-build-using-namespace): its numbers and formats

/// Sorted and without duplicates once tidied. Zeros have no sign here.
using Numbers = std::vector<Number>;

/// The same value with an odd significand; +0 for either zero.
[[nodiscard]] Number reduced(Number x);
[[nodiscard]] bool is_less(const Number& a, const Number& b);
[[nodiscard]] bool same(const Number& a, const Number& b);
/// Whether a reduced number is exact, and few enough bits long to be added exactly to any other of these tests. A
/// jammed sum (softfloat.hpp) is not.
[[nodiscard]] bool is_kept_whole(const Number& x);
/// Reduces, sorts and removes duplicates.
void tidy(Numbers& numbers);

[[nodiscard]] Number value_of(number::FormatId id, std::uint64_t word);
/// x in a format, as a number.
[[nodiscard]] Number rounded(const SmallFormat& format, const Number& x, Mode mode = Mode::NearestEven);
[[nodiscard]] bool is_of(const SmallFormat& format, const Number& x);
[[nodiscard]] bool is_one(const Number& x);

/// A narrower format that x could be stored in by mistake: `choice` picks one of those where it stays normal. Nothing
/// where no format is narrower.
[[nodiscard]] std::optional<SmallFormat> narrower(number::FormatId id, const Number& x, std::size_t choice);

}  // namespace negzero::oracle_faults
