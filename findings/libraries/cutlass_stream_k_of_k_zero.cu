// CUTLASS: can_implement() of stream K divides by 0 where K = 0.   nvcc -std=c++17 -arch=sm_80 -I cutlass/include FILE
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cutlass/gemm/device/gemm_universal.h>
#include <cutlass/gemm/threadblock/threadblock_swizzle_streamk.h>
using Row = cutlass::layout::RowMajor;
using Gemm = cutlass::gemm::device::GemmUniversal<cutlass::half_t, Row, cutlass::half_t, Row, cutlass::half_t, Row, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 32>, cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 16>, cutlass::epilogue::thread::LinearCombination<cutlass::half_t, 8, float, float>, cutlass::gemm::threadblock::ThreadblockSwizzleStreamK>;
int main() {
  cutlass::half_t* x;
  cudaMalloc(&x, 65536);
  const int m = 64, n = 64, k = 0;
  Gemm::Arguments arguments{cutlass::gemm::GemmUniversalMode::kGemm, {m, n, k}, 1, {1.f, 0.f}, x, x, x, x + 8192, 0, 0, 0, 0, 8, n, n, n};
  std::signal(SIGFPE, [](int) { std::puts("K = 0: can_implement() divides by 0"), std::fflush(stdout), std::_Exit(0); });
  std::printf("K = 0: can_implement() says %s\n", cutlass::cutlassGetStatusString(Gemm::can_implement(arguments)));
  return 1;
}
