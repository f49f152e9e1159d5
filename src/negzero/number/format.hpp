// The floating-point formats and the integer formats that negzero knows, as data.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace negzero::number {

/// Names of formats. The names in text are those of safetensors, which has no I4 and no U4; TF32 exists only as
/// arithmetic, never as storage.
enum class FormatId : std::uint8_t {
  F64,
  F32,
  TF32,
  F16,
  BF16,
  F8_E4M3,
  F8_E5M2,
  I32,
  I64,
  I16,
  I8,
  U32,
  U16,
  U8,
  BOOL,
  I4,
  U4,
  F4,
  F6_E2M3,
  F6_E3M2,
  F8_E8M0
};

/// Which encodings are NaN.
enum class NanCodes : std::uint8_t {
  Ieee,     ///< exponent all ones, fraction not zero (exponent all ones and fraction zero is Inf)
  AllOnes,  ///< exponent and fraction all ones (F8_E4M3 as in OCP OFP8: no Inf, 0x7f and 0xff; F8_E8M0: 0xff)
  None,     ///< integers, and F4 and F6, whose every encoding is a number
};

/// One format. Encodings are held in the low `bits` bits of a std::uint64_t.
///
/// TF32 is encoded as an F32 word whose low 13 bits are zero (`bits` = 32, `unused_bits` = 13), as hardware holds it;
/// decode drops those bits before anything else, as wgmma does.
struct Format {
  FormatId id;
  std::string_view name;
  int bits;           ///< width of an encoding; in memory two of 4 bits share a byte, and 6 bits take one
  int exponent_bits;  ///< 0 for integers
  int fraction_bits;  ///< stored fraction bits that carry value, p - 1; of integers the bits of the largest one
  int unused_bits;    ///< low bits of the word that carry nothing
  int bias;
  bool has_infinity;
  NanCodes nan_codes;

