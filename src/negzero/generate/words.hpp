// Encodings drawn from random words, and tensors filled with them in bulk.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/number/format_constant.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::generate {

/// Cuts what does not fit, and stops at the largest finite number: generators make specials on purpose only.
inline constexpr number::EncodeOptions kFinite{.rounding = number::Rounding::TowardZero,
                                               .overflow = number::Overflow::Saturate};

namespace detail {

template <typename Word, typename WordAt>
void fill_as(std::byte* out, std::int64_t count, WordAt&& word_at) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto word = static_cast<Word>(word_at(i));
    std::memcpy(out + static_cast<std::size_t>(i) * sizeof(Word), &word, sizeof(Word));
  }
}

}  // namespace detail

/// Sets every element of `tensor` to word_at(i), i its row-major index, called in ascending order.
template <typename WordAt>
void fill(tensor::Tensor& tensor, WordAt&& word_at) {
  const std::int64_t count = tensor.element_count();
  std::byte* const out = tensor.bytes().data();
  switch (tensor.element_bytes()) {
    case 1:
      return detail::fill_as<std::uint8_t>(out, count, word_at);
    case 2:
      return detail::fill_as<std::uint16_t>(out, count, word_at);
    case 4:
      return detail::fill_as<std::uint32_t>(out, count, word_at);
    default:
      return detail::fill_as<std::uint64_t>(out, count, word_at);
  }
}

/// Sets every element of `tensor` to word_at(format, i), `format` being the FormatConstant of its format.
template <typename WordAt>
void fill_encoded(tensor::Tensor& tensor, WordAt&& word_at) {
  number::with_format(tensor.format_id(),
                      [&](auto format) { fill(tensor, [&](std::int64_t i) { return word_at(format, i); }); });
}

/// -value or value, without a branch: signs are random, and no processor predicts them.
[[nodiscard]] constexpr std::int64_t negated_if(bool negative, std::int64_t value) noexcept {
  const std::int64_t ones = -static_cast<std::int64_t>(negative);
  return (value ^ ones) - ones;
}

/// magnitude * 2^exponent or its negative, cut to the format's precision; the largest finite number where it is more.
[[nodiscard, gnu::always_inline]] inline std::uint64_t encode_magnitude(const number::Format& format, bool negative,
                                                                        std::uint64_t magnitude,
                                                                        int exponent) noexcept {
  const int zeros = std::countl_zero(magnitude);
  const int top = exponent + 63 - zeros;
  // The usual case without the care that number::encode() takes of every other: a normal number below the last binade.
  const bool is_composed = !format.is_integer() && !format.is_power();
  if (is_composed && magnitude != 0 && top >= format.min_normal_exponent() && top < format.max_exponent()) [[likely]] {
    const std::uint64_t fraction = magnitude << zeros << 1 >> (64 - format.fraction_bits);
    const std::uint64_t word = static_cast<std::uint64_t>(top + format.bias) << format.fraction_bits | fraction;
    return word | static_cast<std::uint64_t>(negative) << (format.bits - 1);  // No branch here either.
  }
  return number::encode(format, negative && format.is_signed(), magnitude, exponent, false, kFinite);
}

/// significand * 2^exponent, which the caller knows to be exact (else it is cut, and saturates).
[[nodiscard, gnu::always_inline]] inline std::uint64_t encode_integer(const number::Format& format,
                                                                      std::int64_t significand, int exponent) noexcept {
  const auto bits = static_cast<std::uint64_t>(significand);
  return encode_magnitude(format, significand < 0, significand < 0 ? std::uint64_t{0} - bits : bits, exponent);
}

/// A number of the format in [2^exponent, 2^(exponent + 1)) or its negative: fraction and sign are bits of `random`.
/// Below the normal range the low fraction bits are cut off. Requires exponent <= max_exponent().
[[nodiscard, gnu::always_inline]] inline std::uint64_t word_in_binade(const number::Format& format, int exponent,
                                                                      std::uint64_t random) noexcept {
  return encode_magnitude(format, (random & 1) != 0, std::uint64_t{1} << 63 | random >> 1, exponent - 63);
}

/// Close to a normal distribution of standard deviation 1.15 * 2^scale: the sum of four uniform 16-bit numbers
/// (Irwin-Hall), so that integers alone decide the result on every platform. A format's low bits are filled too.
[[nodiscard, gnu::always_inline]] inline std::uint64_t normal_word(const number::Format& format, std::uint64_t random,
                                                                   int scale) noexcept {
  const auto sum = static_cast<std::int64_t>((random & 0xffff) + ((random >> 16) & 0xffff) + ((random >> 32) & 0xffff) +
                                             (random >> 48)) -
                   131070;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(negated_if(sum < 0, sum)) << 32;
  const std::uint64_t low = (random * 0x9e3779b97f4a7c15u) >> 32;
  return encode_magnitude(format, sum < 0, magnitude | low, scale - 47);
}

/// Uniform in [0, 2^scale), or in (-2^scale, 2^scale) where `both_signs`.
[[nodiscard, gnu::always_inline]] inline std::uint64_t uniform_word(const number::Format& format, std::uint64_t random,
                                                                    int scale, bool both_signs) noexcept {
  return encode_magnitude(format, both_signs && (random & 1) != 0, random >> 11, scale - 53);
}

/// Uniform over all encodings.
[[nodiscard, gnu::always_inline]] inline std::uint64_t bits_word(const number::Format& format,
                                                                 std::uint64_t random) noexcept {
  return (random >> (64 - format.bits)) & format.word_mask();
}

/// Uniform over the finite encodings, apart from a bias below 2^-(64 - bits).
[[nodiscard, gnu::always_inline]] inline std::uint64_t finite_bits_word(const number::Format& format,
                                                                        std::uint64_t random) noexcept {
  const std::uint64_t count = number::max_finite(format) + 1;
  const auto magnitude =
      static_cast<std::uint64_t>((static_cast<unsigned __int128>(random & ~std::uint64_t{1}) * count) >> 64);
  return magnitude | ((random & 1) != 0 ? format.sign_mask() : 0);
}

}  // namespace negzero::generate
