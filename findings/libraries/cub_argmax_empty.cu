// CUB: DeviceReduce::ArgMax of no elements does not write {1, lowest}, which its documentation says it does.
#include <cstdio>
#include <cub/device/device_reduce.cuh>

int main() {  // nvcc cub_argmax_empty.cu && ./a.out
  float* x;
  int* at;
  cudaMallocManaged(&x, 2 * sizeof *x);
  cudaMallocManaged(&at, sizeof *at);
  x[1] = 77;
  *at = 77;
  void* storage = nullptr;
  std::size_t bytes = 0;
  cub::DeviceReduce::ArgMax(storage, bytes, x, x + 1, at, 0);
  cudaMalloc(&storage, bytes);
  const cudaError_t error = cub::DeviceReduce::ArgMax(storage, bytes, x, x + 1, at, 0);
  cudaDeviceSynchronize();
  std::printf("%s: place %d, maximum %g; before the call 77 and 77\n", cudaGetErrorString(error), *at, x[1]);
  return error == cudaSuccess && *at == 77 ? 0 : 1;
}
