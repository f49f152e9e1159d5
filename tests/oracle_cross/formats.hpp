// The real formats as SmallFormat, and words as codes: constants written down once more, apart from number.

#pragma once

#include <cstdint>

#include <negzero/number/format.hpp>

#include "softfloat.hpp"

namespace negzero::oracle_cross {

/// Parameters of IEEE 754-2019 table 3.5, and of OCP OFP8 1.0 for the two formats of 8 bits.
[[nodiscard]] inline SmallFormat small_format(number::FormatId id) {
  using number::FormatId;
  switch (id) {
    case FormatId::F64:
      return SmallFormat::ieee(53, -1022, 1023);
    case FormatId::F32:
      return SmallFormat::ieee(24, -126, 127);
    case FormatId::TF32:
      return SmallFormat::ieee(11, -126, 127);
    case FormatId::F16:
      return SmallFormat::ieee(11, -14, 15);
    case FormatId::BF16:
      return SmallFormat::ieee(8, -126, 127);
    case FormatId::F8_E4M3: {
      SmallFormat format{4, -6, 0x7e, false};
      return format;
    }
    case FormatId::F8_E5M2:
      return SmallFormat::ieee(3, -14, 15);
    case FormatId::I32:
    case FormatId::I64:
      break;
  }
  return {};
}

[[nodiscard]] inline int word_bits(number::FormatId id) {
  using number::FormatId;
  switch (id) {
    case FormatId::F64:
    case FormatId::I64:
      return 64;
    case FormatId::F32:
    case FormatId::TF32:
    case FormatId::I32:
      return 32;
    case FormatId::F16:
    case FormatId::BF16:
      return 16;
    case FormatId::F8_E4M3:
    case FormatId::F8_E5M2:
      break;
  }
  return 8;
}

/// The encoding of a code. NaN becomes all ones below the sign, which is a NaN in every format.
[[nodiscard]] inline std::uint64_t to_word(number::FormatId id, Code code) {
  const int bits = word_bits(id);
  const int unused = id == number::FormatId::TF32 ? 13 : 0;
  const std::uint64_t sign = (code & kSignBit) != 0 ? std::uint64_t{1} << (bits - 1) : 0;
  const std::uint64_t largest = (std::uint64_t{1} << (bits - 1)) - 1;
  if (code == kNan) return largest >> unused << unused;
  return sign | ((code & ~kSignBit) << unused);
}

/// The code of an encoding.
[[nodiscard]] inline Code to_code(number::FormatId id, std::uint64_t word) {
  const int bits = word_bits(id);
  const int unused = id == number::FormatId::TF32 ? 13 : 0;
  const bool negative = ((word >> (bits - 1)) & 1) != 0;
  const Code magnitude = (word & ((std::uint64_t{1} << (bits - 1)) - 1)) >> unused;
  const SmallFormat format = small_format(id);
  if (magnitude > format.max_magnitude + (format.has_infinity ? 1 : 0)) return kNan;
  return magnitude | (negative ? kSignBit : 0);
}

}  // namespace negzero::oracle_cross
