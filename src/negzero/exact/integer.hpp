// Conversions between dyadic rationals and Boost's integers, apart so that few sources pay for Boost's headers.

#pragma once

#include <iterator>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include <negzero/exact/dyadic.hpp>

namespace negzero::exact {

using Integer = boost::multiprecision::cpp_int;

/// The mantissa that goes with value.exponent().
[[nodiscard]] inline Integer mantissa(const Dyadic& value) {
  if (value.is_zero()) return 0;  // Boost imports nothing from an empty range, but reads it.
  std::vector<std::uint64_t> limbs(value.magnitude_limbs({}));
  value.magnitude_limbs(limbs);
  Integer magnitude = 0;
  boost::multiprecision::import_bits(magnitude, limbs.begin(), limbs.end(), 64, false);
  return value.sign() < 0 ? Integer(-magnitude) : magnitude;
}

/// mantissa * 2^exponent.
[[nodiscard]] inline Dyadic make_dyadic(const Integer& mantissa, int exponent) {
  std::vector<std::uint64_t> limbs;
  if (!mantissa.is_zero()) boost::multiprecision::export_bits(mantissa, std::back_inserter(limbs), 64, false);
  return Dyadic::from_limbs(mantissa.sign() < 0, limbs, exponent);
}

}  // namespace negzero::exact
