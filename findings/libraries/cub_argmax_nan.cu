// CUB: DeviceReduce::ArgMax gives a NaN that comes first, and passes over one behind.
#include <cmath>
#include <cstdio>
#include <cub/device/device_reduce.cuh>

int main() {  // nvcc cub_argmax_nan.cu && ./a.out
  float* x;
  int* at;  // 77 where nothing is written
  cudaMallocManaged(&x, 7 * sizeof *x);
  cudaMallocManaged(&at, 2 * sizeof *at);
  for (int i = 0; i < 6; ++i) x[i] = i == 0 || i == 4 ? NAN : 1, at[i / 3] = 77;
  void* storage = nullptr;
  std::size_t bytes = 0;
  cub::DeviceReduce::ArgMax(storage, bytes, x, x + 6, at, 3);
  cudaMalloc(&storage, bytes);
  for (int row = 0; row < 2; ++row) cub::DeviceReduce::ArgMax(storage, bytes, x + 3 * row, x + 6, at + row, 3);
  cudaDeviceSynchronize();
  std::printf("NaN 1 1: place %d; 1 NaN 1: place %d\n", at[0], at[1]);
  return at[0] == 0 && at[1] == 0 ? 0 : 1;
}
