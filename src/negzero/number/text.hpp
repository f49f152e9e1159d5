// An encoding for people.

#pragma once

#include <cstdint>
#include <string>

#include <negzero/number/encoding.hpp>

namespace negzero::number {

/// "-0 (0x80000000)": to_decimal() and to_hex().
[[nodiscard]] std::string with_bits(const Format& format, std::uint64_t word);

}  // namespace negzero::number
