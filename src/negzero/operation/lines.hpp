// Where the terms of an output's elements lie in the tensor that is reduced, along whichever dimension.
//
//     y[o<outer, i<inner] = sum(j<columns: x[o,j,i])      terms of y[o, i]: x[o, 0, i], x[o, 1, i], ...
//                                                         first o * columns * inner + i, step inner, count columns

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <negzero/operation/operation.hpp>

namespace negzero::operation {

/// Elements of a packed tensor that are equally far apart: first, first + step, and so on.
struct Line {
  std::int64_t first = 0, step = 1, count = 0;

  /// The place of term `i`, below `count`.
  [[nodiscard]] std::int64_t at(std::int64_t i) const noexcept { return first + i * step; }
  friend bool operator==(const Line&, const Line&) = default;
};

/// The lines of a Kind::Reduction or Kind::Scan, one for each element of its outputs.
class Lines {
 public:
  /// Requires an operation of one of these kinds.
  explicit Lines(const Operation& operation);

  /// How many elements each output has, 0 where an extent of it is.
  [[nodiscard]] std::int64_t outputs() const noexcept { return outputs_; }
  /// How many terms there are at most: the reduced extent.
  [[nodiscard]] std::int64_t longest() const noexcept { return longest_; }
  /// How many elements lie from one to the next of the same line in the output of a scan, row-major: so many lines take
  /// turns in it.
  [[nodiscard]] std::int64_t abreast() const noexcept { return abreast_; }
  /// The element of a scan whose terms are this one's but for the last; -1 where it is the first of its line, and in a
  /// reduction.
  [[nodiscard]] std::int64_t before(std::int64_t element) const noexcept {
    return scans_ && element / abreast_ % longest_ != 0 ? element - abreast_ : -1;
  }
  /// The terms of an element, by its place in row-major order. A scan's line ends with the element's own index or
  /// before it; a reduction over an extent of 0 has lines of no terms.
  [[nodiscard]] Line of(std::int64_t element) const noexcept;

 private:
  /// One dimension of the output. An element's index in it is element / below % extent.
  struct Dimension {
    std::int64_t below = 1, extent = 0;
    std::int64_t stride = 0;  ///< of the reduced tensor along the same extent; 0 where the line does not begin there
    bool ends_terms = false;  ///< of a scan: the index that says how far a sum goes
  };
  std::array<Dimension, notation::kMostDimensions> dimensions_{};
  std::size_t rank_ = 0;
  std::int64_t outputs_ = 1, longest_ = 0, step_ = 1;
  std::int64_t abreast_ = 1;
  bool scans_ = false;
  std::int64_t own_ = 0;  ///< how many terms of a scan lie at the element's own index: 1 or 0
};

}  // namespace negzero::operation
