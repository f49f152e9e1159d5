// Kernels whose results depend on what F32 arithmetic does with subnormal numbers: nvcc's -ftz.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <class T>
__global__ void dot(const T* a, const T* b, const float* c, float* d, int m, int n, int k, float alpha, float beta) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= m * n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += static_cast<float>(a[at / n * k + i]) * static_cast<float>(b[i * n + at % n]);
  d[at] = alpha * sum + beta * c[at];
}

template <class T>
__global__ void sum_rows(const T* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += static_cast<float>(x[row * columns + i]);
  y[row] = sum;
}

template <class T>
__global__ void scan_rows(const T* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || columns == 0) return;
  float sum = static_cast<float>(x[row * columns]);
  y[row * columns] = sum;
  for (int i = 1; i < columns; ++i) y[row * columns + i] = sum += static_cast<float>(x[row * columns + i]);
}

template <class T>
__global__ void mean_rows(const T* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; ++i) sum += static_cast<float>(x[row * columns + i]);
  y[row] = __fdiv_rn(sum, static_cast<float>(columns));
}

// The maximum of each row by fmaxf, in F32.
template <class T>
__global__ void max_rows(const T* x, T* y, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = -INFINITY;
  for (int i = 0; i < columns; ++i) most = fmaxf(most, static_cast<float>(x[row * columns + i]));
  y[row] = T(most);
}

// The maximum of each row and where it is, by comparisons.
template <class T>
__global__ void max_index_rows(const T* x, T* y, int* at, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int best = 0;
  for (int i = 1; i < columns; ++i) {
    if (static_cast<float>(x[row * columns + i]) > static_cast<float>(x[row * columns + best])) best = i;
  }
  y[row] = x[row * columns + best];
  at[row] = best;
}

template <class From, class To>
__global__ void convert_each(const From* x, To* y, int count) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) y[at] = To(x[at]);
}

// y = s x.
template <class T>
__global__ void scale_each(const T* x, T* y, float s, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) y[at] = T(static_cast<float>(x[at]) * s);
}
__global__ void scale_right(const double* x, double* y, double s, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] * s;
}
// The sign of each number, of a NaN too: by its bits, as a conversion to F32 may lose it.
template <class T>
__global__ void sign_each(const T* x, float* y, int n) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const unsigned char last = reinterpret_cast<const unsigned char*>(x + at)[sizeof(T) - 1];
  y[at] = (last & 0x80) != 0 ? -1.0f : 1.0f;
}
__global__ void sign_right(const double* x, double* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = copysign(1.0, x[i]);
}
