// Which elements of a tensor are of the operation: those whose index is below its count, and that the line reads or
// writes.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/reached.hpp>

namespace negzero::operation {

/// The elements of one tensor that count: all but those whose index reaches what counts allow it (i<rows[g]<=capacity),
/// and those that a line leaves out which says what it `reads` or `writes` of the tensor. A kernel may read and write
/// the others, whose values mean nothing, but none of an output that the line does not write. A tensor that lacks an
/// index of the counts has no padding.
class Counted {
 public:
  /// Of the input or output of that name. The case must be valid and outlive it.
  Counted(const Case& value, std::string_view tensor);
  /// Whether every element counts, because no counts are about this tensor.
  [[nodiscard]] bool all() const noexcept { return bounds_.empty() && !reached_; }
  /// Whether an element counts, by its place in row-major order.
  [[nodiscard]] bool holds(std::int64_t element) const noexcept {
    return is_reached(element) && is_within_counts(element);
  }
  /// Whether an element of an output keeps what its memory held: one that the line does not write.
  [[nodiscard]] bool stays(std::int64_t element) const noexcept { return !is_reached(element); }

 private:
  /// Coordinate of an element: element / stride % extent.
  struct Dimension {
    std::int64_t stride, extent;
    [[nodiscard]] std::int64_t of(std::int64_t element) const noexcept { return element / stride % extent; }
  };
  struct Bound {
    Dimension index{};
    const tensor::Tensor* counts = nullptr;
    std::vector<Dimension> outer{};  ///< what chooses the count, outermost first
  };
  [[nodiscard]] bool is_reached(std::int64_t element) const noexcept {
    return !reached_ || (*reached_)[static_cast<std::size_t>(element)];
  }
  [[nodiscard]] bool is_within_counts(std::int64_t element) const noexcept;

  std::vector<Bound> bounds_;
  std::optional<Reached> reached_{};  ///< nothing: the line does not say what it reads or writes
};

/// Sets every element that does not count to `word`, of `elements` in the place of the case's tensor of that name.
void set_padding(const Case& value, std::string_view tensor, tensor::Tensor& elements, std::uint64_t word);

}  // namespace negzero::operation
