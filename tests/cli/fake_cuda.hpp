// CUDA for one thread after the other on the host: exported programs run where no GPU is. Kernels that wait for other
// threads do not.

#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__

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

/// What `<<<grid, block>>>` becomes.
template <class Body>
void fake_launch(dim3 grid, dim3 block, const Body& body) {
  gridDim = grid;
  blockDim = block;
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
    for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) body();
  }
}
