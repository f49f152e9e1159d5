// Decoding encodings into exact numbers and encoding exact numbers under a rounding mode.

#pragma once

#include <cstdint>
#include <string>

#include <negzero/number/format.hpp>

namespace negzero::number {

enum class Rounding : std::uint8_t { NearestEven, NearestAway, TowardZero, Down, Up };

/// What an encoding gives when the rounded magnitude exceeds the largest finite number.
enum class Overflow : std::uint8_t {
  Ieee,      ///< Inf or the largest finite number, as the rounding mode directs (IEEE 754-2019 7.4); NaN without Inf
  Saturate,  ///< the largest finite number of that sign; Inf saturates too (PTX cvt.satfinite), NaN stays NaN
  Nan,       ///< NaN
  Infinity,  ///< Inf whatever the rounding mode (tensor cores); NaN without Inf
};

enum class Class : std::uint8_t { Zero, Subnormal, Normal, Infinity, Nan };

/// An encoding taken apart: (-1)^negative * significand * 2^exponent when finite.
///
/// Subnormals are not renormalised: `exponent` is the weight of the encoding's last bit.
struct Decoded {
  Class kind = Class::Zero;
  bool negative = false;
  std::uint64_t significand = 0;  ///< integer; 0 unless Subnormal or Normal
  int exponent = 0;

