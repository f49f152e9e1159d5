// cuBLAS: cublasSgemmBatched with alpha = 0 reads A and B, and with K = 0 it multiplies by alpha; cublasSgemm does neither.
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
int main() {  // nvcc cublas_batched_alpha_zero.cu -lcublas && ./a.out
  const auto N = CUBLAS_OP_N;
  float *x, **of, alphas[] = {0, INFINITY}, minus = -1, got[2][2];
  cudaMallocManaged(&x, 3 * 256 * sizeof *x);
  cudaMallocManaged(&of, 3 * sizeof *of);
  cublasHandle_t blas;
  cublasCreate(&blas);
  for (int i = 0; i < 4; cudaDeviceSynchronize(), got[i / 2][i % 2] = x[512], ++i) {
    const int n = i < 2 ? 16 : 1, k = i < 2 ? 16 : 0;  // alpha = 0; of 1 x 1, K = 0 and an infinite alpha: 0 - 1
    for (int j = 0; j < 768; ++j) x[j] = j < 512 ? NAN : 1, of[j / 256] = x + j / 256 * 256;
    if (i % 2) cublasSgemm(blas, N, N, n, n, k, &alphas[i / 2], x, 16, x + 256, 16, &minus, x + 512, 16);
    else cublasSgemmBatched(blas, N, N, n, n, k, &alphas[i / 2], of, 16, of + 1, 16, &minus, of + 2, 16, 1);
  }
  return std::printf("alpha = 0: batched %g, single %g; K = 0: batched %g, single %g\n", got[0][0], got[0][1], got[1][0], got[1][1]) < 0 || !std::isnan(got[0][0]) || got[0][1] != -1 || !std::isnan(got[1][0]) || got[1][1] != -1;
}
