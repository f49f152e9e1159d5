// Whole numbers as flags take them.

#pragma once

#include <cstdint>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::cli {

/// A decimal number, or a hexadecimal one behind 0x, in [low, high]. Anything else (a sign, a fraction, a unit, too
/// large) is a usage error that names the text and the range.
[[nodiscard]] base::Result<std::uint64_t> parse_number(std::string_view text, std::uint64_t low, std::uint64_t high);

}  // namespace negzero::cli
