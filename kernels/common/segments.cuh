// What kernels that sum segments share: the operation, what its values are held to, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[s] = the sum of x from ends[s - 1], or 0, to below ends[s]: 0 of an empty segment. Elements behind the last end
/// are of no segment.
constexpr const char* kSegments = "segments.sum: y[segments] <- x[elements], ends[segments] <= elements ascending";
constexpr const char* kSegmentsReference =
    "segments.sum.reference: y[segments], y_scale[segments] <- x[elements], ends[segments] <= elements ascending";

/// What a kernel in F32 with a block a segment is held to: 2^-24 times the scale, which is (n / 128 + 8) times the sum
/// of |x| of n elements. Each is below n / 128 + 7 additions at most (rows.cuh), each of which errs by u = 2^-24
/// (docs/explanation/numerics.md section 2c; additions never err by underflow); one is for terms in u^2.
[[nodiscard]] inline kernel::Reference segments_reference() {
  return {.kernel = "segments.sum.reference.f64", .errors = {{"y", {.relative = 0x1p-24}}}};
}

struct SegmentsProblem {
  int64_t rows, elements;  ///< rows: the segments
  VectorView<const float> x;
  VectorView<const std::int32_t> ends;
  VectorView<float> y;

  __device__ int64_t begin(int64_t s) const { return s == 0 ? 0 : ends.at(s - 1); }
};

[[nodiscard]] inline SegmentsProblem segments_problem(const kernel::Args& args) {
  return {args.extent("segments"), args.extent("elements"), vector_of<const float>(args, "x"),
          vector_of<const std::int32_t>(args, "ends"), vector_of<float>(args, "y")};
}

[[nodiscard]] inline operation::Limits segments_limits() {
  using number::FormatId;
  return {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"elements", {.tiles = {kRowThreads}}}}};
}

}  // namespace
}  // namespace negzero::kernels
