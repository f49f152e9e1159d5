// Transposes of LeetCUDA in shared memory: threads outside the input leave numbers of partial tiles unwritten.

#include <string>

#define main published_main
#include "swizzle/mat_trans_swizzle.cu"
#undef main

#include "../shown.cuh"

using Kernel = void (*)(int* x, int rows, int columns, int* y);

void show(const char* name, Kernel kernel) {
  shown::Elements<int> x({1, 2}), y({});
  kernel<<<1, dim3(32, 32)>>>(x, 1, 2, y);
  shown::wait();
  char gave[32];
  std::snprintf(gave, sizeof gave, "%s", y[1] == shown::kFill ? "y[1] not written" : "y[1]");
  shown::line(name, "1 by 2", gave, "y[1] = 2", y[1] != 2);
}

int main() {
  show("mat_trans_smem_naive", mat_trans_smem_naive_kernel);
  show("mat_trans_smem_padding", mat_trans_smem_padding_kernel);
  show("mat_trans_smem_swizzle", mat_trans_smem_swizzle_kernel);
  return shown::end();
}
