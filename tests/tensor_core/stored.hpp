// A store to F16 or BF16 from its definition, apart from the library's conversions.

#pragma once

#include <algorithm>
#include <cmath>

#include "stepper.hpp"

namespace negzero::tensor_core {

/// `x` rounded to nearest even in the format of that shape; what is too large becomes an infinity. A zero keeps x's
/// sign. Requires the host's rounding to nearest.
inline double stored(double x, const Shape& shape) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int last = std::max(std::ilogb(x), shape.least_exponent) - shape.fraction_bits;
  const double kept = std::ldexp(std::nearbyint(std::ldexp(x, -last)), last);
  return std::fabs(kept) >= std::ldexp(1.0, shape.greatest_exponent + 1) ? std::copysign(HUGE_VAL, x) : kept;
}

}  // namespace negzero::tensor_core
