// Whether one format has every number of another.

#pragma once

#include <negzero/number/format.hpp>

namespace negzero::number {

/// Whether every finite number of `narrow` is one of `wide`, so that a conversion to `wide` rounds nothing.
[[nodiscard]] constexpr bool holds(const Format& wide, const Format& narrow) noexcept {
  return wide.precision() >= narrow.precision() && wide.max_exponent() >= narrow.max_exponent() &&
         wide.eta_exponent() <= narrow.eta_exponent();
}

}  // namespace negzero::number
