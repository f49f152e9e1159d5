// cuBLAS: beta = -0 reads C; where beta is 0 "C does not have to be a valid input".  nvcc FILE -lcublas && ./a.out
#include <cmath>
#include <cstdio>
#include <cublas_v2.h>
int main() {
  const int n = 64;
  float *a, alpha = 1, betas[] = {0.0f, -0.0f};
  int nan[2] = {};
  cudaMallocManaged(&a, 3 * n * n * sizeof *a);
  cublasHandle_t blas;
  cublasCreate(&blas);
  for (int beta = 0; beta < 2; ++beta) {
    for (int i = 0; i < 3 * n * n; ++i) a[i] = i < 2 * n * n ? 1 : NAN;
    cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a, n, a + n * n, n, betas + beta, a + 2 * n * n, n);
    cudaDeviceSynchronize();
    for (int i = 2 * n * n; i < 3 * n * n; ++i) nan[beta] += std::isnan(a[i]);
  }
  std::printf("NaN among 4096 results: beta = 0: %d, beta = -0: %d\n", nan[0], nan[1]);
  return nan[0] == 0 && nan[1] > 0 ? 0 : 1;
}
