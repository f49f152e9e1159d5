// Building a tensor from another one's elements.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::property {

/// Marks an element that comes from none.
inline constexpr std::int64_t kNoOrigin = -1;

/// A tensor of `shape` whose element i is from[origins[i]], or `fill` for kNoOrigin.
[[nodiscard]] inline tensor::Tensor map_elements(const tensor::Tensor& from, const std::vector<std::int64_t>& shape,
                                                 std::uint64_t fill, const std::vector<std::int64_t>& origins) {
  tensor::Tensor to(from.format().id, shape);
  for (std::int64_t i = 0; i < to.element_count(); ++i) {
    const std::int64_t at = origins[static_cast<std::size_t>(i)];
    to.set(i, at == kNoOrigin ? fill : from.get(at));
  }
  return to;
}

/// The origins of a tensor of `shape` (rank 3) whose element (i, j, k) comes from origin(i, j, k).
template <typename Origin>
[[nodiscard]] std::vector<std::int64_t> origins_of(const std::vector<std::int64_t>& shape, const Origin& origin) {
  std::vector<std::int64_t> origins;
  for (std::int64_t i = 0; i < shape[0]; ++i) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      for (std::int64_t k = 0; k < shape[2]; ++k) origins.push_back(origin(i, j, k));
    }
  }
  return origins;
}

/// map_elements() by the origins of origins_of().
template <typename Origin>
[[nodiscard]] tensor::Tensor map_tensor(const tensor::Tensor& from, const std::vector<std::int64_t>& shape,
                                        std::uint64_t fill, const Origin& origin) {
  return map_elements(from, shape, fill, origins_of(shape, origin));
}

/// The origins of a tensor of any rank whose line i of `dimension` (a row of a matrix, for one) is line origin[i] of
/// one of `shape`, or nothing of it for kNoOrigin.
[[nodiscard]] inline std::vector<std::int64_t> origins_of_lines(std::vector<std::int64_t> shape, std::size_t dimension,
                                                                const std::vector<std::int64_t>& origin) {
  const std::int64_t old = std::exchange(shape[dimension], static_cast<std::int64_t>(origin.size()));
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
  std::vector<std::int64_t> origins(static_cast<std::size_t>(tensor::count_elements(shape)));
  for (std::size_t at = 0; at < origins.size(); ++at) {
    const auto i = static_cast<std::int64_t>(at);
    const std::int64_t lines = i / inner, outer = lines / shape[dimension];
    const std::int64_t line = origin[static_cast<std::size_t>(lines % shape[dimension])];
    origins[at] = line == kNoOrigin ? kNoOrigin : (outer * old + line) * inner + i % inner;
  }
  return origins;
}

/// map_elements() by the origins of origins_of_lines(); `fill` is what new lines hold.
[[nodiscard]] inline tensor::Tensor map_lines(const tensor::Tensor& from, std::size_t dimension, std::uint64_t fill,
                                              const std::vector<std::int64_t>& origin) {
  std::vector<std::int64_t> shape = from.shape();
  shape[dimension] = static_cast<std::int64_t>(origin.size());
  return map_elements(from, shape, fill, origins_of_lines(from.shape(), dimension, origin));
}

/// A tensor of the same shape with every element passed through `change`.
template <typename Change>
[[nodiscard]] tensor::Tensor map_words(const tensor::Tensor& from, const Change& change) {
  tensor::Tensor to = from;
  for (std::int64_t i = 0; i < to.element_count(); ++i) to.set(i, change(from.get(i)));
  return to;
}

}  // namespace negzero::property
