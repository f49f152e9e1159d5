// CUDA for one thread after the other on the host: exported programs run where no GPU is. Kernels that wait for other
// threads do not.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__
#define __host__

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
inline dim3 gridDim, blockDim, blockIdx, threadIdx;

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

template <class T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  *memory = static_cast<T*>(std::malloc(bytes + 1));
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }

template <class T>
cudaError_t cudaMemset(T* memory, int byte, std::size_t bytes) {
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}
enum { cudaFuncAttributeMaxDynamicSharedMemorySize };
inline cudaError_t cudaFuncSetAttribute(const void*, int, int) { return cudaSuccess; }

// Formats that no kernel here computes in, although headers name them.
struct __half {
  float value = 0;
};
using __nv_bfloat16 = __half;
inline float __half2float(__half x) { return x.value; }
inline __half __float2half_rn(float x) { return {x}; }
inline float __bfloat162float(__half x) { return x.value; }
inline __half __float2bfloat16_rn(float x) { return {x}; }
inline __half __hmul_rn(__half a, __half) { return a; }
inline __half __hfma(__half a, __half, __half) { return a; }

using std::max;
using std::min;
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
template <class To, class From>
To bits_as(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
inline int __float_as_int(float x) { return bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }
inline float __int_as_float(int x) { return bits_as<float>(x); }
template <class T>
T atomicExch(T* at, T value) {
  const T before = *at;
  *at = value;
  return before;
}
template <class T>
T atomicMax(T* at, T value) {
  return atomicExch(at, *at < value ? value : *at);
}
template <class T>
T atomicMin(T* at, T value) {
  return atomicExch(at, value < *at ? value : *at);
}

/// What `<<<grid, block>>>` becomes.
template <class Body>
void fake_launch(dim3 grid, dim3 block, const Body& body) {
  gridDim = grid;
  blockDim = block;
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) body();
  }
}
