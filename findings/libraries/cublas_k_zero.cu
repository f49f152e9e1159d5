// cuBLAS: K = 0 multiplies an empty sum by alpha where F16 is summed in F32; cublasSgemm does not.   nvcc FILE -lcublas
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
int main() {
  __half* h;
  float *f, infinite = INFINITY, minus = -1;
  cudaMallocManaged(&h, 4096);
  cudaMallocManaged(&f, 4096);
  for (int i = 0; i < 1024; ++i) h[i] = f[i] = 1;
  cublasHandle_t blas;
  cublasCreate(&blas);
  const auto N = CUBLAS_OP_N;
  cublasGemmEx(blas, N, N, 1, 512, 0, &infinite, h, CUDA_R_16F, 1, h + 512, CUDA_R_16F, 1, &minus, h + 1024, CUDA_R_16F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasSgemm(blas, N, N, 1, 512, 0, &infinite, f, 1, f + 512, 1, &minus, f, 1);
  cudaDeviceSynchronize();
  return std::printf("K = 0, alpha infinite, -1 x C: cublasGemmEx of F16 %g, cublasSgemm %g\n", float(h[1024]), f[0]) < 0 || !std::isnan(float(h[1024])) || f[0] != -1;
}
