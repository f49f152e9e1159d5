// cuBLASLt out of place, F16, C packed and D with rows of 17: the algorithm that it proposes faults.  nvcc FILE -lcublasLt
#include <cstdio>
#include <cublasLt.h>
#include <cuda_fp16.h>
int main() {
  const int m = 20, n = 16, k = 4;
  __half *a, *d;
  float one = 1, zero = 0;
  cudaMalloc(&a, 4096), cudaMalloc(&d, 4096);
  cublasLtHandle_t lt;
  cublasLtMatmulDesc_t op;
  cublasLtMatrixLayout_t A, B, C, D;
  cublasLtCreate(&lt), cublasLtMatmulDescCreate(&op, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&A, CUDA_R_16F, n, k, n), cublasLtMatrixLayoutCreate(&B, CUDA_R_16F, k, m, k);
  cublasLtMatrixLayoutCreate(&C, CUDA_R_16F, n, m, n), cublasLtMatrixLayoutCreate(&D, CUDA_R_16F, n, m, n + 1);
  const auto status = cublasLtMatmul(lt, op, &one, a, A, a + 512, B, &zero, a + 1024, C, d, D, nullptr, nullptr, 0, nullptr);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("cublasLtMatmul %s, %s\n", cublasLtGetStatusName(status), cudaGetErrorString(error));
  return status == CUBLAS_STATUS_SUCCESS && error == cudaErrorMisalignedAddress ? 0 : 1;
}
