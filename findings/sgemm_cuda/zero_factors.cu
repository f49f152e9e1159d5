// Products of SGEMM_CUDA read C where beta is 0, and A and B where alpha is 0, which BLAS does not: a NaN there comes
// through.

#include "../shown.cuh"
#include "runner.cu"

constexpr int kSide = 128, kK = 16;

/// alpha a b + beta c of matrices of one number each; kernel 0 is cuBLAS.
void show(int number, float alpha, float a, float beta, float c, float right, const char* of, cublasHandle_t handle) {
  const auto all = [](float value) { return std::vector<float>(kSide * kSide, value); };
  shown::Elements<float> left(all(a)), other(all(1)), sums(all(c));
  run_kernel(number, kSide, kSide, kK, alpha, left, other, beta, sums, handle);
  shown::wait();
  char kernel[32], gave[32], wanted[32];
  std::snprintf(kernel, sizeof kernel, "kernel %d", number);
  std::snprintf(gave, sizeof gave, "%g", sums[0]);
  std::snprintf(wanted, sizeof wanted, "%g", right);
  if (number == 0) {
    std::printf("cuBLAS of %s gives %s, right: %s\n", of, gave, wanted);
  } else {
    shown::line(kernel, of, gave, wanted, std::isnan(sums[0]));
  }
}

int main() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  for (int number = 0; number <= 10; ++number) {
    show(number, 1, 1, 0, NAN, kK, "ones, beta = 0, C of NaN", handle);
    show(number, 0, NAN, 1, 1, 1, "alpha = 0, A of NaN", handle);
  }
  return shown::end();
}
