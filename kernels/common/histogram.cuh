// What kernels that count share: the operation, what its values are held to, the problem, and the launch of both parts.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// counts[b] = how many of at are b.
constexpr const char* kHistogram = "histogram: counts[bins] <- at[n] < bins";
constexpr const char* kHistogramReference = "histogram.reference: counts[bins] <- at[n] < bins";

/// Held to the very number: integers.
[[nodiscard]] inline kernel::Reference histogram_reference() { return {.kernel = "histogram.reference.f64"}; }

/// Counters of a block in shared memory.
constexpr int kMostBins = 1024;

struct HistogramProblem {
  int64_t n, bins;
  VectorView<const std::int32_t> at;
  VectorView<std::int32_t> counts;
};

[[nodiscard]] inline HistogramProblem histogram_problem(const kernel::Args& args) {
  return {args.extent("n"), args.extent("bins"), vector_of<const std::int32_t>(args, "at"),
          vector_of<std::int32_t>(args, "counts")};
}

/// Integers come out alike in every order, on every GPU.
[[nodiscard]] inline contract::Contract counting_contract() { return {.determinism = contract::Determinism::GpuToGpu}; }

[[nodiscard]] inline operation::Limits histogram_limits() {
  return {.formats = {{number::FormatId::I32}},
          .extents = {{"n", {.tiles = {kRowThreads}}}, {"bins", {.max = kMostBins, .tiles = {kRowThreads}}}}};
}

/// Grid: any number of blocks along x; a thread takes every so-many-th counter.
__global__ void clear_kernel(HistogramProblem problem) {
  for (int64_t b = first_piece(); b < problem.bins; b += piece_stride()) problem.counts.at(b) = 0;
}

/// Clears the counts, and adds those of `count_kernel`, which has a thread an element, folded.
inline kernel::LaunchResult launch_counts(void (*count_kernel)(HistogramProblem), const kernel::Args& args,
                                          engine::Stream& stream) {
  const HistogramProblem problem = histogram_problem(args);
  launch_pieces(clear_kernel, problem, problem.bins, stream);
  return launch_pieces(count_kernel, problem, problem.bins > 0 ? problem.n : 0, stream);
}

}  // namespace
}  // namespace negzero::kernels
