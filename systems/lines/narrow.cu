// Kernels of formats below a byte, of powers of two and of complex numbers, each right or with a planted fault
// (kFault), and references in F64.

#include <cstdint>

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#define AT (blockIdx.x * 64 + threadIdx.x)

__device__ inline int half_of(const std::uint8_t* row, int at) { return row[at / 2] >> (at % 2 * 4) & 15; }

// ---- W4A16: activations in F16, weights in codes of 4 bits, two a byte, with a scale and a zero point for each 32.

enum class Codes { Right, HighFirst, ZeroPlusOne };

template <Codes kCodes>
__global__ void w4a16(const __half* a, const std::uint8_t* w, const float* scale, const std::uint8_t* zero, float* y,
                      int m, int n, int k) {
  const int at = AT;
  if (at >= m * n) return;
  const int i = at / n, j = at % n, groups = (k + 31) / 32;
  const std::uint8_t *codes = w + j * ((k + 1) / 2), *zeros = zero + j * ((groups + 1) / 2);
  float sum = 0;
  for (int l = 0; l < k; ++l) {
    // The fault takes the high half of a byte for the first one, as tools that write big-endian words lay them.
    const int code = half_of(codes, kCodes == Codes::HighFirst ? l ^ 1 : l);
    // The fault is that of files whose zero points are stored less one.
    const int from = half_of(zeros, l / 32) + (kCodes == Codes::ZeroPlusOne ? 1 : 0);
    sum += __half2float(a[i * k + l]) * (static_cast<float>(code - from) * scale[j * groups + l / 32]);
  }
  y[at] = sum;
}

__global__ void w4a16_right(const double* a, const std::uint8_t* w, const double* scale, const std::uint8_t* zero,
                            double* y, double* y_scale, int m, int n, int k) {
  const int groups = (k + 31) / 32;
  for (int at = threadIdx.x; at < m * n; at += blockDim.x) {
    const int i = at / n, j = at % n;
    double sum = 0, size = 0;
    for (int l = 0; l < k; ++l) {
      const int code = half_of(w + j * ((k + 1) / 2), l), from = half_of(zero + j * ((groups + 1) / 2), l / 32);
      const double term = a[i * k + l] * (code - from) * scale[j * groups + l / 32];
      sum += term;
      size += fabs(term);
    }
    y[at] = sum;
    y_scale[at] = size;
  }
}

// ---- MXFP8: codes in F8_E4M3 with a power of two for each 32, F8_E8M0.

// The exponent of a positive number that is no subnormal of F32, and what is left of it, from 1 to below 2.
__device__ inline int exponent_of(float x, float* rest) {
  const std::uint32_t bits = __float_as_uint(x);
  *rest = __uint_as_float((bits & 0x7fffff) | 0x3f800000);
  return static_cast<int>(bits >> 23) - 127;
}
__device__ inline float power_of_two(int exponent) {
  return __uint_as_float(static_cast<std::uint32_t>(exponent + 127) << 23);
}

enum class Scale { Up, Down, FloorOfUp, NoSaturation };

// `Up`: the least power that brings the block to 448 at most. `Down`: that of OCP MX 1.0, the greatest below the
// block's magnitude over 2^8, so that codes saturate. The faults: the power of `Down` where `Up` is meant, and no
// saturation.
template <Scale kScale>
__global__ void mxfp8(const float* x, __nv_fp8_storage_t* codes, std::uint8_t* scale, int rows, int columns) {
  const int at = AT, groups = (columns + 31) / 32;
  if (at >= rows * groups) return;
  const int first = at % groups * 32, end = min(first + 32, columns), row = at / groups * columns;
  float greatest = 0, rest = 0;
  for (int j = first; j < end; ++j) greatest = fmaxf(greatest, fabsf(x[row + j]));
  int exponent = exponent_of(greatest, &rest) - 8;
  if (kScale == Scale::Up && rest > 1.75f) ++exponent;
  exponent = max(exponent, -127);
  scale[at] = static_cast<std::uint8_t>(exponent + 127);
  for (int j = first; j < end; ++j) {
    const float scaled = x[row + j] * power_of_two(-exponent);
    codes[row + j] =
        __nv_cvt_float_to_fp8(scaled, kScale == Scale::NoSaturation ? __NV_NOSAT : __NV_SATFINITE, __NV_E4M3);
  }
}

template <bool kUp>
__global__ void mxfp8_right(const double* x, double* codes, double* scale, int rows, int columns) {
  const int groups = (columns + 31) / 32;
  for (int at = threadIdx.x; at < rows * groups; at += blockDim.x) {
    const int first = at % groups * 32, end = min(first + 32, columns), row = at / groups * columns;
    double greatest = 0;
    for (int j = first; j < end; ++j) greatest = fmax(greatest, fabs(x[row + j]));
    int exponent = -127;
    while (kUp ? ldexp(448.0, exponent) < greatest : ldexp(512.0, exponent) <= greatest) ++exponent;
    scale[at] = ldexp(1.0, exponent);
    for (int j = first; j < end; ++j) codes[row + j] = fmax(-448.0, fmin(448.0, ldexp(x[row + j], -exponent)));
  }
}

