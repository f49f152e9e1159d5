// Kernels about 16-bit floats: functions of one, conversions from and to integers, and functions of pairs.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

using negzero_tests::kPairResults;
using negzero_tests::UnaryHalf;

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

template <typename T>
struct Bits;
template <>
struct Bits<__half> {
  static __device__ __half of(unsigned x) { return __ushort_as_half(static_cast<unsigned short>(x)); }
  static __device__ unsigned from(__half x) { return __half_as_ushort(x); }
  static __device__ __half2 pair(unsigned x) { return __halves2half2(of(x & 0xffff), of(x >> 16)); }
  static __device__ unsigned from(__half2 x) { return from(__low2half(x)) | from(__high2half(x)) << 16; }
};
template <>
struct Bits<__nv_bfloat16> {
  static __device__ __nv_bfloat16 of(unsigned x) { return __ushort_as_bfloat16(static_cast<unsigned short>(x)); }
  static __device__ unsigned from(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
  static __device__ __nv_bfloat162 pair(unsigned x) { return __halves2bfloat162(of(x & 0xffff), of(x >> 16)); }
  static __device__ unsigned from(__nv_bfloat162 x) { return from(__low2bfloat16(x)) | from(__high2bfloat16(x)) << 16; }
};

template <typename T>
__device__ T unary(UnaryHalf function, T x) {
  switch (function) {
#define NEGZERO_TESTS_UNARY(name) \
  case UnaryHalf::name:           \
    return h##name(x);
    NEGZERO_TESTS_UNARY(exp)
    NEGZERO_TESTS_UNARY(exp2)
    NEGZERO_TESTS_UNARY(exp10)
    NEGZERO_TESTS_UNARY(log)
    NEGZERO_TESTS_UNARY(log2)
    NEGZERO_TESTS_UNARY(log10)
    NEGZERO_TESTS_UNARY(sin)
    NEGZERO_TESTS_UNARY(cos)
    NEGZERO_TESTS_UNARY(tanh)
    NEGZERO_TESTS_UNARY(sqrt)
    NEGZERO_TESTS_UNARY(rsqrt)
    NEGZERO_TESTS_UNARY(rcp)
    NEGZERO_TESTS_UNARY(ceil)
    NEGZERO_TESTS_UNARY(floor)
    NEGZERO_TESTS_UNARY(trunc)
    NEGZERO_TESTS_UNARY(rint)
#undef NEGZERO_TESTS_UNARY
    case UnaryHalf::Count:
      break;
  }
  return x;
}

template <typename T>
__global__ void unary_kernel(UnaryHalf function, int n, const unsigned short* in, unsigned short* out) {
  const int i = global_thread();
  if (i < n) out[i] = static_cast<unsigned short>(Bits<T>::from(unary(function, Bits<T>::of(in[i]))));
}

#define NEGZERO_TESTS_EACH_INTEGER(X) \
  X(0, short, short)                  \
  X(1, ushort, unsigned short)        \
  X(2, int, int)                      \
  X(3, uint, unsigned)                \
  X(4, ll, long long)                 \
  X(5, ull, unsigned long long)

#define NEGZERO_TESTS_FROM(number, name, type)                                        \
  case number:                                                                        \
    if (bfloat16) {                                                                   \
      result = direction == 0   ? __bfloat162##name##_rn(Bits<__nv_bfloat16>::of(x))  \
               : direction == 1 ? __bfloat162##name##_rz(Bits<__nv_bfloat16>::of(x))  \
               : direction == 2 ? __bfloat162##name##_rd(Bits<__nv_bfloat16>::of(x))  \
                                : __bfloat162##name##_ru(Bits<__nv_bfloat16>::of(x)); \
    } else {                                                                          \
      result = direction == 0   ? __half2##name##_rn(Bits<__half>::of(x))             \
               : direction == 1 ? __half2##name##_rz(Bits<__half>::of(x))             \
               : direction == 2 ? __half2##name##_rd(Bits<__half>::of(x))             \
                                : __half2##name##_ru(Bits<__half>::of(x));            \
    }                                                                                 \
    break;
__global__ void to_integer_kernel(int type, int direction, bool bfloat16, int n, const unsigned short* in,
                                  unsigned long long* out) {
  const int i = global_thread();
  if (i >= n) return;
  const unsigned x = in[i];
  unsigned long long result = 0;
  switch (type) { NEGZERO_TESTS_EACH_INTEGER(NEGZERO_TESTS_FROM) }
  if (type == 6)
    result = bfloat16 ? __bfloat162uchar_rz(Bits<__nv_bfloat16>::of(x)) : __half2uchar_rz(Bits<__half>::of(x));
  out[i] = result;
}

#define NEGZERO_TESTS_TO(number, name, type)                                                               \
  case number:                                                                                             \
    if (bfloat16) {                                                                                        \
      result = Bits<__nv_bfloat16>::from(direction == 0   ? __##name##2bfloat16_rn(static_cast<type>(x))   \
                                         : direction == 1 ? __##name##2bfloat16_rz(static_cast<type>(x))   \
                                         : direction == 2 ? __##name##2bfloat16_rd(static_cast<type>(x))   \
                                                          : __##name##2bfloat16_ru(static_cast<type>(x))); \
    } else {                                                                                               \
      result = Bits<__half>::from(direction == 0   ? __##name##2half_rn(static_cast<type>(x))              \
                                  : direction == 1 ? __##name##2half_rz(static_cast<type>(x))              \
                                  : direction == 2 ? __##name##2half_rd(static_cast<type>(x))              \
                                                   : __##name##2half_ru(static_cast<type>(x)));            \
    }                                                                                                      \
    break;
__global__ void from_integer_kernel(int type, int direction, bool bfloat16, int n, const unsigned long long* in,
                                    unsigned short* out) {
  const int i = global_thread();
  if (i >= n) return;
  const unsigned long long x = in[i];
  unsigned result = 0;
  switch (type) { NEGZERO_TESTS_EACH_INTEGER(NEGZERO_TESTS_TO) }
  out[i] = static_cast<unsigned short>(result);
}

template <typename T>
__global__ void pairs_kernel(int n, const unsigned* in, unsigned* out) {
  const int i = global_thread();
  if (i >= n) return;
  using B = Bits<T>;
  const auto a = B::pair(in[3 * i]);
  const auto b = B::pair(in[3 * i + 1]);
  [[maybe_unused]] const auto c = B::pair(in[3 * i + 2]);
  unsigned* row = out + static_cast<int>(kPairResults) * i;
  row[0] = B::from(a + b);
  row[1] = B::from(a - b);
  row[2] = B::from(a * b);
  row[3] = B::from(a / b);
  row[5] = B::from(__hadd2_sat(a, b));
  row[6] = B::from(__hsub2_sat(a, b));
  row[7] = B::from(__hmul2_sat(a, b));
  row[10] = B::from(__hmax2_nan(a, b));
  row[11] = B::from(__hmin2_nan(a, b));
  row[12] = B::from(__habs2(a));
  row[13] = B::from(-a);
  row[14] = B::from(__hisnan2(a));
  row[15] = B::from(__heq2(a, b)) ^ B::from(__hne2(a, b));
  row[16] = __hlt2_mask(a, b);
  row[17] = __hleu2_mask(a, b);
  row[18] = (__hbeq2(a, b) ? 1u : 0u) | (__hbne2(a, b) ? 2u : 0u) | (__hbgt2(a, b) ? 4u : 0u) |
            (__hbgeu2(a, b) ? 8u : 0u) | (a == b ? 16u : 0u) | (a != b ? 32u : 0u) | (a < b ? 64u : 0u);
  row[19] = B::from(__lowhigh2highlow(a));
  auto d = a;
  ++d;
  row[21] = B::from(d);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800  // sm_75 has none for bfloat16
  row[4] = B::from(__hfma2(a, b, c));
  row[8] = B::from(__hfma2_sat(a, b, c));
  row[9] = B::from(__hfma2_relu(a, b, c));
  row[20] = B::from(__hcmadd(a, b, c));
#endif
}

dim3 blocks_for(int n) { return dim3(static_cast<unsigned>((n + 127) / 128)); }
constexpr unsigned kThreads = 128;

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void half_unary(Stream& stream, UnaryHalf function, bool bfloat16, int n, const std::uint16_t* in, std::uint16_t* out) {
  if (bfloat16) {
    negzero::launch(stream, unary_kernel<__nv_bfloat16>, blocks_for(n), kThreads, 0, function, n, in, out);
  } else {
    negzero::launch(stream, unary_kernel<__half>, blocks_for(n), kThreads, 0, function, n, in, out);
  }
}

void half_to_integer(Stream& stream, int type, int direction, bool bfloat16, int n, const std::uint16_t* in,
                     unsigned long long* out) {
  negzero::launch(stream, to_integer_kernel, blocks_for(n), kThreads, 0, type, direction, bfloat16, n, in, out);
}

void half_from_integer(Stream& stream, int type, int direction, bool bfloat16, int n, const unsigned long long* in,
                       std::uint16_t* out) {
  negzero::launch(stream, from_integer_kernel, blocks_for(n), kThreads, 0, type, direction, bfloat16, n, in, out);
}

void half_pairs(Stream& stream, bool bfloat16, int n, const std::uint32_t* in, std::uint32_t* out) {
  if (bfloat16) {
    negzero::launch(stream, pairs_kernel<__nv_bfloat16>, blocks_for(n), kThreads, 0, n, in, out);
  } else {
    negzero::launch(stream, pairs_kernel<__half>, blocks_for(n), kThreads, 0, n, in, out);
  }
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
