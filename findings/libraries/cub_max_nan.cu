// CUB: the maximum of {0, NaN, ...} loses its numbers: it is the lowest finite number, which is none of them.   nvcc FILE
#include <cmath>
#include <cstdio>
#include <cub/device/device_reduce.cuh>
float max_of(float* x, int count) {
  size_t bytes = 65536;
  cub::DeviceReduce::Max(x + 4096, bytes, x, x + 2048, count);
  return cudaDeviceSynchronize() == cudaSuccess ? x[2048] : -1;
}
int main() {
  float* x;
  cudaMallocManaged(&x, 1 << 20);
  x[0] = NAN, x[1] = 0;
  const float first = max_of(x, 2);
  x[0] = 0, x[1] = NAN;
  const float last = max_of(x, 2);
  std::printf("max of {NaN, 0} is %g, of {0, NaN} %g\n", first, last);
  return !(first < -1e38f || last < -1e38f);
}
