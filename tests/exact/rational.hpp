// Dyadic rationals as Boost's rationals, which share no code with them.

#pragma once

#include <cstdlib>

#include <boost/multiprecision/cpp_int.hpp>

#include <negzero/exact/dyadic.hpp>
#include <negzero/exact/integer.hpp>

namespace negzero::exact {

using Rational = boost::multiprecision::cpp_rational;

/// 2^exponent.
inline Rational power(int exponent) {
  const Integer magnitude = Integer(1) << std::abs(exponent);
  return exponent >= 0 ? Rational(magnitude) : Rational(Integer(1), magnitude);
}

inline Rational rational(const Dyadic& value) { return Rational(mantissa(value)) * power(value.exponent()); }

}  // namespace negzero::exact
