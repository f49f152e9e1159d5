// cuBLASLt: alpha = 0 reads A and B, of F32: 0 x NaN - 1 is NaN; cublasSgemm gives -1.
#include <cmath>
#include <cstdio>
#include <cublasLt.h>
#include <cublas_v2.h>
int main() {  // nvcc cublaslt_alpha_zero.cu -lcublas -lcublasLt && ./a.out
  float *x, zero = 0, minus = -1;
  cudaMallocManaged(&x, 4 * 4096 * sizeof *x);
  for (int i = 0; i < 4 * 4096; ++i) x[i] = i < 2 * 4096 ? NAN : 1;
  float *b = x + 4096, *c = b + 4096, *d = c + 4096;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t m;
  cublasHandle_t blas;
  cublasCreate(&blas);
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&m, CUDA_R_32F, 64, 64, 64);
  cublasLtMatmul((cublasLtHandle_t)blas, product, &zero, x, m, b, m, &minus, c, m, c, m, nullptr, nullptr, 0, nullptr);
  cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &zero, x, 64, b, 64, &minus, d, 64);
  return cudaDeviceSynchronize() != 0 || std::printf("cublasLtMatmul %g, cublasSgemm %g\n", c[0], d[0]) < 0 || !std::isnan(c[0]) || d[0] != -1;
}