  [[nodiscard]] constexpr bool is_finite() const noexcept { return kind < Class::Infinity; }
  friend bool operator==(const Decoded&, const Decoded&) = default;
};

/// How to encode. `flush_subnormals` turns a result that is tiny after rounding (IEEE 754-2019 7.5) into a zero of its
/// sign, as mul.rn.ftz.f32 does: (2^24 - 1 + f) 2^-150 is 0 below f = 1/2, and 2^-126 from there (seen on an H200).
struct EncodeOptions {
  Rounding rounding = Rounding::NearestEven;
  Overflow overflow = Overflow::Ieee;
  bool flush_subnormals = false;
};

/// Takes an encoding apart. An integer decodes to its value (anything but zero is Normal). Bits above `format.bits` are
/// ignored.
[[nodiscard]] constexpr Decoded decode(const Format& format, std::uint64_t word) noexcept;

/// Rounds (-1)^negative * (significand + sticky * epsilon) * 2^exponent to `format`, where 0 < epsilon < 1.
///
/// Any 64-bit significand and any exponent is accepted. `sticky` says that the exact value lies strictly between
/// `significand` and `significand + 1` units; that decides the result for any epsilon if the significand has at least
/// precision() + 1 bits (precision() where the rounding is directed) or its last bit weighs at most eta / 2 (eta), half
/// of that with `flush_subnormals`; otherwise epsilon counts as infinitely small. A zero significand without sticky
/// gives a zero of that sign; with sticky it is a positive number below every encoding. Overflow is decided after
/// rounding with an unbounded exponent, and so is flushing after rounding. An integer saturates under Saturate, and
/// wraps modulo 2^bits otherwise; BOOL becomes whether it is not 0. A format without NaN (F4, F6) saturates. F8_E8M0
/// has the smallest power for what is below it and for 0, the greater of two that are as near (IEEE 754-2019 4.3.1
/// where p is 1), and NaN for negative numbers.
[[nodiscard]] constexpr std::uint64_t encode(const Format& format, bool negative, std::uint64_t significand,
                                             int exponent, bool sticky, const EncodeOptions& options) noexcept;

/// Converts an encoding: decode, then encode. NaN becomes the canonical NaN of `to`. Inf becomes the largest finite
/// number under Saturate, else Inf, or NaN where `to` has none. NaN becomes the largest number of F4 and F6, as PTX's
/// cvt makes it. For integers, NaN becomes 0 and Inf saturates whatever
/// the policy, as the conversions of CUDA C++ do.
[[nodiscard]] constexpr std::uint64_t convert(const Format& from, std::uint64_t word, const Format& to,
                                              const EncodeOptions& options) noexcept;

[[nodiscard]] constexpr Class classify(const Format& format, std::uint64_t word) noexcept;
[[nodiscard]] constexpr bool is_nan(const Format& format, std::uint64_t word) noexcept;
[[nodiscard]] constexpr bool is_infinity(const Format& format, std::uint64_t word) noexcept;
[[nodiscard]] constexpr bool is_zero(const Format& format, std::uint64_t word) noexcept;
/// The sign bit, also of zeros and NaNs.
[[nodiscard]] constexpr bool is_negative(const Format& format, std::uint64_t word) noexcept;

// Encodings with a name. Where a format lacks the value (Inf of F8_E4M3), infinity() returns the largest finite number.
// Integers have neither subnormals nor -0: their smallest numbers are +-1, max_subnormal() is 0, max_finite(true) of
// I32 is -2^31. Unsigned ones have 0 where a negative number is asked for. F8_E8M0 has positive numbers alone, and the
// smallest of them for zero(), min_subnormal(), max_subnormal() and max_finite(true).
[[nodiscard]] constexpr std::uint64_t zero(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t one(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t infinity(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t max_finite(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t min_normal(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t max_subnormal(const Format& format, bool negative = false) noexcept;
[[nodiscard]] constexpr std::uint64_t min_subnormal(const Format& format, bool negative = false) noexcept;
/// 0x7fffffff for F32, 0x7fff for F16 and BF16, 0x7fffe000 for TF32, 0x7ff8000000000000 for F64, 0x7f for F8, 0xff for
/// F8_E8M0; the largest number of F4 and F6, which have no NaN; 0 for integers.
[[nodiscard]] constexpr std::uint64_t canonical_nan(const Format& format) noexcept;

/// The next encoding towards +Inf / -Inf. max_finite goes to +Inf where the format has it, else stays; zeros of both
/// signs go to the smallest subnormal; NaN and the infinity at the end stay. next_up(-min_subnormal) is -0.
[[nodiscard]] constexpr std::uint64_t next_up(const Format& format, std::uint64_t word) noexcept;
[[nodiscard]] constexpr std::uint64_t next_down(const Format& format, std::uint64_t word) noexcept;

/// A monotone map from encodings that are not NaN to integers: -0 and +0 map to 0, each step is 1, Inf is one past the
/// largest finite number. Integers map to their values, F8_E8M0 to its encodings.
[[nodiscard]] constexpr std::int64_t ordinal(const Format& format, std::uint64_t word) noexcept;
/// The inverse of ordinal(); 0 gives +0. Requires an ordinal that the format has.
[[nodiscard]] constexpr std::uint64_t from_ordinal(const Format& format, std::int64_t ordinal) noexcept;

/// The exact value as a double, but of I64 a value near it where more than 53 bits count; NaN gives a quiet NaN. Works
/// on bits, so the host's rounding mode and flush-to-zero do not matter, I64 apart.
[[nodiscard]] constexpr double to_double(const Format& format, std::uint64_t word) noexcept;
/// Rounds a double once: convert() from F64.
[[nodiscard]] constexpr std::uint64_t from_double(const Format& format, double value,
                                                  const EncodeOptions& options = {}) noexcept;

/// "-0", "-inf", "nan" (of either sign), or a short decimal that reads back to the same encoding: "1.5", "448",
/// "6e-08".
///
/// The value is rounded to the fewest digits that stay nearer to it than to any other encoding, so that reading back by
/// either rounding to nearest gives the encoding (F32 and F64: std::to_chars, read back by nearest-even). Written with
/// or without an exponent, whichever is shorter; an integer that is not longer for it is written exactly, and so is
/// every number of 4 and 6 bits.
[[nodiscard]] std::string to_decimal(const Format& format, std::uint64_t word);
/// "0x80000000": all hexadecimal digits of the encoding.
[[nodiscard]] std::string to_hex(const Format& format, std::uint64_t word);

}  // namespace negzero::number

#include <negzero/number/encoding_inline.hpp>
