// Kernels about arithmetic: functions of floats, halves and integers, one element a thread.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

using negzero_tests::FloatFunction;
using negzero_tests::HalfFunction;
using negzero_tests::IntegerConversion;

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void float_function_kernel(FloatFunction function, int n, const float* a, const float* b, float* out) {
  const int i = global_thread();
  if (i >= n) return;
  const float x = a[i];
  const float y = b[i];
  float result = 0.0f;
  switch (function) {
    case FloatFunction::Fmaxf:
      result = fmaxf(x, y);
      break;
    case FloatFunction::Fminf:
      result = fminf(x, y);
      break;
    case FloatFunction::Max:
      result = max(x, y);
      break;
    case FloatFunction::AddDown:
      result = __fadd_rd(x, y);
      break;
    case FloatFunction::AddUp:
      result = __fadd_ru(x, y);
      break;
    case FloatFunction::AddZero:
      result = __fadd_rz(x, y);
      break;
    case FloatFunction::MulDown:
      result = __fmul_rd(x, y);
      break;
    case FloatFunction::MulUp:
      result = __fmul_ru(x, y);
      break;
    case FloatFunction::MulZero:
      result = __fmul_rz(x, y);
      break;
    case FloatFunction::FmaZero:
      result = __fmaf_rz(x, y, x);
      break;
    case FloatFunction::DivideFast:
      result = __fdividef(x, y);
      break;
    case FloatFunction::Rint:
      result = rintf(x);
      if (x == x && result != static_cast<float>(nearbyint(static_cast<double>(x)))) result = -9;
      break;
    case FloatFunction::Lrint:
      result = fabsf(x) < 0x1p30f ? static_cast<float>(lrintf(x) + llrint(static_cast<double>(x))) : 0.0f;
      break;
    case FloatFunction::Count:
      break;
  }
  out[i] = result;
}

__global__ void to_integer_kernel(IntegerConversion conversion, int n, const double* in, long long* out) {
  const int i = global_thread();
  if (i >= n) return;
  const double x = in[i];
  const float f = static_cast<float>(x);
  long long result = 0;
  switch (conversion) {
    case IntegerConversion::FloatToIntRz:
      result = __float2int_rz(f);
      break;
    case IntegerConversion::FloatToIntRn:
      result = __float2int_rn(f);
      break;
    case IntegerConversion::FloatToUintRz:
      result = __float2uint_rz(f);
      break;
    case IntegerConversion::FloatToLlRz:
      result = __float2ll_rz(f);
      break;
    case IntegerConversion::FloatToUllRz:
      result = static_cast<long long>(__float2ull_rz(f));
      break;
    case IntegerConversion::DoubleToIntRn:
      result = __double2int_rn(x);
      break;
    case IntegerConversion::DoubleToUintRd:
      result = __double2uint_rd(x);
      break;
    case IntegerConversion::DoubleToLlRu:
      result = __double2ll_ru(x);
      break;
    case IntegerConversion::Count:
      break;
  }
  out[i] = result;
}

template <typename T>
__device__ T apply(HalfFunction function, T a, T b, T c) {
  switch (function) {
    case HalfFunction::Add:
      return __hadd(a, b);
    case HalfFunction::Sub:
      return __hsub(a, b);
    case HalfFunction::Mul:
      return __hmul(a, b);
    case HalfFunction::Div:
      return __hdiv(a, b);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    case HalfFunction::Fma:
      return __hfma(a, b, c);
#else
    case HalfFunction::Fma:
      return c;  // sm_75 has none for bfloat16
#endif
    case HalfFunction::Max:
      return __hmax(a, b);
    case HalfFunction::Min:
      return __hmin(a, b);
    case HalfFunction::MaxNan:
      return __hmax_nan(a, b);
    case HalfFunction::Count:
      break;
  }
  return a;
}

