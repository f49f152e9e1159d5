// F8_E4M3 of OCP OFP8 1.0 in memory as bytes: a number's nearest encoding, and an encoding's number.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// The largest number: 1.75 * 2^8.
constexpr double kMostF8 = 448;

/// The encoding of the number nearest to x, the even one of two; the largest number of its sign beyond it; NaN of NaN.
__device__ inline std::uint8_t f8_nearest(double x) {
  if (x != x) return 0x7f;
  const long long bits = __double_as_longlong(x);
  const int sign = bits < 0 ? 0x80 : 0;
  const double magnitude = fmin(fabs(x), kMostF8);
  // Units of the last place: 2^-9 up to 2^-6, where the normal numbers begin; of a power of two 2^e they are 2^(e-3).
  const int exponent = magnitude < 0x1p-6 ? -6 : static_cast<int>(__double_as_longlong(magnitude) >> 52) - 1023;
  const double units = __longlong_as_double(static_cast<long long>(1023 + 3 - exponent) << 52);
  const int significand = __double2int_rn(magnitude * units);
  // 8 to 16 of a normal number: the carry of 16 is what the next power of two has as its exponent.
  return static_cast<std::uint8_t>(sign | ((exponent + 6) * 8 + significand));
}

/// The number of an encoding, exactly.
__device__ inline float f8_value(std::uint8_t code) {
  const int exponent = code >> 3 & 15, fraction = code & 7;
  if ((code & 0x7f) == 0x7f) return __int_as_float(0x7fffffff);
  const int significand = exponent == 0 ? fraction : 8 + fraction;
  // significand * 2^(max(exponent, 1) - 7 - 3)
  const float unit = __int_as_float((127 + (exponent == 0 ? 1 : exponent) - 10) << 23);
  const float magnitude = static_cast<float>(significand) * unit;
  return code & 0x80 ? -magnitude : magnitude;
}

}  // namespace
}  // namespace negzero::kernels
