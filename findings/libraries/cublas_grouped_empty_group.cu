// cuBLAS: a group without columns in cublasGemmGroupedBatchedEx() ends in an illegal access.   nvcc FILE -lcublas
#include <cstdio>
#include <cublas_v2.h>
int main() {
  float *x, **p, alpha[2] = {1, 1}, beta[2] = {0, 0};
  cudaMallocManaged(&x, 3 * 65536);
  cudaMallocManaged(&p, 3 * 16);
  for (int i = 0; i < 6; ++i) p[i] = x + 16384 / 2 * i;
  for (int i = 0; i < 3 * 16384; ++i) x[i] = 1;
  cublasHandle_t blas;
  cublasCreate(&blas);
  const cublasOperation_t N[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
  const int m[2] = {9, 9}, n[2] = {0, 4}, k[2] = {5, 5}, sizes[2] = {1, 1};
  const auto type = CUDA_R_32F;
  const auto status = cublasGemmGroupedBatchedEx(blas, N, N, m, n, k, alpha, (const void**)p, type, m, (const void**)p + 2, type, k, beta, (void**)p + 4, type, m, 2, sizes, CUBLAS_COMPUTE_32F);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("n = {0, 4}: cublasGemmGroupedBatchedEx %s, then %s\n", cublasGetStatusName(status), cudaGetErrorString(error));
  return error != cudaSuccess ? 0 : 1;
}
