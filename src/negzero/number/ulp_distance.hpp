// Distance between two encodings of one floating-point format, counted in representable steps.

#pragma once

#include <cstdint>

#include <negzero/number/encoding.hpp>

namespace negzero::number {

/// How two encodings differ. `steps` has a meaning only when `kind` is `Finite`.
struct UlpDistance {
  enum class Kind : std::uint8_t {
    Finite,      ///< both are numbers; an infinity counts as one step past the largest finite
    BothNan,     ///< payloads and signs of NaNs are never compared
    OnlyOneNan,  ///< always a failure, whatever the contract
  };
  Kind kind = Kind::Finite;
  std::uint64_t steps = 0;
  friend bool operator==(const UlpDistance&, const UlpDistance&) = default;
};

/// Returns the distance between `a` and `b`, two encodings of `format`.
///
/// Zeros of either sign are at distance 0. Steps are counted on bits: the result does not depend on the host's
/// rounding mode or on flush-to-zero.
[[nodiscard]] UlpDistance ulp_distance(const Format& format, std::uint64_t a, std::uint64_t b) noexcept;

/// Whether two results are the same: equal bits, or NaN both, whose payloads are never compared.
[[nodiscard]] constexpr bool same_result(const Format& format, std::uint64_t a, std::uint64_t b) noexcept {
  return a == b || (is_nan(format, a) && is_nan(format, b));
}

}  // namespace negzero::number
