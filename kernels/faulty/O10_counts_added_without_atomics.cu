// O10: a histogram whose blocks add their counters to the counts without atomics, and lose each other's.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/histogram.cuh"

namespace negzero::kernels {
namespace {

/// Blocks of kRowThreads threads, a thread an element, folded.
template <bool kFaulty>
__global__ void count_kernel(HistogramProblem problem) {
  NEGZERO_SHARED(int, counters, [kMostBins]);
  for (int64_t b = threadIdx.x; b < problem.bins; b += kRowThreads) counters[b] = 0;
  __syncthreads();
  for (int64_t i = first_piece(); i < problem.n; i += piece_stride()) atomicAdd(&counters[problem.at.at(i)], 1);
  __syncthreads();
  for (int64_t b = threadIdx.x; b < problem.bins; b += kRowThreads) {
    if (kFaulty) {
      problem.counts.at(b) += counters[b];
    } else if (counters[b] != 0) {
      atomicAdd(&problem.counts.at(b), counters[b]);
    }
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_histogram(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_counts(count_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault({.id = "O10",
                                           .slug = "counts_added_without_atomics",
                                           .twin_slug = "counts_added_by_atomics",
                                           .about = "blocks add to the counts as if no other block did",
                                           .twin_about = "blocks add to the counts by atomics",
                                           .seen_in = "picongpu PR#2231",
                                           .operation = kHistogram,
                                           .contract = counting_contract(),
                                           .limits = histogram_limits(),
                                           .reference = histogram_reference(),
                                           .faulty = launch_histogram<true>,
                                           .twin = launch_histogram<false>});

}  // namespace
}  // namespace negzero::kernels
