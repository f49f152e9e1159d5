// Building a tensor from another one's elements.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/tensor/tensor.hpp>

namespace negzero::property {

/// Marks an element of map_tensor() that has no origin.
inline constexpr std::int64_t kNoOrigin = -1;

/// A tensor of `shape` (rank 3) whose element (i, j, k) is from[origin(i, j, k)], or `fill` for kNoOrigin.
template <typename Origin>
[[nodiscard]] tensor::Tensor map_tensor(const tensor::Tensor& from, std::vector<std::int64_t> shape, std::uint64_t fill,
                                        const Origin& origin) {
  tensor::Tensor to(from.format().id, shape);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      for (std::int64_t k = 0; k < shape[2]; ++k) {
        const std::int64_t at = origin(i, j, k);
        to.set(next++, at == kNoOrigin ? fill : from.get(at));
      }
    }
  }
  return to;
}

/// A tensor of any rank whose line i of `dimension` (a row of a matrix, for one) is line origin[i] of `from`, or holds
/// `fill` for kNoOrigin.
[[nodiscard]] inline tensor::Tensor map_lines(const tensor::Tensor& from, std::size_t dimension, std::uint64_t fill,
                                              const std::vector<std::int64_t>& origin) {
  std::vector<std::int64_t> shape = from.shape();
  const std::int64_t old = std::exchange(shape[dimension], static_cast<std::int64_t>(origin.size()));
  tensor::Tensor to(from.format().id, shape);
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
  for (std::int64_t i = 0; i < to.element_count(); ++i) {
    const std::int64_t lines = i / inner, outer = lines / shape[dimension];
    const std::int64_t line = origin[static_cast<std::size_t>(lines % shape[dimension])];
    to.set(i, line == kNoOrigin ? fill : from.get((outer * old + line) * inner + i % inner));
  }
  return to;
}

/// A tensor of the same shape with every element passed through `change`.
template <typename Change>
[[nodiscard]] tensor::Tensor map_words(const tensor::Tensor& from, const Change& change) {
  tensor::Tensor to = from;
  for (std::int64_t i = 0; i < to.element_count(); ++i) to.set(i, change(from.get(i)));
  return to;
}

}  // namespace negzero::property
