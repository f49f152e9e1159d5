// Products of SGEMM_CUDA of fewer than 128 rows or columns: 64 threads fill half of a tile of A and of B, and the sums
// take what shared memory happens to hold. Kernel 7 indexes its tile of B as if it had 128 columns and reads beyond it:
// it may end the program's context, so that it is the last.

#include "../shown.cuh"
#include "runner.cu"

/// Leaves twos in the shared memory of every multiprocessor, as any kernel before may.
__global__ void fill_shared(float* last) {
  __shared__ volatile float shared[12288];
  for (int i = threadIdx.x; i < 12288; i += blockDim.x) shared[i] = 2;
  __syncthreads();
  if (threadIdx.x == 0) *last = shared[blockIdx.x];
}

int main() {
  constexpr int kSide = 64, kK = 8;
  const std::vector<float> ones(kSide * kSide, 1);
  for (int number : {5, 6, 8, 7}) {
    shown::Elements<float> a(ones), b(ones), c(std::vector<float>(kSide * kSide, 0));
    fill_shared<<<1024, 1024>>>(c);
    run_kernel(number, kSide, kSide, kK, 1, a, b, 0, c, nullptr);
    const bool has_run = shown::wait();
    int wrong = 0;
    for (int i = 0; has_run && i < kSide * kSide; ++i) wrong += c[i] != kK;
    char kernel[32], gave[64];
    std::snprintf(kernel, sizeof kernel, "kernel %d", number);
    std::snprintf(gave, sizeof gave, "%d of %d wrong", wrong, kSide * kSide);
    if (number == 5) {
      std::printf("%s, which fills its tiles: %s\n", kernel, gave);
    } else {
      shown::line(kernel, "64 by 8 and 8 by 64 of ones", has_run ? gave : "the error above", "none wrong",
                  !has_run || wrong > 0);
    }
  }
  return shown::end();
}
