// Encodings as text, in decimal and in hexadecimal.

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <string_view>

#include <negzero/number/encoding.hpp>
#include <negzero/number/text.hpp>

namespace negzero::number {

namespace {

// Room for "-d.(16 digits)e-324" and for the exact integers that are written out below 1e17.
using Buffer = std::array<char, 64>;

/// The `digits` digits nearest to `value`, in scientific notation.
std::string_view scientific(Buffer& buffer, double value, int digits) {
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits - 1).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

double parse(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Decimal of a positive finite encoding of a format of at most 22 significand bits.
///
/// Between neighbours of such a format the midpoint is a double, so a decimal whose nearest double lies strictly
/// between the two midpoints lies there itself.
std::string shortest(const Format& format, std::uint64_t word) {
  const double value = to_double(format, word);
  const double below = to_double(format, next_down(format, word));
  // Below the least power of two there is no number, as if there were half of it.
  const double low = below < value ? below + (value - below) / 2 : value - value / 4;
  // Above the largest finite number the next one would be as far away as the one below.
  const double high = word == max_finite(format) ? value + (value - below) / 2
                                                 : value + (to_double(format, next_up(format, word)) - value) / 2;
  Buffer buffer;
  std::string_view text;
  int digits = 0;
  do {
    text = scientific(buffer, value, ++digits);
    const double read = parse(text);
    if (low < read && read < high) break;
  } while (digits < 17);

  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  Buffer fixed_buffer;
  // Digits after the point; an integer with more places than digits is written exactly, at no cost in characters.
  const int places = digits - 1 - exponent > 0 ? digits - 1 - exponent : 0;
  const auto fixed =
      std::to_chars(fixed_buffer.data(), fixed_buffer.data() + text.size(), value, std::chars_format::fixed, places);
  if (fixed.ec == std::errc{}) return {fixed_buffer.data(), fixed.ptr};
  return std::string{text};
}

}  // namespace

std::string to_decimal(const Format& format, std::uint64_t word) {
  if (format.is_integer()) return std::to_string(ordinal(format, word));
  const Class kind = classify(format, word);
  if (kind == Class::Nan) return "nan";
  std::string text = is_negative(format, word) ? "-" : "";
  if (kind == Class::Infinity) return text += "inf";
  if (kind == Class::Zero) return text += "0";
  const std::uint64_t positive = detail::with_sign(format, false, detail::magnitude(format, word));
  // Numbers of 4 and 6 bits are short in full: 0.125, not the 0.1 that is nearest to it.
  if (format.fraction_bits > 22 || !format.fills_bytes()) {
    Buffer buffer;
    char* const end = buffer.data() + buffer.size();
    const bool single = format.fraction_bits == 23;
    const auto written =
        single ? std::to_chars(buffer.data(), end, std::bit_cast<float>(static_cast<std::uint32_t>(positive)))
               : std::to_chars(buffer.data(), end, to_double(format, positive));
    return text.append(buffer.data(), written.ptr);
  }
  return text += shortest(format, positive);
}

std::string to_hex(const Format& format, std::uint64_t word) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = (format.bits + 3) / 4 * 4 - 4; shift >= 0; shift -= 4) {
    text += kDigits[((word & format.word_mask()) >> shift) & 15];
  }
  return text;
}

std::string with_bits(const Format& format, std::uint64_t word) {
  return to_decimal(format, word) + " (" + to_hex(format, word) + ")";
}

}  // namespace negzero::number
