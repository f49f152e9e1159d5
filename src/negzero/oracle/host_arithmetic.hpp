// Accumulators in the host's own arithmetic: values are held as doubles or floats, and every operation rounds once.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include <negzero/number/format.hpp>

namespace negzero::oracle {

/// Whether this thread's hardware rounds to nearest and keeps subnormals. Other settings (a flush-to-zero mode that
/// some library left behind) only cost speed: what this header computes is then not used.
[[nodiscard]] bool host_rounds_to_nearest() noexcept;

/// F32 in F32 hardware (IEEE 754-2019 5.4.1: each operation is correctly rounded).
struct HostF32 {
  using Value = float;
  static constexpr number::FormatId kFormat = number::FormatId::F32;
  [[gnu::always_inline]] static float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  [[gnu::always_inline]] static float multiply(float a, float b) { return a * b; }
  [[gnu::always_inline]] static float add(float a, float b) { return a + b; }
  [[gnu::always_inline]] static float divide(float a, float b) { return a / b; }
};

/// F64 in F64 hardware.
struct HostF64 {
  using Value = double;
  static constexpr number::FormatId kFormat = number::FormatId::F64;
  [[gnu::always_inline]] static double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
  [[gnu::always_inline]] static double multiply(double a, double b) { return a * b; }
  [[gnu::always_inline]] static double add(double a, double b) { return a + b; }
  [[gnu::always_inline]] static double divide(double a, double b) { return a / b; }
};

/// F16 or BF16 in F64 hardware. Requires factors whose products are exact in F64, as those of F32 and narrower are.
template <number::FormatId kId>
struct HostNarrow {
  using Value = double;
  static constexpr number::FormatId kFormat = kId;
  static constexpr int kPrecision = number::format(kId).precision();
  static constexpr int kMinNormal = number::format(kId).min_normal_exponent();
  static constexpr int kMaxExponent = number::format(kId).max_exponent();

  /// Rounds the exact value high + low, |low| at most half an ulp of high, to the format.
  ///
  /// First to odd in F64: a sum that is not a double gets an odd last bit, so that no second rounding can mistake it
  /// for a tie (Boldo & Melquiond, IEEE Trans. Computers 57, 2008; 53 >= p + 2). Then a number with a large ulp is
  /// added and taken away, which rounds to nearest even on the format's grid, subnormals included.
  [[gnu::always_inline]] static double round(double high, double low) {
    const auto bits = std::bit_cast<std::uint64_t>(high);
    const bool inexact = low != 0 && std::fabs(high) <= 0x1.fffffffffffffp1023;
    const std::uint64_t towards = (low > 0) == (high > 0) ? 1 : ~std::uint64_t{0};
    const std::uint64_t odd = inexact && (bits & 1) == 0 ? bits + towards : bits;
    const auto value = std::bit_cast<double>(odd);
    constexpr std::uint64_t kField = std::uint64_t{0x7ff} << 52;
    constexpr double kLeast = std::bit_cast<double>(static_cast<std::uint64_t>(kMinNormal + 1023) << 52);
    constexpr std::uint64_t kUp = static_cast<std::uint64_t>(52 - (kPrecision - 1)) << 52;
    const double size = std::fabs(value) > kLeast ? std::fabs(value) : kLeast;
    const std::uint64_t scale = (std::bit_cast<std::uint64_t>(size) & kField) + kUp;
    // 1.5 * 2^(e + 52): adding it keeps the binade, so its ulp is the format's.
    const auto shifter = std::bit_cast<double>(scale | (std::uint64_t{1} << 51));
    const double rounded = (value + shifter) - shifter;
    constexpr double kBeyond = std::bit_cast<double>(static_cast<std::uint64_t>(kMaxExponent + 1 + 1023) << 52);
    const double magnitude = std::fabs(rounded);
    const double ended = magnitude >= kBeyond ? __builtin_inf() : magnitude;
    // Infinities and NaN have no exponent to scale by. The sign survives a result of zero.
    return std::fabs(value) <= 0x1.fffffffffffffp1023 ? __builtin_copysign(ended, value) : value;
  }
  [[gnu::always_inline]] static double add(double a, double b) {
    const double sum = a + b;  // Knuth's TwoSum: sum + low is a + b exactly.
    const double part = sum - a;
    return round(sum, (a - (sum - part)) + (b - part));
  }
  [[gnu::always_inline]] static double multiply(double a, double b) { return round(a * b, 0); }
  /// Of numbers of the format: a quotient of two such is no tie but exactly, and F64 has more than 2 p + 2 bits
  /// (Figueroa, ACM SIGNUM 30(3), 1995).
  [[gnu::always_inline]] static double divide(double a, double b) { return round(a / b, 0); }
  [[gnu::always_inline]] static double multiply_add(double a, double b, double c) { return add(a * b, c); }
};

}  // namespace negzero::oracle
