// The named ways to sum products exactly, each in its own source: for sum.cpp and for tests of single levels.

#pragma once

#include <negzero/exact/level.hpp>
#include <negzero/exact/sum.hpp>

namespace negzero::exact {

/// 64- or 128-bit fixed point at the common scale 2^window.lowest. Requires an available level.
[[nodiscard]] const Method& fixed128(Level level) noexcept;
/// 64-bit bins a few exponents wide, flushed into limbs that cover the window. Requires an available level.
[[nodiscard]] const Method& bins(Level level) noexcept;
/// Integers of any length: the reference, which refuses nothing.
[[nodiscard]] const Method& multiprecision() noexcept;

}  // namespace negzero::exact
