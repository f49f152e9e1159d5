// Kernels about integer and float intrinsics, all functions of one row of arguments a thread.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"
#include "simd_functions.hpp"

namespace {

using namespace negzero_tests;

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void simd_kernel(int n, const unsigned* in, unsigned* out) {
  const int i = global_thread();
  if (i >= n) return;
  const unsigned a = in[2 * i];
  const unsigned b = in[2 * i + 1];
  unsigned* to = out + static_cast<int>(kSimdResults) * i;
#define NEGZERO_TESTS_CALL(name, sign, value) \
  *to++ = __##name##2(a, b);                  \
  *to++ = __##name##4(a, b);
  NEGZERO_TESTS_SIMD_OF_TWO(NEGZERO_TESTS_CALL)
#undef NEGZERO_TESTS_CALL
#define NEGZERO_TESTS_CALL(name, sign, value) \
  *to++ = __##name##2(a);                     \
  *to++ = __##name##4(a);
  NEGZERO_TESTS_SIMD_OF_ONE(NEGZERO_TESTS_CALL)
#undef NEGZERO_TESTS_CALL
}

__global__ void mixed_kernel(int n, const unsigned* in, unsigned* out) {
  const int i = global_thread();
  if (i >= n) return;
  const unsigned a = in[3 * i];
  const unsigned b = in[3 * i + 1];
  const unsigned c = in[3 * i + 2];
  const auto x = static_cast<int>(a);
  const auto y = static_cast<int>(b);
  const auto z = static_cast<int>(c);
  unsigned* row = out + static_cast<int>(kMixedResults) * i;
  row[0] = static_cast<unsigned>(__mul24(x, y));
  row[1] = __umul24(a, b);
  row[2] = __sad(x, y, c);
  row[3] = __usad(a, b, c);
  row[4] = static_cast<unsigned>(__hadd(x, y));
  row[5] = static_cast<unsigned>(__rhadd(x, y));
  row[6] = __uhadd(a, b);
  row[7] = __urhadd(a, b);
  row[8] = static_cast<unsigned>(__dp4a(x, y, z));
  row[9] = __dp4a(a, b, c);
  row[10] = static_cast<unsigned>(__dp2a_lo(x, y, z));
  row[11] = __dp2a_hi(a, b, c);
  row[12] = __fns(a, b & 31, static_cast<int>(c % 9) - 4);
  row[13] = umin(a, b) ^ umax(b, c);
  row[14] = __vsads2(a, b);
  row[15] = __vsads4(a, b);
  row[16] = __vsadu2(a, b);
  row[17] = __vsadu4(a, b);
  row[18] = static_cast<unsigned>(llmin(x, z) >> 3);
  row[19] = static_cast<unsigned>(ullmax(a, c));
  row[20] = static_cast<unsigned>(__dp2a_hi(x, y, z));
  row[21] = __dp2a_lo(a, b, c);
  row[22] = static_cast<unsigned>(__viaddmax_s32(x, y, z)) ^ static_cast<unsigned>(__viaddmin_s32_relu(x, y, z));
  row[23] = __viaddmin_u16x2(a, b, c);
  row[24] = __vimax3_s16x2_relu(a, b, c);
  row[25] = __vimin3_u32(a, b, c);
  bool high = false, low = false;
  row[26] = __vibmax_s16x2(a, b, &high, &low);
  // With a scope they are the same on the host.
  unsigned cell = a;
  row[28] = atomicAdd_block(&cell, b) == a ? atomicCAS_system(&cell, a + b, c) + (cell ^ c) : 1u;
  row[27] = (high ? 2u : 0u) | (low ? 1u : 0u);
}

/// Bits of results, floats in the low word.
__global__ void directed_kernel(int n, const double* in, unsigned long long* out) {
  const int i = global_thread();
  if (i >= n) return;
  const double x = in[3 * i];
  const double y = in[3 * i + 1];
  const double z = in[3 * i + 2];
  const auto f = static_cast<float>(x);
  const auto g = static_cast<float>(y);
  unsigned long long* to = out + static_cast<int>(kDirectedResults) * i;
  const auto put = [&to](double value) { *to++ = static_cast<unsigned long long>(__double_as_longlong(value)); };
  const auto put_float = [&to](float value) { *to++ = static_cast<unsigned>(__float_as_int(value)); };
#define NEGZERO_TESTS_DIRECTION(d) \
  put(__dadd_##d(x, y));           \
  put(__dsub_##d(x, y));           \
  put(__dmul_##d(x, y));           \
  put(__ddiv_##d(x, y));           \
  put(__dsqrt_##d(x));             \
  put(__drcp_##d(x));              \
  put(__fma_##d(x, y, z));         \
  put_float(__fdiv_##d(f, g));     \
  put_float(__fsqrt_##d(f));       \
  put_float(__ll2float_##d(__double_as_longlong(x) >> (i % 60)));
  NEGZERO_TESTS_DIRECTION(rz)
  NEGZERO_TESTS_DIRECTION(rd)
  NEGZERO_TESTS_DIRECTION(ru)
#undef NEGZERO_TESTS_DIRECTION
}

__global__ void special_kernel(int n, const double* in, double* out) {
  const int i = global_thread();
  if (i >= n) return;
  const double x = in[i];
  const auto f = static_cast<float>(x);
  double* row = out + static_cast<int>(kSpecialResults) * i;
  row[0] = rcbrt(x);
  row[1] = normcdf(x);
  row[2] = erfcx(x);
  row[3] = erfinv(x);
  row[4] = erfcinv(x);
  row[5] = normcdfinv(x);
  row[6] = sinpi(x);
  row[7] = cospi(x);
  row[8] = cyl_bessel_i0(x);
  row[9] = cyl_bessel_i1(x);
  row[10] = norm3d(x, 1.0, -2.0);
  row[11] = rnorm4d(x, x, 1.0, x);
  row[12] = rhypot(x, x);
  row[13] = static_cast<double>(erfcxf(f));
  row[14] = static_cast<double>(normcdff(f));
  row[15] = static_cast<double>(erfcinvf(f));
  float s = 0.0f, c = 0.0f;
  sincospif(f, &s, &c);
  row[16] = static_cast<double>(s);
  row[17] = static_cast<double>(c);
  row[18] = static_cast<double>(rcbrtf(f));
  row[19] = static_cast<double>(norm4df(f, f, f, 2.0f));
}

dim3 blocks_for(int n) { return dim3(static_cast<unsigned>((n + 127) / 128)); }

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void simd_functions(Stream& stream, int n, const std::uint32_t* in, std::uint32_t* out) {
  negzero::launch(stream, simd_kernel, blocks_for(n), 128, 0, n, in, out);
}
void mixed_functions(Stream& stream, int n, const std::uint32_t* in, std::uint32_t* out) {
  negzero::launch(stream, mixed_kernel, blocks_for(n), 128, 0, n, in, out);
}
void directed_functions(Stream& stream, int n, const double* in, unsigned long long* out) {
  negzero::launch(stream, directed_kernel, blocks_for(n), 128, 0, n, in, out);
}
void special_functions(Stream& stream, int n, const double* in, double* out) {
  negzero::launch(stream, special_kernel, blocks_for(n), 128, 0, n, in, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
