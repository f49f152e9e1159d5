// Kernels of atomics: every address space and every type.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

__global__ void add_atomically_kernel(int n, bool in_shared, const float* values, float* total) {
  NEGZERO_SHARED(float, sum);
  if (in_shared) {
    if (threadIdx.x == 0) sum = *total;
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) atomicAdd(&sum, values[i]);
    __syncthreads();
    if (threadIdx.x == 0) *total = sum;
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) atomicAdd(total, values[i]);
  }
}

__global__ void add_atomically_all_kernel(int n, double* f64, __half* f16, __nv_bfloat16* bf16, int* i32,
                                          unsigned long long* u64) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  atomicAdd(f64, 0.5);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  atomicAdd(f16, __float2half(1.0f));
  atomicAdd(bf16, __float2bfloat16(1.0f));
#endif
  atomicAdd(i32, -1);
  atomicAdd(u64, 0x100000000ull);
}

/// One thread's calls in a row; results[i] holds what the i-th returned, then what memory held at the end.
__global__ void integer_atomics_kernel(int* results) {
  NEGZERO_SHARED(int, cell);
  NEGZERO_SHARED(unsigned, word);
  NEGZERO_SHARED(unsigned short, small, [2]);
  if (threadIdx.x != 0) return;
  cell = -5;
  word = 0xf0u;
  small[0] = 3;
  small[1] = 9;
  results[0] = atomicMax(&cell, -7);
  results[1] = atomicMax(&cell, 4);
  results[2] = atomicMin(&cell, 10);
  results[3] = atomicMin(&cell, -1);
  results[4] = atomicSub(&cell, 2);
  results[5] = atomicCAS(&cell, 0, 11);
  results[6] = atomicCAS(&cell, -3, 12);
  results[7] = atomicExch(&cell, 13);
  results[8] = cell;
  results[9] = static_cast<int>(atomicAnd(&word, 0x30u));
  results[10] = static_cast<int>(atomicOr(&word, 0x03u));
  results[11] = static_cast<int>(atomicXor(&word, 0x11u));
  results[12] = static_cast<int>(atomicInc(&word, 0x22u));
  results[13] = static_cast<int>(atomicDec(&word, 7u));
  results[14] = static_cast<int>(word);
  results[15] = atomicCAS(&small[0], static_cast<unsigned short>(3), static_cast<unsigned short>(4));
  results[16] = small[0] * 100 + small[1];
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void add_atomically(Stream& stream, int n, bool in_shared, const float* values, float* total) {
  negzero::launch(stream, add_atomically_kernel, 1, 64, 0, n, in_shared, values, total);
}

void add_atomically_all(Stream& stream, int n, double* f64, std::uint16_t* f16, std::uint16_t* bf16, int* i32,
                        unsigned long long* u64) {
  negzero::launch(stream, add_atomically_all_kernel, (n + 63) / 64, 64, 0, n, f64, reinterpret_cast<__half*>(f16),
                  reinterpret_cast<__nv_bfloat16*>(bf16), i32, u64);
}

void integer_atomics(Stream& stream, int threads, int* results) {
  negzero::launch(stream, integer_atomics_kernel, 1, threads, 0, results);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
