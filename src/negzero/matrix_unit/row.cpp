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

constexpr std::size_t kMostDepth = 16;

using Line = std::array<Held, kMostDepth>;

std::uint32_t load(const Words& words, std::size_t i) noexcept {
  const std::size_t size_bytes = static_cast<std::size_t>(number::format(words.format).bits) / 8;
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<const char*>(words.first) + i * size_bytes, size_bytes);
  return word;
}

/// Takes `depth` words from `begin` on apart.
Line hold_line(const Words& words, std::size_t begin, std::size_t depth) noexcept {
  Line line;
  for (std::size_t k = 0; k < depth; ++k) line[k] = hold(number::format(words.format), load(words, begin + k));
  return line;
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
  const number::Format& result = number::format(d_format);
  const std::size_t length = row.format == FormatId::TF32 ? 4 : 16;
  const Line x = hold_line(row, 0, depth);
  for (std::size_t j = 0; j < count; ++j) {
    const Line y = hold_line(columns, j * depth, depth);
    Held accumulator = hold(number::format(c.format), load(c, j));
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < depth; k += length) {
      word = step(std::span(x).subspan(k, length), std::span(y).subspan(k, length), accumulator, result);
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
