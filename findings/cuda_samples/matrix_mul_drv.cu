// matrixMul of cuda-samples' matrixMulDrv with no columns of A: `aEnd = aBegin + wA - 1` wraps in size_t, and the loop
// over tiles reads A and B until it meets memory that is not there.

#include "../shown.cuh"
#include "0_Introduction/matrixMulDrv/matrixMul_kernel.cu"

int main() {
  shown::Elements<float> a({}), b({}), c({});
  matrixMul_bs8_64bit<<<1, dim3(8, 8)>>>(c, a, b, 0, 8);
  const bool has_run = shown::wait();
  shown::line("matrixMul_bs8_64bit", "wA = 0, wB = 8", has_run ? "no error" : "the error above", "zeros", !has_run);
  return shown::end();
}
