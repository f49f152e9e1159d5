// Versions, launches by functions, libcu++, complex numbers, 4- and 6-bit floats, __fdividef.

#include <cuComplex.h>
#include <cuda.h>
#include <cuda/atomic>
#include <cuda/functional>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_runtime.h>

#include "expect.cuh"

#if CUDART_VERSION < 13000 || CUDA_VERSION < 13000 || __CUDACC_VER_MAJOR__ < 13
#error "the versions are those of CUDA 13.0"
#endif

/// A class of an author: its types have to be there.
struct Graph {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamCaptureMode mode;
};

template <typename T>
__global__ void add(T* out, T value, int where) {
  if (threadIdx.x == 1) out[where] += value;
}

__device__ cuda::atomic<int, cuda::thread_scope_device> arrived;

__global__ void atomics(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> turn;
  __shared__ int order[64];
  if (threadIdx.x == 0) turn.store(0, cuda::std::memory_order_relaxed);
  __syncthreads();
  // Each thread waits for the one before it: what that has written is there.
  while (turn.load(cuda::std::memory_order_acquire) != static_cast<int>(threadIdx.x)) {
  }
  order[threadIdx.x] = threadIdx.x == 0 ? 1 : order[threadIdx.x - 1] + 2;
  turn.fetch_add(1, cuda::std::memory_order_release);
  cuda::atomic_ref<int, cuda::thread_scope_device> sum(out[0]), most(out[1]);
  sum.fetch_add(order[threadIdx.x]);
  most.fetch_max(order[threadIdx.x], cuda::memory_order_relaxed);
  arrived++;
  if (threadIdx.x == 63) out[2] = order[63];
}

__global__ void numbers(float* out) {
  const cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuFloatComplex(0, -4);
  const cuFloatComplex product = cuCmulf(a, b), quotient = cuCdivf(product, b);
  out[0] = cuCrealf(product), out[1] = cuCimagf(product), out[2] = cuCrealf(quotient), out[3] = cuCimagf(quotient);
  out[4] = cuCabsf(b), out[5] = static_cast<float>(cuCabs(make_cuDoubleComplex(3e200, 4e200)) / 1e200);
  out[6] = static_cast<float>(__nv_fp4_e2m1(2.5f)), out[7] = static_cast<float>(__nv_fp4_e2m1(-100.0f));
  out[8] = static_cast<float>(__nv_fp6_e2m3(0.0626f)), out[9] = static_cast<float>(__nv_fp6_e3m2(27.0f));
  out[10] = static_cast<float2>(__nv_fp4x2_e2m1(make_float2(1.5f, -6))).y;
  out[11] = __nv_cvt_float2_to_fp4x2(make_float2(1.5f, -6), __NV_E2M1, cudaRoundNearest);
  out[12] = cuda::std::numeric_limits<float>::max() > 3e38f ? cuda::maximum<>{}(1, 2) : 0;
  const cuda::std::pair<int, float> two(3, 4.0f);
  out[13] = two.second;
  out[14] = __fdividef(0x1p127f, 0x1p126f), out[15] = __fdividef(0x1p127f, 0x1.000002p126f);
  out[16] = __fdividef(-1, 0x1.fffffep127f), out[17] = isnan(__fdividef(1 / out[15], 0x1p127f)) ? 1 : 0;
  out[18] = __fdividef(0x1p127f, 1 / out[15]);
  const float values[] = {2.5f, 3.5f, -0.75f, 127.4f, 1e30f, -128.6f, 0.0f / out[15]};
  for (int i = 0; i < 7; ++i) {
    int byte;
    asm volatile("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(byte) : "f"(values[i]));
    out[19 + i] = byte;
  }
}

void run(const float* t, float* x, int n) {
  copy<<<1, 32>>>(t, x, n);
  int* sums = zeros<int>(4);
  double* others = zeros<double>(1);
  int value = 5, where = 0;
  double other = 0.5;
  void* arguments[] = {&sums, &value, &where};
  void* of_other[] = {&others, &other, &where};
  cudaLaunchKernel((const void*)add<int>, dim3(1), dim3(32), arguments, 0, nullptr);
  cudaLaunchKernel(reinterpret_cast<void*>(&add<double>), dim3(1), dim3(32), of_other, 0, nullptr);
  where = 1;
  cudaLaunchCooperativeKernel((void*)add<int>, 1, 32, arguments);
  cudaLaunchConfig_t config = {};
  config.gridDim = 1;
  config.blockDim = 32;
  cudaLaunchKernelEx(&config, add<int>, sums, 7, 2);
  where = 3;
  cudaLaunchKernelExC(&config, (const void*)add<int>, arguments);
  const std::vector<int> added = taken(sums, 4);
  expect("cudaLaunchKernel", added[0], 5);
  expect("cudaLaunchKernel of doubles", taken(others, 1)[0], 0.5);
  expect("cudaLaunchCooperativeKernel", added[1], 5);
  expect("cudaLaunchKernelEx", added[2], 7);
  expect("cudaLaunchKernelExC", added[3], 5);

  int* d_atomics = zeros<int>(3);
  atomics<<<1, 64>>>(d_atomics);
  const std::vector<int> found = taken(d_atomics, 3);
  expect("atomic_ref sum", found[0], 64 * 64);
  expect("atomic_ref maximum", found[1], 127);
  expect("an order of turns", found[2], 127);

  const float wanted[] = {8, -4, 1, 2, 4, 5, 2, -6, 0.125f, 28,  -6,  0xf3, 2,
                          4, 2,  0, 0, 1, 0, 2, 4,  -1,     127, 127, -128, 0};
  constexpr int kCount = sizeof(wanted) / sizeof(float);
  float* d_numbers = zeros<float>(kCount);
  numbers<<<1, 1>>>(d_numbers);
  const std::vector<float> got = taken(d_numbers, kCount);
  for (int i = 0; i < kCount; ++i) expect("number " + std::to_string(i), got[i], wanted[i]);
}