  [[nodiscard]] constexpr bool is_integer() const noexcept { return exponent_bits == 0; }
  /// Whether it has powers of two alone: neither zero, nor sign, nor subnormals (F8_E8M0).
  [[nodiscard]] constexpr bool is_power() const noexcept { return !is_integer() && fraction_bits == 0; }
  /// Whether two elements share a byte of memory, the first of them in its low half.
  [[nodiscard]] constexpr bool is_half_byte() const noexcept { return bits == 4; }
  /// Bytes that hold one encoding where each has bytes of its own.
  [[nodiscard]] constexpr int bytes() const noexcept { return (bits + 7) / 8; }
  /// Whether it only stores numbers: neither kernels nor contracts compute in it.
  [[nodiscard]] constexpr bool only_stores() const noexcept {
    return !is_integer() && (nan_codes == NanCodes::None || is_power());
  }
  /// Whether every encoding has bytes of its own and fills them.
  [[nodiscard]] constexpr bool fills_bytes() const noexcept { return bits % 8 == 0; }
  /// Whether it has numbers below 0. (Of BOOL, which has 0 and 1, seven bits of eight are always 0.)
  [[nodiscard]] constexpr bool is_signed() const noexcept {
    return is_integer() ? fraction_bits == bits - 1 : fraction_bits != 0;
  }
  /// p: significand bits of a normal number (31 for I32, 8 for U8, 1 for BOOL).
  [[nodiscard]] constexpr int precision() const noexcept { return is_integer() ? fraction_bits : fraction_bits + 1; }
  /// u = 2^-p, the unit roundoff, as an exponent of two.
  [[nodiscard]] constexpr int unit_roundoff_exponent() const noexcept { return -precision(); }
  /// Exponent of the smallest normal number, 2^min_normal_exponent().
  [[nodiscard]] constexpr int min_normal_exponent() const noexcept {
    if (is_integer()) return 0;
    return is_power() ? -bias : 1 - bias;
  }
  /// Exponent of eta, the smallest positive subnormal: 2^eta_exponent().
  [[nodiscard]] constexpr int eta_exponent() const noexcept {
    return is_integer() ? 0 : min_normal_exponent() - fraction_bits;
  }
  /// Exponent of the binade of the largest finite number: it lies in [2^e, 2^(e+1)).
  [[nodiscard]] constexpr int max_exponent() const noexcept {
    if (is_integer()) return fraction_bits - 1;
    const int top = (1 << exponent_bits) - 1 - bias;
    return nan_codes == NanCodes::Ieee || is_power() ? top - 1 : top;
  }
  [[nodiscard]] constexpr std::uint64_t word_mask() const noexcept {
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
  /// The bit that is set in negative numbers: of unsigned integers none.
  [[nodiscard]] constexpr std::uint64_t sign_mask() const noexcept {
    return is_signed() ? std::uint64_t{1} << (bits - 1) : 0;
  }

  friend constexpr bool operator==(const Format& a, const Format& b) noexcept { return a.id == b.id; }
};

/// Every format, in the order of FormatId. F8_E4M3 and F8_E5M2 are those of OCP OFP8 1.0; F4 (E2M1), F6 and F8_E8M0
/// those of OCP MX 1.0; the rest of the floating-point formats are IEEE 754-2019's or share its exponent range.
inline constexpr std::array<Format, 21> kFormats{{
    {FormatId::F64, "F64", 64, 11, 52, 0, 1023, true, NanCodes::Ieee},
    {FormatId::F32, "F32", 32, 8, 23, 0, 127, true, NanCodes::Ieee},
    {FormatId::TF32, "TF32", 32, 8, 10, 13, 127, true, NanCodes::Ieee},
    {FormatId::F16, "F16", 16, 5, 10, 0, 15, true, NanCodes::Ieee},
    {FormatId::BF16, "BF16", 16, 8, 7, 0, 127, true, NanCodes::Ieee},
    {FormatId::F8_E4M3, "F8_E4M3", 8, 4, 3, 0, 7, false, NanCodes::AllOnes},
    {FormatId::F8_E5M2, "F8_E5M2", 8, 5, 2, 0, 15, true, NanCodes::Ieee},
    {FormatId::I32, "I32", 32, 0, 31, 0, 0, false, NanCodes::None},
    {FormatId::I64, "I64", 64, 0, 63, 0, 0, false, NanCodes::None},
    {FormatId::I16, "I16", 16, 0, 15, 0, 0, false, NanCodes::None},
    {FormatId::I8, "I8", 8, 0, 7, 0, 0, false, NanCodes::None},
    {FormatId::U32, "U32", 32, 0, 32, 0, 0, false, NanCodes::None},
    {FormatId::U16, "U16", 16, 0, 16, 0, 0, false, NanCodes::None},
    {FormatId::U8, "U8", 8, 0, 8, 0, 0, false, NanCodes::None},
    {FormatId::BOOL, "BOOL", 8, 0, 1, 0, 0, false, NanCodes::None},
    {FormatId::I4, "I4", 4, 0, 3, 0, 0, false, NanCodes::None},
    {FormatId::U4, "U4", 4, 0, 4, 0, 0, false, NanCodes::None},
    {FormatId::F4, "F4", 4, 2, 1, 0, 1, false, NanCodes::None},
    {FormatId::F6_E2M3, "F6_E2M3", 6, 2, 3, 0, 1, false, NanCodes::None},
    {FormatId::F6_E3M2, "F6_E3M2", 6, 3, 2, 0, 3, false, NanCodes::None},
    {FormatId::F8_E8M0, "F8_E8M0", 8, 8, 0, 0, 127, false, NanCodes::AllOnes},
}};

/// Returns the description of a format.
[[nodiscard]] constexpr const Format& format(FormatId id) noexcept { return kFormats[static_cast<std::size_t>(id)]; }

/// Returns the format of that exact name, or nothing.
[[nodiscard]] std::optional<FormatId> parse_format(std::string_view name) noexcept;

/// Every format, in the order of FormatId.
[[nodiscard]] constexpr std::span<const Format> all_formats() noexcept { return kFormats; }

}  // namespace negzero::number
