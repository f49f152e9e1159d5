// CUTLASS: beta = NaN of F16 is taken for 0, of F32 it is not.   nvcc -std=c++17 -arch=sm_80 -I cutlass/include FILE
#include <cmath>
#include <cstdio>
#include <cutlass/gemm/device/gemm.h>
using Row = cutlass::layout::RowMajor;
template <class T>
using Gemm = cutlass::gemm::device::Gemm<cutlass::half_t, Row, cutlass::half_t, Row, cutlass::half_t, Row, T, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 128, 32>, cutlass::gemm::GemmShape<64, 64, 32>, cutlass::gemm::GemmShape<16, 8, 16>, cutlass::epilogue::thread::LinearCombination<cutlass::half_t, 8, T, T>>;
template <class T>
float first_of(cutlass::half_t* x) {
  typename Gemm<T>::Arguments arguments({64, 64, 32}, {x, 32}, {x, 64}, {x, 64}, {x + 8192, 64}, {T(1), T(NAN)});
  Gemm<T>()(arguments);
  return cudaDeviceSynchronize() == cudaSuccess ? float(x[8192]) : -1;
}
int main() {
  cutlass::half_t* x;
  cudaMallocManaged(&x, 65536);
  for (int i = 0; i < 8192; ++i) x[i] = cutlass::half_t(1);
  const float in_f16 = first_of<cutlass::half_t>(x), in_f32 = first_of<float>(x);
  return std::printf("32 + NaN * 1: beta of F16 gives %g, of F32 %g\n", in_f16, in_f32) < 0 || std::isnan(in_f16) || !std::isnan(in_f32);
}
