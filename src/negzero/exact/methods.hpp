// The named ways to sum products exactly, each in its own source: for sum.cpp alone.

#pragma once

#include <negzero/exact/sum.hpp>

namespace negzero::exact {

/// One 128-bit accumulator a sign at the common scale 2^window.lowest.
[[nodiscard]] const Method& fixed128() noexcept;
/// 64-bit bins a few exponents wide, carried into one integer at the end of a sum.
[[nodiscard]] const Method& bins() noexcept;
/// Integers of any length: the reference, which refuses nothing.
[[nodiscard]] const Method& multiprecision() noexcept;

}  // namespace negzero::exact
