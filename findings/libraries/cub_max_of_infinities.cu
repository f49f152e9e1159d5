// CUB: the maximum of -infinity alone is -3.40282e+38, and the minimum of infinity alone 3.40282e+38.   nvcc FILE
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cub/device/device_reduce.cuh>
int main() {
  float* x;
  cudaMallocManaged(&x, 1 << 20);
  for (int i = 0; i < 8; ++i) x[i] = -INFINITY, x[8 + i] = INFINITY;
  size_t bytes = 65536;
  cub::DeviceReduce::Max(x + 4096, bytes, x, x + 2048, 8);
  cub::DeviceReduce::Min(x + 4096, bytes, x + 8, x + 2049, 8);
  cudaDeviceSynchronize();
  std::printf("Max of 8 times -infinity %g, Min of 8 times infinity %g\n", x[2048], x[2049]);
  return x[2048] != -FLT_MAX || x[2049] != FLT_MAX;
}
