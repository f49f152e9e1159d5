// Encodings drawn from random words, and tensors filled with them in bulk.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::generate {

/// Rounding to nearest, but to the largest finite number instead of Inf or NaN: generators make specials on purpose
/// only.
inline constexpr number::EncodeOptions kFinite{.overflow = number::Overflow::Saturate};

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

/// significand * 2^exponent rounded once to `format`, saturating.
[[nodiscard]] constexpr std::uint64_t encode_integer(const number::Format& format, std::int64_t significand,
                                                     int exponent) noexcept {
  const bool negative = significand < 0;
  const auto bits = static_cast<std::uint64_t>(significand);
  return number::encode(format, negative, negative ? std::uint64_t{0} - bits : bits, exponent, false, kFinite);
}

/// A number of the format in [2^exponent, 2^(exponent + 1)) or its negative: fraction and sign are bits of `random`.
/// Below the normal range the low fraction bits round away. Requires exponent <= max_exponent().
[[nodiscard]] constexpr std::uint64_t word_in_binade(const number::Format& format, int exponent,
                                                     std::uint64_t random) noexcept {
  const bool negative = (random & 1) != 0;
  if (format.is_integer()) {
    const std::uint64_t unit = std::uint64_t{1} << exponent;
    return number::encode(format, negative, unit | ((random >> 1) & (unit - 1)), 0, false, kFinite);
  }
  const std::uint64_t unit = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t significand = unit | ((random >> 1) & (unit - 1));
  return number::encode(format, negative, significand, exponent - format.fraction_bits, false, kFinite);
}

/// Close to a normal distribution of standard deviation 1.15 * 2^scale: the sum of four uniform 16-bit numbers
/// (Irwin-Hall), so that integers alone decide the result on every platform. A format's low bits are filled too.
[[nodiscard]] constexpr std::uint64_t normal_word(const number::Format& format, std::uint64_t random,
                                                  int scale) noexcept {
  const auto sum = static_cast<std::int64_t>((random & 0xffff) + ((random >> 16) & 0xffff) + ((random >> 32) & 0xffff) +
                                             (random >> 48)) -
                   131070;
  const std::uint64_t magnitude = static_cast<std::uint64_t>(sum < 0 ? -sum : sum) << 32;
  const std::uint64_t low = (random * 0x9e3779b97f4a7c15u) >> 32;
  return number::encode(format, sum < 0, magnitude | low, scale - 47, false, kFinite);
}

/// Uniform in [0, 2^scale), or in (-2^scale, 2^scale) where `both_signs`.
[[nodiscard]] constexpr std::uint64_t uniform_word(const number::Format& format, std::uint64_t random, int scale,
                                                   bool both_signs) noexcept {
  return number::encode(format, both_signs && (random & 1) != 0, random >> 11, scale - 53, false, kFinite);
}

/// Uniform over all encodings.
[[nodiscard]] constexpr std::uint64_t bits_word(const number::Format& format, std::uint64_t random) noexcept {
  return (random >> (64 - format.bits)) & format.word_mask();
}

/// Uniform over the finite encodings, apart from a bias below 2^-(64 - bits).
[[nodiscard]] constexpr std::uint64_t finite_bits_word(const number::Format& format, std::uint64_t random) noexcept {
  if (format.is_integer()) return bits_word(format, random);
  const std::uint64_t count = number::max_finite(format) + 1;
  const auto magnitude =
      static_cast<std::uint64_t>((static_cast<unsigned __int128>(random & ~std::uint64_t{1}) * count) >> 64);
  return magnitude | ((random & 1) != 0 ? format.sign_mask() : 0);
}

/// Minus the value of an encoding (also of a NaN: the sign bit is flipped).
[[nodiscard]] constexpr std::uint64_t negated(const number::Format& format, std::uint64_t word) noexcept {
  if (format.is_integer()) return (std::uint64_t{0} - word) & format.word_mask();
  return word ^ format.sign_mask();
}

}  // namespace negzero::generate
