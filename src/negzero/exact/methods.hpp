// The named ways to sum products exactly, each in its own source: for sum.cpp and for tests of single levels.

#pragma once

#include <negzero/exact/level.hpp>
#include <negzero/exact/sum.hpp>

namespace negzero::exact {

/// 64- or 128-bit fixed point at the common scale 2^window.lowest. Requires an available level.
[[nodiscard]] const Method& fixed128(Level level) noexcept;
/// A few doubles of preset ulps. Requires an available level.
[[nodiscard]] const Method& ladder(Level level) noexcept;
/// 64-bit bins a few exponents wide, flushed into limbs that cover the window. Requires an available level.
[[nodiscard]] const Method& bins(Level level) noexcept;
/// Integers of any length: the reference, which refuses nothing.
[[nodiscard]] const Method& multiprecision() noexcept;

/// g of the products, by the trailing zeros of every significand: for methods that meet an even one. Requires a product
/// that is not zero.
[[nodiscard]] int lowest_bit_of(const Factors& a, const Factors& b) noexcept;

}  // namespace negzero::exact
