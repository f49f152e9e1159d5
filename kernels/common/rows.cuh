// What kernels with a block for each row share: folds over the threads of the block, launches, and those of references.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"
#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Threads of a block, each of which reads every kRowThreads-th element of a row.
constexpr int kRowThreads = 128;

/// Folds `partial`, one value a thread, into its first element. All threads of the block call it, and all get that
/// element. A sum over a row of n elements is a tree of at most n / 128 + 7 additions above each element: a thread adds
/// ceil(n / 128) - 1 times to its first element, and seven halvings follow.
template <typename T, typename Fold>
__device__ T fold_block(T* partial, T own, const Fold& fold) {
  const int thread = static_cast<int>(threadIdx.x);
  partial[thread] = own;
  __syncthreads();
  for (int half = kRowThreads / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] = fold(partial[thread], partial[thread + half]);
    __syncthreads();
  }
  const T result = partial[0];
  __syncthreads();  // What comes next writes here.
  return result;
}

struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ float operator()(float a, float b) const { return add(a, b); }
  __device__ double operator()(double a, double b) const { return __dadd_rn(a, b); }
};

/// Launches a kernel with a block for each row, folded. There is nothing to do without rows.
template <typename Problem>
kernel::LaunchResult launch_rows(void (*row_kernel)(Problem), const Problem& problem, engine::Stream& stream) {
  if (problem.rows > 0) {
    launch(stream, row_kernel, blocks_for<int64_t>(problem.rows, 1), kRowThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

/// Launches a kernel with a thread for each of `pieces`, folded: elementwise kernels, and references a row a thread.
template <typename Problem>
kernel::LaunchResult launch_pieces(void (*piece_kernel)(Problem), const Problem& problem, int64_t pieces,
                                   engine::Stream& stream) {
  if (pieces > 0) launch(stream, piece_kernel, blocks_for<int64_t>(pieces, kRowThreads), kRowThreads, 0, problem);
  return kernel::LaunchResult::launched();
}

/// Whether F32 sums of terms whose magnitudes sum to this may exceed F32 on their way, in whatever order: a factor of
/// two is left for rounding errors.
__device__ inline bool may_overflow(double magnitudes) { return magnitudes >= 0x1p127 && magnitudes < INFINITY; }

/// The contract of a reference: F64, and a function of each case alone.
[[nodiscard]] inline contract::Contract reference_contract() {
  return {
      .accumulate = number::FormatId::F64, .determinism = contract::Determinism::RunToRun, .position_invariant = true};
}
/// That of kernels without atomics on numbers or choices by position.
[[nodiscard]] inline contract::Contract fixed_order_contract() {
  return {.determinism = contract::Determinism::RunToRun, .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels
