// Numbers as their bits.

#pragma once

#include <bit>
#include <cstdint>

namespace negzero_tests {

inline std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
inline float from_bits(std::uint32_t x) { return std::bit_cast<float>(x); }

}  // namespace negzero_tests
