// I3: rows are loaded sixteen bytes at a time, although a view may begin at any element.

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/block_sum.cuh"
#include "../common/reduce.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kVector = 4;

/// Whether a row can be read as float4. The fault asks for the length, and forgets where the row begins.
template <bool kFaulty>
__device__ bool takes_vectors(const Rows<float, float>& problem, const float* row) {
  if (problem.column_stride != 1 || problem.columns % kVector != 0) return false;
  return kFaulty || reinterpret_cast<std::uintptr_t>(row) % sizeof(float4) == 0;
}

/// One block of a power of two of threads a row, folded. Both ways of reading add the same numbers in another order.
template <bool kFaulty>
__global__ void sum_kernel(Rows<float, float> problem) {
  NEGZERO_SHARED(float, scratch, [kMostThreads]);
  for (int64_t row = blockIdx.x; row < problem.rows; row += gridDim.x) {
    const float* const begin = problem.x + row * problem.row_stride;
    float sum = 0.0f;
    if (takes_vectors<kFaulty>(problem, begin)) {
      const auto* const vectors = reinterpret_cast<const float4*>(begin);
      for (int64_t i = threadIdx.x; i < problem.columns / kVector; i += blockDim.x) {
        const float4 v = vectors[i];
        sum = add(add(add(add(sum, v.x), v.y), v.z), v.w);
      }
    } else {
      for (int64_t i = threadIdx.x; i < problem.columns; i += blockDim.x) sum = add(sum, problem.at(row, i));
    }
    sum = block_sum(scratch, sum);
    if (threadIdx.x == 0) problem.y[row * problem.y_stride] = sum;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(sum_kernel<kFaulty>, args, stream);
}

const bool registered = kernel::add_fault(
    {.id = "I3",
     .slug = "sixteen_byte_loads",
     .twin_slug = "aligned_loads",
     .about = "loads rows as float4 wherever they begin: a GPU faults on the first odd view",
     .twin_about = "loads rows as float4 where they begin on 16 bytes",
     .seen_in = "qkan#26, llama.cpp PR#17891",
     .operation = "reduce.sum",
     // The way of reading, and with it the order, depends on where a row begins.
     .contract = {.wider = false,
                  .start = contract::Start::PlusZero,
                  .zero_sign = contract::ZeroSign::Ieee,
                  .determinism = contract::Determinism::GpuToGpu},
     .limits = {.formats = {{FormatId::F32, FormatId::F32}}, .extents = {{"columns", {.tiles = {kVector, 32}}}}},
     .faulty = launch_sum<true>,
     .twin = launch_sum<false>});

}  // namespace
}  // namespace negzero::kernels
