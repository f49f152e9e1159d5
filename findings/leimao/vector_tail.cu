// Tiles of CUDA-GEMM-Optimization that end beyond k or n: as many elements as lie beyond are cleared in front of a
// vector of four. The project's own functions run with a vector that says where it is and a number that checks where it
// is assigned.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../shown.cuh"

__managed__ int in_front, farthest;
__device__ const char* places[1024];

/// Stands for int4: says where its thread's vector is.
struct Vector {
  int x, y, z, w;
  __device__ Vector(int x, int y, int z, int w) : x(x), y(y), z(z), w(w) {
    places[threadIdx.x] = reinterpret_cast<const char*>(this);
  }
};

/// A number that is not assigned where it lies in front of its thread's vector.
struct Number {
  float value;
  Number() = default;
  __device__ explicit Number(int of) : value(of) {}
  __device__ Number& operator=(const Number& other) {
    const long at = (reinterpret_cast<const char*>(this) - places[threadIdx.x]) / static_cast<long>(sizeof(Number));
    if (at < 0 && at > -kFar) {
      atomicAdd(&in_front, 1);
      atomicMin(&farthest, static_cast<int>(at));
    } else {
      value = other.value;
    }
    return *this;
  }
  /// More than a tile has: what lies farther off is no local memory of the function.
  static constexpr long kFar = 256;
};

#define int4 Vector
#include "cuda_gemm_utils.cuh"
#undef int4

/// As gemm_v02_vectorized and its launcher have it.
__global__ void v02(const Number* a, const Number* b, size_t m, size_t n, size_t k) {
  __shared__ Number a_tile[32][32], b_tile[32][32];
  load_data_from_global_memory_to_shared_memory_vectorized<Number, 32, 32, 32, 1024>(a, k, b, n, a_tile, b_tile, 0,
                                                                                     threadIdx.x, m, n, k);
}

/// As gemm_v05_vectorized and its launcher have it.
__global__ void v05(const Number* a, const Number* b, size_t m, size_t n, size_t k) {
  __shared__ Number a_tile[16][128], b_tile[16][128];
  load_data_from_global_memory_to_shared_memory_transposed_vectorized<Number, 128, 128, 16, 256>(
      a, k, b, n, a_tile, b_tile, 0, threadIdx.x, m, n, k);
}

void show(const char* name, void (*kernel)(const Number*, const Number*, size_t, size_t, size_t), int threads) {
  shown::Elements<float> a({}), b({});
  in_front = farthest = 0;
  kernel<<<1, threads>>>(reinterpret_cast<const Number*>(static_cast<float*>(a)),
                         reinterpret_cast<const Number*>(static_cast<float*>(b)), 1, 4, 4);
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "%d clears in front, up to element %d", in_front, farthest);
  shown::line(name, "m = 1, n = k = 4", gave, "none", in_front > 0);
}

int main() {
  show("v02_vectorized", v02, 1024);
  show("v05_vectorized", v05, 256);
  return shown::end();
}
