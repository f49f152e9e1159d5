// cuBLAS: alpha = 0 reads A and B where BF16 is summed in F32 and N = 1; cublasSgemm does not.   nvcc FILE -lcublas && ./a.out
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_bf16.h>
int main() {
  __nv_bfloat16* h;
  float *f, zero = 0, minus = -1;
  cudaMallocManaged(&h, 4096);
  cudaMallocManaged(&f, 4096);
  for (int i = 0; i < 768; ++i) h[i] = f[i] = i < 512 ? NAN : 1;
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetMathMode(blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  const auto N = CUBLAS_OP_N;
  cublasGemmEx(blas, N, N, 2, 1, 1, &zero, h, CUDA_R_16BF, 2, h + 256, CUDA_R_16BF, 1, &minus, h + 512, CUDA_R_16BF, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cublasSgemm(blas, N, N, 2, 1, 1, &zero, f, 2, f + 256, 1, &minus, f + 512, 2);
  cudaDeviceSynchronize();
  return std::printf("0 x NaN - 1: cublasGemmEx of BF16 %g, cublasSgemm %g\n", float(h[512]), f[512]) < 0 || !std::isnan(float(h[512])) || f[512] != -1;
}
