// Exact dyadic rationals: integers of any length times a power of two.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>

namespace negzero::exact {

/// mantissa * 2^exponent, exactly. Zero has no sign. Equal values compare equal whatever their representation.
///
/// A mantissa below 2^127 lives in the object and costs a few nanoseconds an operation; a longer one lives on the heap.
/// Exponents are not checked: they, and the distance between two of them, must stay far inside an int.
/// integer.hpp converts to and from Boost's integers.
class Dyadic {
 public:
  Dyadic() = default;
  Dyadic(std::int64_t mantissa, int exponent = 0) : mantissa_(mantissa), exponent_(exponent) {}
  Dyadic(const Dyadic& other);
  Dyadic(Dyadic&& other) noexcept
      : mantissa_(std::exchange(other.mantissa_, 0)),
        limbs_(std::move(other.limbs_)),
        size_(std::exchange(other.size_, 0)),
        exponent_(other.exponent_) {}
  Dyadic& operator=(const Dyadic& other);
  Dyadic& operator=(Dyadic&& other) noexcept {
    mantissa_ = std::exchange(other.mantissa_, 0);
    limbs_ = std::move(other.limbs_);
    size_ = std::exchange(other.size_, 0);
    exponent_ = other.exponent_;
    return *this;
  }
  ~Dyadic() = default;

  /// 2^exponent.
  [[nodiscard]] static Dyadic power_of_two(int exponent) { return Dyadic(1, exponent); }
  /// (-1)^negative * (high * 2^64 + low) * 2^exponent.
  [[nodiscard]] static Dyadic from_words(bool negative, std::uint64_t high, std::uint64_t low, int exponent);
  /// (-1)^negative * (sum of limbs[i] * 2^(64 i)) * 2^exponent. No limbs give 0.
  [[nodiscard]] static Dyadic from_limbs(bool negative, std::span<const std::uint64_t> limbs, int exponent);
  /// The value of a finite encoding. Requires a finite one.
  [[nodiscard]] static Dyadic from_encoding(const number::Format& format, std::uint64_t word);
  /// The value of a finite double.
  [[nodiscard]] static Dyadic from_double(double value);

  [[nodiscard]] bool is_zero() const { return mantissa_ == 0; }
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const { return (mantissa_ > 0) - (mantissa_ < 0); }
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

  /// Rounds once to `format`. A zero value, and a value that rounds to zero, gives a zero of the value's sign (+0 for
  /// 0).
  [[nodiscard]] std::uint64_t round_to(const number::Format& format, const number::EncodeOptions& options = {}) const;
  /// Nearest double: for messages and margins, never for a decision.
  [[nodiscard]] double approximate() const;
  /// Decimal with up to 17 significant digits, rounded half away, for messages: "0", "-1.5", "1e+300".
  [[nodiscard]] std::string to_string() const;

  /// |mantissa| as limbs of 64 bits, lowest first, into `limbs` when it has room for all; returns how many there are.
  std::size_t magnitude_limbs(std::span<std::uint64_t> limbs) const;
  /// The exponent that belongs to magnitude_limbs(); no other meaning, as equal values may have different ones.
  [[nodiscard]] int exponent() const { return exponent_; }

 private:
  struct View;
  static Dyadic add(const Dyadic& a, const Dyadic& b, bool subtract);
  static Dyadic add_long(const Dyadic& a, const Dyadic& b, bool subtract);
  static Dyadic adopt(bool negative, std::unique_ptr<std::uint64_t[]> limbs, int size, int exponent);

  __int128 mantissa_ = 0;  ///< the mantissa; its sign alone where limbs_ hold the magnitude
  std::unique_ptr<std::uint64_t[]> limbs_;
  std::int32_t size_ = 0;  ///< number of limbs, at least 2; 0 where mantissa_ is all
  int exponent_ = 0;
};

}  // namespace negzero::exact
