// What src/cuda_gemm_utils.cu has for CHECK_LAST_CUDA_ERROR() of include/cuda_gemm_utils.hpp: that file is compiled
// apart.

#pragma once

#include <cstdlib>

void check_cuda_last(const char* const, const int) {
  if (cudaGetLastError() != cudaSuccess) std::exit(EXIT_FAILURE);
}
