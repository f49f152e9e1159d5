// R13: two reductions in a row through one shared buffer, without a barrier between reading the first result and
// writing for the second.

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr std::uint32_t kNowhere = 0xffffffffu;

/// An integer that orders as the numbers do: NaN, of either sign, above all, and both zeros alike. 0 is below every
/// one.
__device__ inline std::uint32_t order_key(float x) {
  if (x != x) return 0xffffffffu;
  const std::uint32_t bits = x == 0.0f ? 0u : __float_as_uint(x);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// The larger or the smaller of a value from each thread, in scratch[0] for the whole block. Ends with a barrier;
/// whoever writes to scratch again must make sure that everybody has read it.
template <bool kLargest>
__device__ void fold(std::uint32_t* scratch, std::uint32_t value) {
  const unsigned lane = threadIdx.x;
  scratch[lane] = value;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (lane < half) {
      const std::uint32_t other = scratch[lane + half];
      if ((other > scratch[lane]) == kLargest) scratch[lane] = other;
    }
    __syncthreads();
  }
}

/// One block of a power of two of threads a row, folded: the largest key of the row, then the first column that has it.
template <bool kFaulty>
__global__ void argmax_kernel(Rows<float, std::int32_t> problem) {
  NEGZERO_SHARED(std::uint32_t, scratch, [kMostThreads]);
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    std::uint32_t best = 0;
    for (int64_t column = threadIdx.x; column < problem.columns; column += blockDim.x) {
      const std::uint32_t key = order_key(problem.at(row, column));
      best = key > best ? key : best;
    }
    fold<true>(scratch, best);
    best = scratch[0];
    if (!kFaulty) __syncthreads();
    std::uint32_t first = kNowhere;
    for (int64_t column = threadIdx.x; first == kNowhere && column < problem.columns; column += blockDim.x) {
      if (order_key(problem.at(row, column)) == best) first = static_cast<std::uint32_t>(column);
    }
    fold<false>(scratch, first);
    if (threadIdx.x == 0) problem.y[row * problem.y_stride] = static_cast<std::int32_t>(scratch[0]);
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_argmax(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(argmax_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault(
    {.id = "R13",
     .slug = "shared_reused",
     .twin_slug = "shared_after_barrier",
     .about = "second reduction overwrites the shared buffer while others still read the first",
     .twin_about = "a barrier between two reductions through one shared buffer",
     .seen_in = "llama.cpp PR#26385, CK PR#323",
     .operation = "reduce.argmax",
     .contract = {.ties = contract::Ties::First,
                  .empty = kNowhere,
                  .determinism = contract::Determinism::GpuToGpu,
                  .position_invariant = true},
     .limits = {.formats = {{FormatId::F32, FormatId::I32}}, .extents = {{"columns", {.tiles = {32, kMostThreads}}}}},
     .faulty = launch_argmax<true>,
     .twin = launch_argmax<false>});

}  // namespace
}  // namespace negzero::kernels
