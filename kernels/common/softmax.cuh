// What softmax kernels share: the operation, rows in memory, sums and maxima over the threads of a block.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"
#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[i, j] = exp(x[i, j] - m) / sum over j of exp(x[i, j] - m), m the greatest x of the row.
constexpr const char* kSoftmax = "softmax: y[rows, columns] <- x[rows, columns] each rows";
/// The same with the scale of its error, of which a kernel's is 2^-23 times: y * (|x - m| + columns / 64 + 16). With
/// u = 2^-24, x - m is rounded once, which changes its exponential by |x - m| u; expf errs by 2 ulp at most (CUDA C++
/// Programming Guide, mathematical functions); the denominator has such terms and at most columns / 128 + 7 additions of
/// positive numbers (docs/numerics.md section 2c), and so one more factor of each; the quotient is rounded once.
constexpr const char* kSoftmaxReference =
    "softmax.reference: y[rows, columns], y_scale[rows, columns] <- x[rows, columns] each rows";

/// What every softmax kernel in F32 is held to.
[[nodiscard]] inline kernel::Reference softmax_reference() {
  return {.kernel = "softmax.reference.f64", .errors = {{"y", {.ulps = 1, .relative = 0x1p-23}}}};
}

/// Threads of a block, each of which reads every kRowThreads-th element of a row.
constexpr int kRowThreads = 128;

/// A matrix whose rows are computed each by itself, passed to a kernel by value.
struct RowProblem {
  int64_t rows, columns;
  const float* x;
  int64_t x_row, x_column;
  float* y;
  int64_t y_row, y_column;

  __device__ float at(int64_t i, int64_t j) const { return x[i * x_row + j * x_column]; }
  __device__ float& out(int64_t i, int64_t j) const { return y[i * y_row + j * y_column]; }
};

[[nodiscard]] inline RowProblem row_problem(const kernel::Args& args) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  return {args.extent("rows"), args.extent("columns"), x.as<const float>(), x.strides[0],
          x.strides[1],        y.as<float>(),          y.strides[0],        y.strides[1]};
}

/// Folds `partial`, one value a thread, into its first element. All threads of the block call it, and all may read that
/// element behind it.
template <typename Fold>
__device__ float fold_block(float* partial, float own, const Fold& fold) {
  const int thread = static_cast<int>(threadIdx.x);
  partial[thread] = own;
  __syncthreads();
  for (int half = kRowThreads / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] = fold(partial[thread], partial[thread + half]);
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();  // What comes next writes here.
  return result;
}

struct Greater {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct Plus {
  __device__ float operator()(float a, float b) const { return add(a, b); }
};

/// Launches a kernel with a block for each row, folded.
inline kernel::LaunchResult launch_rows(void (*row_kernel)(RowProblem), const RowProblem& problem,
                                        engine::Stream& stream) {
  if (problem.rows > 0 && problem.columns > 0) {
    launch(stream, row_kernel, blocks_for<int64_t>(problem.rows, 1), kRowThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

}  // namespace
}  // namespace negzero::kernels
