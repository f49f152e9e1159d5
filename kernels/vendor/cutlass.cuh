// What kernels of CUTLASS share: its universal GEMM by tensor cores for row-major matrices, and a launch of it.
//
// What the contracts say is what the documentation does (docs.nvidia.com/cutlass, and the headers of 4.2):
//
//  * GemmUniversal: sums are held in ElementAccumulator; of their order nothing is said. OpClassTensorOp: tensor cores.
//    Of factors in F32 it says that they are converted to TF32 (Operator OpMultiplyAdd), by the conversion of the
//    warp's operator, which is not named.
//  * LinearCombination: "D = alpha * accumulators + beta * source", in ElementCompute; the source is not read where
//    beta is 0. Of alpha = 0 nothing else is said: A and B are read.
//  * batch_count of kGemm is "the tile-splitting factor": with the identity swizzle the slices of K are added one after
//    another through D, whose elements are ElementOutput; with ThreadblockSwizzleStreamK they are accumulators.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm_universal.h>
#include <cutlass/layout/matrix.h>
#include <cutlass/numeric_types.h>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "stream.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

/// Tiles of 64 x 64 x 32, in four warps. kAlignment: elements at which each row of each matrix must begin.
template <class Element_, class Output_, class Accumulator_, class Architecture_, class Instruction_, int kAlignment_,
          int kStages_>
struct CutlassTypes {
  using Element = Element_;
  using Output = Output_;
  using Accumulator = Accumulator_;
  using Architecture = Architecture_;
  using Instruction = Instruction_;
  static constexpr int kAlignment = kAlignment_, kStages = kStages_;
  using Row = cutlass::layout::RowMajor;
  using Block = cutlass::gemm::GemmShape<64, 64, 32>;
  using Warp = cutlass::gemm::GemmShape<32, 32, 32>;
  using Epilogue = cutlass::epilogue::thread::LinearCombination<Output, kAlignment, Accumulator, Accumulator>;
};

template <class Types, class Swizzle>
using CutlassGemm = cutlass::gemm::device::GemmUniversal<
    typename Types::Element, typename Types::Row, typename Types::Element, typename Types::Row, typename Types::Output,
    typename Types::Row, typename Types::Accumulator, cutlass::arch::OpClassTensorOp, typename Types::Architecture,
    typename Types::Block, typename Types::Warp, typename Types::Instruction, typename Types::Epilogue, Swizzle,
    Types::kStages, Types::kAlignment, Types::kAlignment>;

using F16Shape = cutlass::gemm::GemmShape<16, 8, 16>;
using SmallShape = cutlass::gemm::GemmShape<16, 8, 8>;
/// Elements that are loaded 16 bytes at a time, by asynchronous copies.
template <class Output, class Accumulator>
using Aligned = CutlassTypes<cutlass::half_t, Output, Accumulator, cutlass::arch::Sm80, F16Shape, 8, 3>;
/// Elements that may lie anywhere. Asynchronous copies move 4 bytes at least, and Turing has none.
template <class Output, class Accumulator>
using Unaligned = CutlassTypes<cutlass::half_t, Output, Accumulator, cutlass::arch::Sm75, SmallShape, 1, 2>;
using Tf32 = CutlassTypes<float, float, float, cutlass::arch::Sm80, SmallShape, 1, 3>;

/// Elements from row to row. A stride of fewer than two rows means nothing.
inline int64_t leading_dimension(const kernel::Operand& operand, int64_t rows, int64_t columns) {
  return rows > 1 ? operand.strides[1] : std::max<int64_t>(columns, 1);
}

/// Elements of a scalar as Types compute with them.
template <class Value>
Value cutlass_scalar(const kernel::ScalarArg& scalar) {
  if constexpr (sizeof(Value) == 2) {
    return Value::bitcast(static_cast<std::uint16_t>(scalar.bits));
  } else {
    return scalar.as<Value>();
  }
}

inline kernel::LaunchResult cutlass_answer(cutlass::Status status, engine::Stream& stream) {
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) {
    stream.record_device_error(error, cudaGetErrorString(error));
  } else if (status != cutlass::Status::kSuccess) {
    return kernel::LaunchResult::refuse(cutlass::cutlassGetStatusString(status));
  }
  return kernel::LaunchResult::launched();
}

/// Runs a batch (slices = 1), or one product in `slices` slices of K. Refuses what CUTLASS does.
template <class Types, class Swizzle>
kernel::LaunchResult run_cutlass(const kernel::GemmArgs& gemm, int slices, kernel::Workspace& workspace,
                                 engine::Stream& stream) {
  using Gemm = CutlassGemm<Types, Swizzle>;
  using cutlass::gemm::GemmUniversalMode;
  using Scalar = typename Types::Accumulator;
  const int m = static_cast<int>(gemm.m), n = static_cast<int>(gemm.n), k = static_cast<int>(gemm.k);
  const bool is_batch = slices == 1;
  typename Gemm::Arguments arguments{is_batch ? GemmUniversalMode::kBatched : GemmUniversalMode::kGemm,
                                     {m, n, k},
                                     is_batch ? static_cast<int>(gemm.batch) : slices,
                                     {cutlass_scalar<Scalar>(gemm.alpha), cutlass_scalar<Scalar>(gemm.beta)},
                                     gemm.a.data,
                                     gemm.b.data,
                                     gemm.c.data,
                                     gemm.d.data,
                                     gemm.a.strides[0],
                                     gemm.b.strides[0],
                                     gemm.c.strides[0],
                                     gemm.d.strides[0],
                                     leading_dimension(gemm.a, m, k),
                                     leading_dimension(gemm.b, k, n),
                                     leading_dimension(gemm.c, m, n),
                                     leading_dimension(gemm.d, m, n)};
  Gemm product;
  if (const auto status = Gemm::can_implement(arguments); status != cutlass::Status::kSuccess) {
    return kernel::LaunchResult::refuse(cutlass::cutlassGetStatusString(status));
  }
  if (!stream.begin_launch()) return kernel::LaunchResult::launched();
  const std::size_t size_bytes = Gemm::get_workspace_size(arguments);
  void* const own = size_bytes > 0 ? workspace.allocate(size_bytes) : nullptr;
  const auto queue = cuda_stream(stream);
  auto status = product.initialize(arguments, own, queue);
  if (status == cutlass::Status::kSuccess) status = product.run(queue);
  return cutlass_answer(status, stream);
}

}  // namespace
}  // namespace negzero::kernels
