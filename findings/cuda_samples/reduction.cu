// reduce7 of cuda-samples: lanes read by shuffles what lanes outside the mask hold, which is undefined (CUDA
// Programming Guide, Warp Shuffle Functions). Every shuffle of the file goes through a check of its source lane.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "../shown.cuh"

__managed__ int shuffles, outside, others;

template <typename T>
__device__ T checked_shfl_down(unsigned mask, T value, int offset) {
  const int source = static_cast<int>(threadIdx.x % 32) + offset;
  const T got = __shfl_down_sync(mask, value, offset);
  atomicAdd(&shuffles, 1);
  if (source < 32 && (mask >> source & 1) == 0) {
    atomicAdd(&outside, 1);
    if (got != 0) atomicAdd(&others, 1);
  }
  return got;
}

#define __shfl_down_sync checked_shfl_down
#include "2_Concepts_and_Techniques/reduction/reduction_kernel.cu"
#undef __shfl_down_sync

extern "C" bool isPow2(unsigned int x) { return (x & (x - 1)) == 0; }

int main() {
  constexpr int kThreads = 256;
  shown::Elements<float> x(std::vector<float>(kThreads, 1)), y({});
  reduce<float>(kThreads, kThreads, 1, 7, x, y);
  shown::wait();
  char gave[96];
  std::snprintf(gave, sizeof gave, "%g; %d of %d shuffles outside, %d not 0", y[0], outside, shuffles, others);
  shown::line("reduce7", "256 ones", gave, "256; none outside", outside > 0);
  return shown::end();
}