// ---- NVFP4: codes in F4, two a byte, with a scale in F8_E4M3 for each 16.

enum class Pack { Right, HighFirst };

// The nearest code, the even one of two, of a number whose magnitude may be beyond 6.
__device__ inline unsigned f4_of(float x) {
  const float size = fabsf(x);
  const unsigned code = size <= 0.25f   ? 0
                        : size < 0.75f  ? 1
                        : size <= 1.25f ? 2
                        : size < 1.75f  ? 3
                        : size <= 2.5f  ? 4
                        : size < 3.5f   ? 5
                        : size <= 5.0f  ? 6
                                        : 7;
  return code | (signbit(x) ? 8u : 0u);
}

template <Pack kPack>
__global__ void nvfp4(const float* x, std::uint8_t* codes, __nv_fp8_e4m3* scale, int rows, int columns) {
  const int groups = (columns + 15) / 16, bytes = (columns + 1) / 2, at = AT;
  if (at >= rows * groups) return;
  const int first = at % groups * 16, end = min(first + 16, columns), row = at / groups;
  float greatest = 0;
  for (int j = first; j < end; ++j) greatest = fmaxf(greatest, fabsf(x[row * columns + j]));
  scale[at] = __nv_fp8_e4m3(greatest / 6);
  const float by = static_cast<float>(scale[at]);
  const auto code = [&](int j) { return j < end && by > 0 ? f4_of(x[row * columns + j] / by) : 0u; };
  for (int j = first; j < end; j += 2) {
    const unsigned low = code(kPack == Pack::HighFirst ? j + 1 : j), high = code(kPack == Pack::HighFirst ? j : j + 1);
    codes[row * bytes + j / 2] = static_cast<std::uint8_t>(low | high << 4);
  }
}

// The same by a block for each group and a thread for each element: bytes are cleared, and each thread adds its half.
// The fault is that two threads do so to one byte at once.
__global__ void nvfp4_by_element(const float* x, std::uint8_t* codes, __nv_fp8_e4m3* scale, int rows, int columns) {
  const int groups = (columns + 15) / 16, first = blockIdx.x % groups * 16, row = blockIdx.x / groups;
  const int end = min(first + 16, columns), j = first + threadIdx.x;
  float greatest = 0;
  for (int other = first; other < end; ++other) greatest = fmaxf(greatest, fabsf(x[row * columns + other]));
  const __nv_fp8_e4m3 stored(greatest / 6);
  const float by = static_cast<float>(stored);
  if (threadIdx.x == 0) scale[blockIdx.x] = stored;
  std::uint8_t* const byte = codes + row * ((columns + 1) / 2) + j / 2;
  if (j < end && j % 2 == 0) *byte = 0;
  __syncthreads();
  if (j < end && by > 0) *byte |= static_cast<std::uint8_t>(f4_of(x[row * columns + j] / by) << (j % 2 * 4));
}

__global__ void nvfp4_right(const double* x, double* codes, double* scale, int rows, int columns) {
  const int groups = (columns + 15) / 16;
  for (int at = threadIdx.x; at < rows * groups; at += blockDim.x) {
    const int first = at % groups * 16, end = min(first + 16, columns), row = at / groups * columns;
    double greatest = 0;
    for (int j = first; j < end; ++j) greatest = fmax(greatest, fabs(x[row + j]));
    const __nv_fp8_e4m3 stored(greatest / 6);
    scale[at] = static_cast<double>(stored);
    for (int j = first; j < end; ++j) codes[row + j] = scale[at] > 0 ? x[row + j] / scale[at] : 0;
  }
}

// ---- A product of complex numbers, a real and an imaginary part each. The fault conjugates the second.
template <bool kFault>
__global__ void complex_product(const float2* a, const float2* b, float2* y, int n) {
  const int at = AT;
  if (at >= n) return;
  const float real = b[at].x, imaginary = kFault ? -b[at].y : b[at].y;
  y[at].x = a[at].x * real - a[at].y * imaginary;
  y[at].y = a[at].x * imaginary + a[at].y * real;
}

__global__ void complex_right(const double2* a, const double2* b, double2* y, double2* y_scale, int n) {
  for (int at = threadIdx.x; at < n; at += blockDim.x) {
    const double2 p = a[at], q = b[at];
    y[at].x = p.x * q.x - p.y * q.y;
    y[at].y = p.x * q.y + p.y * q.x;
    y_scale[at].x = fabs(p.x * q.x) + fabs(p.y * q.y);
    y_scale[at].y = fabs(p.x * q.y) + fabs(p.y * q.x);
  }
}
