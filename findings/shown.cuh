// What the reproducers share: memory that shows who wrote where, and a line for each kernel. Needs no negzero.

#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime_api.h>

namespace shown {

constexpr int kCount = 1 << 15;
constexpr float kFill = 77;

/// Elements that host and GPU see. All but the first ones hold `fill`.
template <typename T>
class Elements {
 public:
  explicit Elements(std::vector<float> first, float fill = kFill) {
    cudaMallocManaged(&data_, kCount * sizeof(T));
    for (int i = 0; i < kCount; ++i) data_[i] = T(i < static_cast<int>(first.size()) ? first[i] : fill);
  }
  ~Elements() { cudaFree(data_); }
  operator T*() { return data_; }
  /// How many from element `n` on hold something else than kFill.
  int written_from(int n) const {
    int count = 0;
    for (int i = n; i < kCount; ++i) count += static_cast<float>(data_[i]) != kFill;
    return count;
  }

 private:
  T* data_ = nullptr;
};

inline int kernels = 0, wrong = 0;

/// Waits for the GPU; whether nothing failed on it.
inline bool wait() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("CUDA: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

/// A line for one kernel.
inline void line(const char* kernel, const char* of, const char* gave, const char* right, bool is_wrong) {
  std::printf("%-24s of %-28s %-44s right: %s\n", kernel, of, gave, right);
  ++kernels;
  wrong += is_wrong;
}

/// Exit code: 0 where each kernel of the file went wrong as its line says.
inline int end() {
  std::printf("%d of %d kernels went wrong\n", wrong, kernels);
  return wrong == kernels ? 0 : 1;
}

}  // namespace shown
