// What kernels share that reduce a dimension of three which is not the last one.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"
#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Lines to reduce, passed to a kernel by value: y[outer, inner] is made of `terms` elements of x, which are
/// term_stride apart. Neighbours along `inner` are neighbours in memory, too, where tensors are packed.
template <typename X, typename Y>
struct Lines {
  int64_t outer, terms, inner;
  const X* x;
  int64_t outer_stride, term_stride, inner_stride;
  Y* y;
  int64_t y_outer_stride, y_inner_stride;

  __device__ X at(int64_t o, int64_t term, int64_t i) const {
    return x[o * outer_stride + term * term_stride + i * inner_stride];
  }
  __device__ void give(int64_t o, int64_t i, Y value) const { y[o * y_outer_stride + i * y_inner_stride] = value; }
  [[nodiscard]] __host__ __device__ int64_t outputs() const { return outer * inner; }
};

/// y[o, i] of x[o, 0..columns, i].
template <typename X, typename Y>
Lines<X, Y> lines_of_middle(const kernel::Args& args) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  return {args.extent("outer"), args.extent("columns"),
          args.extent("inner"), x.as<const X>(),
          x.strides[0],         x.strides[1],
          x.strides[2],         y.as<Y>(),
          y.strides[0],         y.strides[1]};
}

/// y[i, j] of x[0..batch, i, j]: the rows are the outer dimension.
template <typename X, typename Y>
Lines<X, Y> lines_of_batch(const kernel::Args& args) {
  const kernel::Operand &x = args.operand("x"), &y = args.operand("y");
  return {args.extent("rows"), args.extent("batch"), args.extent("columns"), x.as<const X>(),
          x.strides[1],        x.strides[0],         x.strides[2],           y.as<Y>(),
          y.strides[0],        y.strides[1]};
}

/// Threads of a block of which each computes whole outputs.
constexpr int kLineThreads = 128;

/// Launches a kernel with one thread an output, folded.
template <typename Problem>
kernel::LaunchResult launch_outputs(void (*line_kernel)(Problem), const Problem& problem, int64_t outputs,
                                    engine::Stream& stream) {
  if (outputs > 0) {
    launch(stream, line_kernel, blocks_for<int64_t>(outputs, kLineThreads), kLineThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

/// The sum of a line, in ascending order from +0.
__device__ inline float chain(const Lines<float, float>& lines, int64_t o, int64_t i) {
  float sum = 0.0f;
  for (int64_t term = 0; term < lines.terms; ++term) sum = add(sum, lines.at(o, term, i));
  return sum;
}

/// Of the kernels that add by chain().
inline contract::Contract line_chain_contract() {
  return {.wider = false,
          .order = contract::Order::Ascending,
          .start = contract::Start::PlusZero,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels
