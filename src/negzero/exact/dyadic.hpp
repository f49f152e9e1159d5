// Exact dyadic rationals: integers of any length times a power of two.

#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>

#include <negzero/number/encoding.hpp>

namespace negzero::exact {

/// An integer with room for an F32 dot product before it needs the heap.
using Integer = boost::multiprecision::number<
    boost::multiprecision::cpp_int_backend<640, 0, boost::multiprecision::signed_magnitude,
                                           boost::multiprecision::unchecked>,
    boost::multiprecision::et_off>;

/// mantissa * 2^exponent, exactly. Zero has no sign. Equal values compare equal whatever their representation.
class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(std::int64_t mantissa, int exponent = 0) : mantissa_(mantissa), exponent_(exponent) {}
  Dyadic(Integer mantissa, int exponent) : mantissa_(std::move(mantissa)), exponent_(exponent) {}

  /// 2^exponent.
  [[nodiscard]] static Dyadic power_of_two(int exponent) { return Dyadic(1, exponent); }
  /// The value of a finite encoding. Requires a finite one.
  [[nodiscard]] static Dyadic from_encoding(const number::Format& format, std::uint64_t word);
  /// The value of a finite double.
  [[nodiscard]] static Dyadic from_double(double value);

  [[nodiscard]] bool is_zero() const { return mantissa_.is_zero(); }
  [[nodiscard]] int sign() const { return mantissa_.sign(); }
  /// Largest e with 2^e <= |value|. Requires a value that is not zero.
  [[nodiscard]] int floor_log2() const;
  /// Largest e such that the value is a multiple of 2^e. Requires a value that is not zero.
  [[nodiscard]] int lowest_bit() const;

  [[nodiscard]] Dyadic operator-() const;
  [[nodiscard]] Dyadic abs() const;
  /// value * 2^shift.
  [[nodiscard]] Dyadic scaled(int shift) const;
  friend Dyadic operator+(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator-(const Dyadic& a, const Dyadic& b);
  friend Dyadic operator*(const Dyadic& a, const Dyadic& b);
  Dyadic& operator+=(const Dyadic& other) { return *this = *this + other; }
  Dyadic& operator-=(const Dyadic& other) { return *this = *this - other; }
  friend std::strong_ordering operator<=>(const Dyadic& a, const Dyadic& b);
  friend bool operator==(const Dyadic& a, const Dyadic& b) { return (a <=> b) == 0; }

  /// Rounds once to `format`. A zero value, and a value that rounds to zero, gives a zero of the value's sign (+0 for 0).
  [[nodiscard]] std::uint64_t round_to(const number::Format& format, const number::EncodeOptions& options = {}) const;
  /// Nearest double: for messages and margins, never for a decision.
  [[nodiscard]] double approximate() const;
  /// Decimal with 17 significant digits, for messages.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] const Integer& mantissa() const { return mantissa_; }
  [[nodiscard]] int exponent() const { return exponent_; }

 private:
  Integer mantissa_ = 0;
  int exponent_ = 0;
};

}  // namespace negzero::exact
