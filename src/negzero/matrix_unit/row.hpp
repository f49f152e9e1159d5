// Part of a row of D = A * B + C, as the instructions of wmma compute it on a Hopper GPU.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/number/format.hpp>

namespace negzero::matrix_unit {

/// Elements that follow each other: 16-bit words of F16 and BF16, 32-bit words of TF32 and F32.
struct Words {
  number::FormatId format;
  const void* first;
};

/// d[j] = sum over k of row[k] * columns[j * depth + k] + c[j], for j below `count`.
///
/// F16 and BF16 take 16 products a step, TF32 takes 4 (what wmma becomes on sm_90, from its machine code), and the
/// accumulator between steps has the format of d. `c` and `d` are F32 or F16, each of its own; they may be one array.
///
/// Requires: `depth` is a multiple of the step and at most 16; `columns` have the format of `row`.
void multiply_row(Words row, Words columns, std::size_t depth, std::size_t count, Words c, number::FormatId d_format,
                  void* d) noexcept;

/// The same on integers: exact, then modulo 2^32, or clamped to the range of d where it `saturates`.
void multiply_row(const std::int8_t* row, const std::int8_t* columns, std::size_t depth, std::size_t count,
                  const std::int32_t* c, std::int32_t* d, bool saturates) noexcept;
void multiply_row(const std::uint8_t* row, const std::uint8_t* columns, std::size_t depth, std::size_t count,
                  const std::int32_t* c, std::int32_t* d, bool saturates) noexcept;

/// The same on doubles: fused multiply-adds in the order of k, from c on.
void multiply_row(const double* row, const double* columns, std::size_t depth, std::size_t count, const double* c,
                  double* d) noexcept;

}  // namespace negzero::matrix_unit
