// One step of a tensor core, bit for bit: several products and the accumulator added at once.
//
// Volta to Blackwell differ in two numbers, how many products a step takes and how many bits it keeps. Those here are
// Hopper's, measured on an H200 with 204,800 dot products an instruction (tests/matrix_unit holds part of them); the
// literature agrees on the form: Fasi, Higham, Mikaitis & Pranesh, PeerJ CS 7:e330, 2021; Khattak & Mikaitis,
// arXiv:2512.07004, 2025.

#pragma once

#include <cstdint>
#include <span>

#include <negzero/number/format.hpp>

namespace negzero::matrix_unit {

/// A number as the hardware holds it: a subnormal keeps the least exponent, and is not normalised.
struct Held {
  std::int32_t significand = 0;  ///< value = significand * 2^(exponent - 23), with its sign; 0 for Inf and NaN
  int exponent = 0;
  /// Inf or NaN; else a number of the value's sign, which is 0 where the value is: what its products with Inf need.
  float special = 0;
};

/// Takes an encoding of F16, BF16, TF32 or F32 apart. TF32 drops the low 13 bits of the word: a NaN
/// whose payload lies there is Inf (wmma on an H100, in 2,448 sums; mma.sync is said to keep it).
[[nodiscard]] Held hold(const number::Format& format, std::uint32_t word) noexcept;

/// The value of x[0] y[0] + x[1] y[1] + ... + c, as an encoding of `format`, F16 or F32.
///
/// Products are exact. Each term is truncated toward zero to a multiple of 2^(E - 25), where E is the largest exponent
/// of a term that is not zero, and the sum of those is exact. It is converted once: to F32 by truncation, with overflow
/// to Inf and with subnormals; to F16 by rounding to nearest even. A result of zero is +0. A NaN, Inf * 0 or Inf - Inf
/// gives 0x7fffffff or 0x7fff, else an Inf gives that Inf.
///
/// E is at least -133 for F32 (Hopper) and -21 for F16, where sources say -21 or -22: of 1,228,800 sums of wmma on an
/// H100, 1,860 were others by -22 and none by -21. It matters where c is zero and all products lie below.
///
/// Requires: `x` and `y` have one length, of at most 32.
[[nodiscard]] std::uint32_t step(std::span<const Held> x, std::span<const Held> y, const Held& c,
                                 const number::Format& format) noexcept;

}  // namespace negzero::matrix_unit
