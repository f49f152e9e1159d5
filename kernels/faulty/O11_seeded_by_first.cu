// O11: a segment's sum starts at its first element, which an empty segment does not have: it is the next one's.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/segments.cuh"

namespace negzero::kernels {
namespace {

/// One block of kRowThreads threads a segment, folded. The fault looks at no memory behind x, where it would crash.
template <bool kFaulty>
__global__ void segments_kernel(SegmentsProblem problem) {
  NEGZERO_SHARED(float, partial, [kRowThreads]);
  for (int64_t s = blockIdx.x; s < problem.rows; s += gridDim.x) {
    const int64_t begin = problem.begin(s), end = problem.ends.at(s);
    float sum = 0.0f;
    int64_t i = begin + threadIdx.x;
    if (threadIdx.x == 0 && begin < (kFaulty ? problem.elements : end)) {
      sum = problem.x.at(begin);
      i += kRowThreads;
    }
    for (; i < end; i += kRowThreads) sum = add(sum, problem.x.at(i));
    sum = fold_block(partial, sum, Plus{});
    if (threadIdx.x == 0) problem.y.at(s) = sum;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_segments(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(segments_kernel<kFaulty>, segments_problem(args), stream);
}

const bool registered = kernel::add_fault({.id = "O11",
                                           .slug = "seeded_by_first",
                                           .twin_slug = "seeded_by_own_first",
                                           .about = "a sum starts at the first element, of an empty segment too",
                                           .twin_about = "a sum starts at the first element where there is one",
                                           .seen_in = "cudf PR#23689",
                                           .operation = kSegments,
                                           .contract = fixed_order_contract(),
                                           .limits = segments_limits(),
                                           .reference = segments_reference(),
                                           .faulty = launch_segments<true>,
                                           .twin = launch_segments<false>});

}  // namespace
}  // namespace negzero::kernels
