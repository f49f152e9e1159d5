// Kernels of integers below 32 bits and of truth values, each right or with a planted fault (kFault), and references in
// F64.

#include <cstdint>

#define AT (blockIdx.x * 64 + threadIdx.x)

// A product of bytes with a scale for each row and column, summed in 32 bits. The fault sums in 16.
template <bool kFault>
__global__ void product(const std::int8_t* a, const std::int8_t* b, const float* row_scale, const float* column_scale,
                        float* y, int m, int n, int k) {
  const int at = AT;
  if (at >= m * n) return;
  const int i = at / n, j = at % n;
  int sum = 0;
  for (int l = 0; l < k; ++l) {
    sum += a[i * k + l] * b[l * n + j];
    if (kFault) sum = static_cast<std::int16_t>(sum);
  }
  y[at] = static_cast<float>(sum) * (row_scale[i] * column_scale[j]);
}

__global__ void product_right(const std::int8_t* a, const std::int8_t* b, const double* row_scale,
                              const double* column_scale, double* y, double* y_scale, int m, int n, int k) {
  for (int at = threadIdx.x; at < m * n; at += blockDim.x) {
    std::int64_t sum = 0;
    for (int l = 0; l < k; ++l) sum += a[at / n * k + l] * b[l * n + at % n];
    y[at] = static_cast<double>(sum) * row_scale[at / n] * column_scale[at % n];
    y_scale[at] = 3 * fabs(y[at]);
  }
}

// Bytes with a zero point for each group of 32. The fault takes the bytes for signed ones.
template <bool kFault>
__global__ void widen(const std::uint8_t* codes, const std::uint8_t* zero, const float* scale, float* y, int rows,
                      int columns) {
  const int at = AT;
  if (at >= rows * columns) return;
  const int groups = (columns + 31) / 32, group = at / columns * groups + at % columns / 32;
  const int code = kFault ? static_cast<std::int8_t>(codes[at]) : codes[at];
  y[at] = static_cast<float>(code - zero[group]) * scale[group];
}

__global__ void widen_right(const std::uint8_t* codes, const std::uint8_t* zero, const double* scale, double* y,
                            int rows, int columns) {
  const int groups = (columns + 31) / 32;
  for (int at = threadIdx.x; at < rows * columns; at += blockDim.x) {
    const int group = at / columns * groups + at % columns / 32;
    y[at] = (codes[at] - zero[group]) * scale[group];
  }
}

// Numbers where a mask is set, or all where there is none, elsewhere -inf; and how many of a row are set. The fault
// forgets the row's last one.
template <bool kFault, typename T>
__global__ void masked(const T* x, const bool* mask, T* y, std::uint16_t* set, int rows, int columns) {
  const int row = AT;
  if (row >= rows) return;
  int count = 0;
  for (int j = 0; j < columns; ++j) {
    const int at = row * columns + j;
    const bool is_set = mask == nullptr || mask[at];
    y[at] = is_set ? x[at] : static_cast<T>(-1.0 / 0.0);
    count += is_set && !(kFault && j > 0 && j + 1 == columns);
  }
  set[row] = static_cast<std::uint16_t>(count);
}
