// Sums of truncated terms, on integers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <negzero/matrix_unit/step.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::matrix_unit {
namespace {

constexpr int kKeptBits = 25;
constexpr int kFractionBits = 23;  ///< of Held::significand

/// The integer part of magnitude * 2^-shift.
std::int64_t shifted_down(std::int64_t magnitude, int shift) noexcept { return shift > 62 ? 0 : magnitude >> shift; }

/// `value`, which is not zero, truncated to F32.
std::uint32_t truncated(double value) noexcept {
  if (std::fabs(value) >= 0x1p128) return value < 0 ? 0xff800000u : 0x7f800000u;
  const auto nearest = static_cast<float>(value);
  // The encoding before that of a number is the next one towards zero; of Inf, the largest finite number.
  return std::bit_cast<std::uint32_t>(nearest) - (std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? 1 : 0);
}

}  // namespace

Held hold(const number::Format& format, std::uint32_t word) noexcept {
  const int stored = format.fraction_bits + format.unused_bits;
  const std::uint32_t top = (1u << format.exponent_bits) - 1;
  const std::uint32_t exponent = word >> stored & top, fraction = word & ((1u << stored) - 1);
  const bool negative = (word & format.sign_mask()) != 0;
  Held held;
  if (exponent == top) {
    held.special = fraction >> format.unused_bits != 0 ? std::numeric_limits<float>::quiet_NaN()
                                                       : std::numeric_limits<float>::infinity();
  } else {
    const std::uint32_t significand = (fraction | (exponent != 0 ? 1u << stored : 0u)) >> format.unused_bits;
    held.significand = static_cast<std::int32_t>(significand << (kFractionBits - format.fraction_bits));
    held.exponent = static_cast<int>(std::max(exponent, 1u)) - format.bias;
    held.special = significand != 0 ? 1.0f : 0.0f;
  }
  if (negative) {
    held.significand = -held.significand;
    held.special = -held.special;
  }
  return held;
}

std::uint32_t step(std::span<const Held> x, std::span<const Held> y, const Held& c,
                   const number::Format& format) noexcept {
  const bool to_f16 = format.id == number::FormatId::F16;
  int largest = to_f16 ? -21 : -133;
  bool is_special = !std::isfinite(c.special);
  float special = is_special ? c.special : 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i].special) || !std::isfinite(y[i].special)) {
      is_special = true;
      special += x[i].special * y[i].special;
    } else if (x[i].significand != 0 && y[i].significand != 0) {
      largest = std::max(largest, x[i].exponent + y[i].exponent);
    }
  }
  if (is_special) {
    if (std::isnan(special)) return to_f16 ? 0x7fffu : 0x7fffffffu;
    const std::uint32_t infinity = to_f16 ? 0x7c00u : 0x7f800000u;
    return special < 0 ? infinity | static_cast<std::uint32_t>(format.sign_mask()) : infinity;
  }
  if (c.significand != 0) largest = std::max(largest, c.exponent);

  // In units of 2^(largest - kKeptBits).
  std::int64_t sum = shifted_down(std::int64_t{std::abs(c.significand)} << (kKeptBits - kFractionBits),
                                  largest - std::min(c.exponent, largest));
  if (c.significand < 0) sum = -sum;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int64_t product = std::int64_t{x[i].significand} * y[i].significand;
    if (product == 0) continue;
    const int below = largest - (x[i].exponent + y[i].exponent);
    const std::int64_t kept = shifted_down(std::llabs(product), 2 * kFractionBits - kKeptBits + below);
    sum += product < 0 ? -kept : kept;
  }
  if (sum == 0) return 0;
  const double value = std::ldexp(static_cast<double>(sum), largest - kKeptBits);
  const std::uint32_t word = to_f16 ? static_cast<std::uint32_t>(number::from_double(format, value)) : truncated(value);
  return word == format.sign_mask() ? 0 : word;
}

}  // namespace negzero::matrix_unit
