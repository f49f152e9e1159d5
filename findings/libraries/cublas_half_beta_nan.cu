// cuBLAS, CUBLAS_COMPUTE_16F: beta = NaN counts as 0; cublasSgemm gives NaN.   nvcc FILE -lcublas && ./a.out
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
int main() {
  __half *h, half_one = 1.0f, half_nan = NAN;
  float *f, one = 1, nan = NAN;
  cudaMallocManaged(&h, 3 * 256 * sizeof *h);
  cudaMallocManaged(&f, 3 * 256 * sizeof *f);
  for (int i = 0; i < 3 * 256; ++i) h[i] = f[i] = 1.0f;
  cublasHandle_t blas;
  cublasCreate(&blas);
  const auto N = CUBLAS_OP_N;
  cublasHgemm(blas, N, N, 16, 16, 16, &half_one, h, 16, h + 256, 16, &half_nan, h + 512, 16);
  cublasSgemm(blas, N, N, 16, 16, 16, &one, f, 16, f + 256, 16, &nan, f + 512, 16);
  cudaDeviceSynchronize();
  std::printf("1 x 16 + NaN x 1: cublasHgemm %g, cublasSgemm %g\n", float(h[512]), f[512]);
  return std::isnan(f[512]) && !std::isnan(float(h[512])) ? 0 : 1;
}
