// How much there is to compute in a case, by its extents alone.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// Measures the cases of one operation inside some limits.
///
/// The unit is what one element, or one product of a sum, costs to draw, run and judge:
///
///   a line with a sum       its products: results times terms
///   a conversion            its elements
///   an update               its updates or destinations, whichever are more
///   a declared operation    the elements of its tensors, or an eighth of the products of two inputs that share an
///                           extent, as if one were contracted with the other; whichever are more
///
/// A declared line says nothing of sums. Of extents that have one value only, as packed dimensions do (x[b, t, 1024]
/// beside w[n, t, 128], eight weights to a word), those of one of the two inputs count: those of both are one dimension
/// in two units.
class Workload {
 public:
  explicit Workload(const notation::Signature& signature, const Limits& limits = {});

  [[nodiscard]] const notation::Signature& signature() const { return signature_; }
  /// The work of a case of these extents, in the signature's order; an extent of 0 counts as 1. Saturates at kMuch.
  [[nodiscard]] std::int64_t of(std::span<const std::int64_t> extents) const;
  /// The work of the least case that the limits accept with no extent of 0, where they accept such.
  [[nodiscard]] std::int64_t least() const { return least_; }

  /// More than any case has.
  static constexpr std::int64_t kMuch = std::int64_t{1} << 40;

 private:
  /// Two inputs of a declared operation that share an extent: what both have that varies, and what else each has.
  struct Pair {
    std::vector<std::size_t> varying, left, right;
  };

  const notation::Signature& signature_;
  std::vector<Pair> pairs_;
  std::int64_t least_ = 1;
};

/// The extents of the least case that the limits accept with no extent of 0, where they accept such.
[[nodiscard]] std::vector<std::int64_t> least_extents(const notation::Signature& signature, const Limits& limits);

/// The work of a case by its line alone; `most` + 1 where there is more than that. Requires `most` below kMuch.
[[nodiscard]] std::int64_t work_of(const Operation& operation, std::int64_t most);

}  // namespace negzero::operation
