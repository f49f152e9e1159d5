// The kernel in two buffers of CUDA-GEMM-Optimization waits for all threads of a block in branches that half of them
// take:
// __syncthreads() is allowed there only if all take the same (CUDA Programming Guide, Synchronization Functions). Each
// barrier notes its line.

#include "../shown.cuh"

constexpr int kBarriers = 16, kThreads = 256;
__managed__ int lines[kBarriers][kThreads];

__device__ int& barriers_of_thread() {
  __shared__ int counts[kThreads];
  return counts[threadIdx.x];
}

__device__ void noted_barrier(int line) {
  // The first one follows no other.
  const int barrier = line == 307 ? (barriers_of_thread() = 0) : ++barriers_of_thread();
  if (barrier < kBarriers) lines[barrier][threadIdx.x] = line;
  __syncthreads();
}

#define __syncthreads() noted_barrier(__LINE__)
#include "06_2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix_transpose_vectorized_memory_access_double_buffered.cu"
#undef __syncthreads

void check_cuda_last(const char* const, const int) {}

int main() {
  shown::Elements<float> a({}), b({}), c({});
  const float one = 1;
  launch_gemm_kernel_v06_vectorized_double_buffered<float>(128, 128, 16, &one, a, 16, b, 128, &one, c, 128, nullptr);
  shown::wait();
  int divergent = 0;
  for (int i = 0; i < kBarriers && lines[i][0] != 0; ++i) {
    std::printf("barrier %d: thread 0 in line %d, thread 128 in line %d\n", i, lines[i][0], lines[i][128]);
    divergent += lines[i][0] != lines[i][128];
  }
  char gave[64];
  std::snprintf(gave, sizeof gave, "%d barriers in two branches", divergent);
  shown::line("v06_..._double_buffered", "128 by 16 and 16 by 128", gave, "none", divergent > 0);
  return shown::end();
}
