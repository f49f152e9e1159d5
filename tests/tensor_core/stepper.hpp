// A matrix unit step by step, on integers: written from the description of one step, apart from the oracle.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace negzero::tensor_core {

/// A format of factors or accumulators, by its parameters alone.
struct Shape {
  int fraction_bits;
  int least_exponent;  ///< of normal numbers
  int greatest_exponent;
};
inline constexpr Shape kF16{10, -14, 15}, kBf16{7, -126, 127}, kTf32{10, -126, 127}, kE4m3{3, -6, 8}, kE5m2{2, -14, 15},
    kF32{23, -126, 127};

/// What an instruction does in one step.
struct Machine {
  int kept_bits;       ///< F
  int result_bits;     ///< of the accumulator between steps
  bool nearest;        ///< to F16; else truncation, in F32's range of exponents
  int floor;           ///< the least exponent that terms are aligned at
  std::size_t length;  ///< L: products of one step
};

/// A finite number as hardware holds it: sign, significand, and the exponent of its leading place, which a subnormal
/// keeps at the least exponent.
struct Held {
  bool negative = false;
  std::int64_t significand = 0;  ///< value = significand * 2^(exponent - fraction_bits)
  int exponent = 0;
  int fraction_bits = 0;

  [[nodiscard]] static Held of(double value, const Shape& shape);
  [[nodiscard]] double value() const;
};

/// One step: d = a[0] b[0] + ... + c. Infinities and NaN as IEEE 754 has them.
[[nodiscard]] double step(const Machine& machine, std::span<const double> a, const Shape& a_shape,
                          std::span<const double> b, const Shape& b_shape, double c);

/// A slice: steps of machine.length products each, the last one filled up with zeros, from `c` on.
[[nodiscard]] double slice(const Machine& machine, std::span<const double> a, const Shape& a_shape,
                           std::span<const double> b, const Shape& b_shape, double c);

}  // namespace negzero::tensor_core