__global__ void half_function_kernel(HalfFunction function, bool bfloat16, int n, const unsigned short* a,
                                     const unsigned short* b, const unsigned short* c, unsigned short* out) {
  const int i = global_thread();
  if (i >= n) return;
  if (bfloat16) {
    out[i] = __bfloat16_as_ushort(
        apply(function, __ushort_as_bfloat16(a[i]), __ushort_as_bfloat16(b[i]), __ushort_as_bfloat16(c[i])));
  } else {
    out[i] = __half_as_ushort(apply(function, __ushort_as_half(a[i]), __ushort_as_half(b[i]), __ushort_as_half(c[i])));
  }
}

__global__ void half_to_float_kernel(bool bfloat16, int n, const unsigned short* in, float* out) {
  const int i = global_thread();
  if (i >= n) return;
  out[i] = bfloat16 ? __bfloat162float(__ushort_as_bfloat16(in[i])) : __half2float(__ushort_as_half(in[i]));
}

__global__ void float_to_half_kernel(int direction, bool bfloat16, int n, const float* in, unsigned short* out) {
  const int i = global_thread();
  if (i >= n) return;
  const float x = in[i];
  if (bfloat16) {
    out[i] = __bfloat16_as_ushort(direction == 0   ? __float2bfloat16_rn(x)
                                  : direction == 1 ? __float2bfloat16_rz(x)
                                  : direction == 2 ? __float2bfloat16_rd(x)
                                                   : __float2bfloat16_ru(x));
  } else {
    out[i] = __half_as_ushort(direction == 0   ? __float2half_rn(x)
                              : direction == 1 ? __float2half_rz(x)
                              : direction == 2 ? __float2half_rd(x)
                                               : __float2half_ru(x));
  }
}

__global__ void integer_functions_kernel(int n, const unsigned* in, unsigned* out) {
  const int i = global_thread();
  if (i >= n) return;
  const unsigned x = in[i];
  const unsigned y = in[(i + 1) % n];
  unsigned* own = out + 10 * i;
  own[0] = static_cast<unsigned>(__popc(x));
  own[1] = static_cast<unsigned>(__clz(static_cast<int>(x)));
  own[2] = static_cast<unsigned>(__ffs(static_cast<int>(x)));
  own[3] = __brev(x);
  own[4] = __byte_perm(x, y, y >> 7);
  own[5] = __funnelshift_l(x, y, y & 63);
  own[6] = __funnelshift_rc(x, y, y & 63);
  own[7] = __umulhi(x, y);
  own[8] = static_cast<unsigned>(__mulhi(static_cast<int>(x), static_cast<int>(y)));
  own[9] = max(x, y) - min(x, y);
}

dim3 blocks_for(int n) { return dim3(static_cast<unsigned>((n + 127) / 128)); }
constexpr unsigned kThreads = 128;

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void float_function(Stream& stream, FloatFunction function, int n, const float* a, const float* b, float* out) {
  negzero::launch(stream, float_function_kernel, blocks_for(n), kThreads, 0, function, n, a, b, out);
}

void to_integer(Stream& stream, IntegerConversion conversion, int n, const double* in, std::int64_t* out) {
  negzero::launch(stream, to_integer_kernel, blocks_for(n), kThreads, 0, conversion, n, in,
                  reinterpret_cast<long long*>(out));
}

void half_function(Stream& stream, HalfFunction function, bool bfloat16, int n, const std::uint16_t* a,
                   const std::uint16_t* b, const std::uint16_t* c, std::uint16_t* out) {
  negzero::launch(stream, half_function_kernel, blocks_for(n), kThreads, 0, function, bfloat16, n, a, b, c, out);
}

void half_to_float(Stream& stream, bool bfloat16, int n, const std::uint16_t* in, float* out) {
  negzero::launch(stream, half_to_float_kernel, blocks_for(n), kThreads, 0, bfloat16, n, in, out);
}

void float_to_half(Stream& stream, int direction, bool bfloat16, int n, const float* in, std::uint16_t* out) {
  negzero::launch(stream, float_to_half_kernel, blocks_for(n), kThreads, 0, direction, bfloat16, n, in, out);
}

void integer_functions(Stream& stream, int n, const std::uint32_t* in, std::uint32_t* out) {
  negzero::launch(stream, integer_functions_kernel, blocks_for(n), kThreads, 0, n, in, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
