// cuBLAS, F16 summed in F32, no reduced-precision reductions: A B is rounded to F16 before C joins, where N = 1.
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
int main() {  // nvcc cublas_rounds_twice.cu -lcublas && ./a.out
  const int m = 1024, k = 16;  // 1 + 2^-11 of A B, 2^-11 of C: 1 + 2^-10 exactly, a number of F16
  __half* a;
  float one = 1;
  cudaMallocManaged(&a, (m * k + k + m) * sizeof *a);
  for (int i = 0; i < m * k + k; ++i) a[i] = i >= m * k || i < m ? 1.0f : i < 2 * m ? 0x1p-11f : 0.0f;
  for (int i = 0; i < m; ++i) a[m * k + k + i] = 0x1p-11f;
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasSetMathMode(blas, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, m, 1, k, &one, a, CUDA_R_16F, m, a + m * k, CUDA_R_16F, k, &one,
               a + m * k + k, CUDA_R_16F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cudaDeviceSynchronize();
  std::printf("1 + 2^-11 + 2^-11: %.10g, exactly %.10g\n", float(a[m * k + k]), 1 + 0x1p-10);
  return float(a[m * k + k]) == 1 ? 0 : 1;
}
