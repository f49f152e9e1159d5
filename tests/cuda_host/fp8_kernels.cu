// Kernels about 8-bit floats, one conversion a thread.

#include <negzero/cuda/cuda.hpp>

#ifdef __CUDACC__
#include <cuda_fp8.h>
#else
#include <negzero/cuda/fp8_types.hpp>
#endif

#include "kernels.hpp"

namespace {

using negzero_tests::kFp8Results;

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <typename F>
__global__ void to_fp8_kernel(int n, const double* in, unsigned char* out) {
  const int i = global_thread();
  if (i >= n) return;
  const double x = in[i];
  const auto f = static_cast<float>(x);
  constexpr __nv_fp8_interpretation_t kKind = F::kE4m3 ? __NV_E4M3 : __NV_E5M2;
  unsigned char* row = out + static_cast<int>(kFp8Results) * i;
  row[0] = __nv_cvt_double_to_fp8(x, __NV_SATFINITE, kKind);
  row[1] = __nv_cvt_double_to_fp8(x, __NV_NOSAT, kKind);
  row[2] = __nv_cvt_float_to_fp8(f, __NV_SATFINITE, kKind);
  row[3] = __nv_cvt_float_to_fp8(f, __NV_NOSAT, kKind);
  row[4] = __nv_cvt_halfraw_to_fp8(static_cast<__half_raw>(__float2half(f)), __NV_SATFINITE, kKind);
  row[5] = __nv_cvt_bfloat16raw_to_fp8(static_cast<__nv_bfloat16_raw>(__float2bfloat16(f)), __NV_NOSAT, kKind);
  row[6] = typename F::One(f).__x;
  row[7] = typename F::One(static_cast<long long>(f < 1e6f && f > -1e6f ? f : 7.0f)).__x;
  const typename F::Two two(make_float2(f, -f));
  row[8] = static_cast<unsigned char>(two.__x);
  row[9] = static_cast<unsigned char>(two.__x >> 8);
  const typename F::Four four(make_float4(1.0f, f, 2.0f, f));
  row[10] = static_cast<unsigned char>(four.__x >> 24);
  row[11] = __nv_cvt_float_to_e8m0(f, __NV_SATFINITE, cudaRoundPosInf);
  row[12] = __nv_cvt_double_to_e8m0(x, __NV_NOSAT, cudaRoundPosInf);
  row[13] = __nv_cvt_float_to_e8m0(f, __NV_NOSAT, cudaRoundZero);
}

template <typename F>
__global__ void from_fp8_kernel(unsigned* out) {
  const auto i = static_cast<unsigned char>(threadIdx.x);
  typename F::One x;
  x.__x = i;
  unsigned* row = out + 6 * threadIdx.x;
  row[0] = __half_as_ushort(static_cast<__half>(x));
  row[1] = static_cast<unsigned>(__float_as_int(static_cast<float>(x)));
  row[2] = __bfloat16_as_ushort(static_cast<__nv_bfloat16>(x));
  row[3] = static_cast<unsigned>(static_cast<int>(x));
  row[4] = static_cast<unsigned>(static_cast<unsigned char>(x)) << 8 | (static_cast<bool>(x) ? 1u : 0u);
  typename F::Two two;
  two.__x = static_cast<unsigned short>(i | 0x3800);
  row[5] = __half_as_ushort(__low2half(static_cast<__half2>(two))) |
           static_cast<unsigned>(__half_as_ushort(__high2half(static_cast<__half2>(two)))) << 16;
}

struct E4m3 {
  static constexpr bool kE4m3 = true;
  using One = __nv_fp8_e4m3;
  using Two = __nv_fp8x2_e4m3;
  using Four = __nv_fp8x4_e4m3;
};
struct E5m2 {
  static constexpr bool kE4m3 = false;
  using One = __nv_fp8_e5m2;
  using Two = __nv_fp8x2_e5m2;
  using Four = __nv_fp8x4_e5m2;
};

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void to_fp8(Stream& stream, bool e4m3, int n, const double* in, unsigned char* out) {
  const dim3 blocks(static_cast<unsigned>((n + 127) / 128));
  negzero::launch(stream, e4m3 ? to_fp8_kernel<E4m3> : to_fp8_kernel<E5m2>, blocks, 128, 0, n, in, out);
}
void from_fp8(Stream& stream, bool e4m3, unsigned* out) {
  negzero::launch(stream, e4m3 ? from_fp8_kernel<E4m3> : from_fp8_kernel<E5m2>, 1, 256, 0, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
