// Rows of products.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include <negzero/matrix_unit/row.hpp>
#include <negzero/matrix_unit/step.hpp>

namespace negzero::matrix_unit {
namespace {

using number::FormatId;

constexpr std::size_t kMostProducts = 16;

std::uint32_t load(const Words& words, std::size_t i) noexcept {
  const std::size_t size_bytes = static_cast<std::size_t>(number::format(words.format).bits) / 8;
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<const char*>(words.first) + i * size_bytes, size_bytes);
  return word;
}

template <typename T>
void multiply_integers(const T* row, const T* columns, std::size_t depth, std::size_t count, const std::int32_t* c,
                       std::int32_t* d, bool saturates) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    std::int64_t sum = c[j];
    for (std::size_t k = 0; k < depth; ++k) sum += std::int64_t{row[k]} * columns[j * depth + k];
    using Limits = std::numeric_limits<std::int32_t>;
    if (saturates) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
    d[j] = static_cast<std::int32_t>(sum);
  }
}

}  // namespace

void multiply_row(Words row, Words columns, std::size_t depth, std::size_t count, Words c, FormatId d_format,
                  void* d) noexcept {
  const number::Format& factors = number::format(row.format);
  const number::Format& result = number::format(d_format);
  const std::size_t length = row.format == FormatId::TF32 ? 4 : kMostProducts;
  std::array<Held, kMostProducts> x, y;
  for (std::size_t j = 0; j < count; ++j) {
    Held accumulator = hold(number::format(c.format), load(c, j));
    std::uint32_t word = 0;
    for (std::size_t begin = 0; begin < depth; begin += length) {
      for (std::size_t i = 0; i < length; ++i) {
        x[i] = hold(factors, load(row, begin + i));
        y[i] = hold(factors, load(columns, j * depth + begin + i));
      }
      word = step(std::span(x).first(length), std::span(y).first(length), accumulator, result);
      accumulator = hold(result, word);
    }
    const std::size_t size_bytes = static_cast<std::size_t>(result.bits) / 8;
    std::memcpy(static_cast<char*>(d) + j * size_bytes, &word, size_bytes);
  }
}

void multiply_row(const std::int8_t* row, const std::int8_t* columns, std::size_t depth, std::size_t count,
                  const std::int32_t* c, std::int32_t* d, bool saturates) noexcept {
  multiply_integers(row, columns, depth, count, c, d, saturates);
}
void multiply_row(const std::uint8_t* row, const std::uint8_t* columns, std::size_t depth, std::size_t count,
                  const std::int32_t* c, std::int32_t* d, bool saturates) noexcept {
  multiply_integers(row, columns, depth, count, c, d, saturates);
}

void multiply_row(const double* row, const double* columns, std::size_t depth, std::size_t count, const double* c,
                  double* d) noexcept {
  for (std::size_t j = 0; j < count; ++j) {
    double sum = c[j];
    for (std::size_t k = 0; k < depth; ++k) sum = std::fma(row[k], columns[j * depth + k], sum);
    d[j] = sum;
  }
}

}  // namespace negzero::matrix_unit
