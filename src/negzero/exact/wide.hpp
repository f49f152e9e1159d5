// Integers of two words.

#pragma once

#include <bit>
#include <cstdint>

namespace negzero::exact {

using Wide = unsigned __int128;

inline constexpr int kLimbBits = 64;

[[nodiscard]] inline int bit_width(Wide value) noexcept {
  const auto high = static_cast<std::uint64_t>(value >> kLimbBits);
  return high != 0 ? kLimbBits + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(value));
}

/// Requires a value that is not zero.
[[nodiscard]] inline int trailing_zeros(Wide value) noexcept {
  const auto low = static_cast<std::uint64_t>(value);
  return low != 0 ? std::countr_zero(low)
                  : kLimbBits + std::countr_zero(static_cast<std::uint64_t>(value >> kLimbBits));
}

}  // namespace negzero::exact
