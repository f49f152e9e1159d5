// A histogram by atomics on counters in shared memory, which each block then adds to the counts; and its reference.

#include <negzero/cuda/cuda.hpp>

#include "../common/histogram.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Grid: any number of blocks along x, each of kRowThreads threads; a thread takes every so-many-th element.
__global__ void count_kernel(HistogramProblem problem) {
  NEGZERO_SHARED(int, counters, [kMostBins]);
  for (int64_t b = threadIdx.x; b < problem.bins; b += kRowThreads) counters[b] = 0;
  __syncthreads();
  for (int64_t i = first_piece(); i < problem.n; i += piece_stride()) atomicAdd(&counters[problem.at.at(i)], 1);
  __syncthreads();
  for (int64_t b = threadIdx.x; b < problem.bins; b += kRowThreads) {
    if (counters[b] != 0) atomicAdd(&problem.counts.at(b), counters[b]);
  }
}

/// One thread for each bin, which reads all indices: no atomics.
__global__ void histogram_reference_kernel(HistogramProblem problem) {
  for (int64_t b = first_piece(); b < problem.bins; b += piece_stride()) {
    std::int32_t count = 0;
    for (int64_t i = 0; i < problem.n; ++i) count += problem.at.at(i) == b ? 1 : 0;
    problem.counts.at(b) = count;
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "histogram.shared.i32",
        .operation = kHistogram,
        .about = "atomics on counters in shared memory, then on the counts",
        .contract = counting_contract(),
        .limits = histogram_limits(),
        .reference = histogram_reference(),
        .launch = [](const kernel::Args& args, kernel::Workspace&,
                     engine::Stream& stream) { return launch_counts(count_kernel, args, stream); },
    }),
    kernel::registry().add({
        .name = "histogram.reference.f64",
        .operation = kHistogramReference,
        .about = "by a thread a bin, in integers as all numbers here are: the reference of the others",
        .contract = counting_contract(),
        .limits = {.formats = {{FormatId::I32}}},
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const HistogramProblem problem = histogram_problem(args);
              return launch_pieces(histogram_reference_kernel, problem, problem.bins, stream);
            },
    }),
};

}  // namespace
}  // namespace negzero::kernels
