// Kernels that are right where |x| <= 1e4, each beside one with a planted fault (kFault), and what they are held to in F64.

#include <cuda_bf16.h>

__device__ float warp_sum(float value) {
  for (int d = 16; d; d /= 2) value += __shfl_xor_sync(~0u, value, d);
  return value;
}

// Layer normalization of a row by a warp, in two passes. The fault divides by n - 1.
template <bool kFault>
__global__ void layernorm(const float* x, const float* w, const float* b, float* y, int n) {
  const float* row = x + (size_t)blockIdx.x * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += row[i];
  const float mean = warp_sum(sum) / n;
  for (int i = threadIdx.x; i < n; i += 32) squares += (row[i] - mean) * (row[i] - mean);
  const float scale = rsqrtf(warp_sum(squares) / (kFault && n > 1 ? n - 1 : n) + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 32) y[(size_t)blockIdx.x * n + i] = (row[i] - mean) * scale * w[i] + b[i];
}

// One thread a row. The mean errs by n u mean|x|, and so does each difference from it; a scale is infinite where that is
// more than the variance.
__global__ void layernorm_right(const double* x, const double* w, const double* b, double* y, double* y_scale, int rows, int n) {
  const double u = 0x1p-24;
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    const double* row = x + (size_t)r * n;
    double sum = 0, sizes = 0, squares = 0, most = 0;
    for (int i = 0; i < n; ++i) sum += row[i], sizes += fabs(row[i]), most = fmax(most, fabs(row[i]));
    const double mean = sum / n, off = (n + 4) * (sizes / n + most);
    for (int i = 0; i < n; ++i) squares += (row[i] - mean) * (row[i] - mean);
    const double variance = squares / n + 1e-5, scale = 1 / sqrt(variance);
    const double bent = (2 * off * sqrt(variance) + off * off * u) / variance;  // of the variance, in u
    for (int i = 0; i < n; ++i) {
      const double normal = (row[i] - mean) * scale;
      y[(size_t)r * n + i] = normal * w[i] + b[i];
      y_scale[(size_t)r * n + i] = bent * u > 0.25 ? INFINITY
          : fabs(w[i]) * (scale * off + fabs(normal) * (bent + n + 12)) + fabs(normal * w[i]) + 2 * fabs(b[i]);
    }
  }
}

// Root mean square normalization of a row by a warp. The fault adds epsilon outside of the root.
template <typename T, bool kFault>
__global__ void rmsnorm(const T* x, const T* w, T* y, int n) {
  const T* row = x + (size_t)blockIdx.x * n;
  float squares = 0;
  for (int i = threadIdx.x; i < n; i += 32) squares += (float)row[i] * (float)row[i];
  const float mean = warp_sum(squares) / n;
  const float scale = kFault ? 1 / (sqrtf(mean) + 1e-5f) : rsqrtf(mean + 1e-5f);
  for (int i = threadIdx.x; i < n; i += 32) y[(size_t)blockIdx.x * n + i] = (T)((float)row[i] * scale * (float)w[i]);
}

__global__ void rmsnorm_right(const double* x, const double* w, double* y, double* y_scale, int rows, int n) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    const double* row = x + (size_t)r * n;
    double squares = 0;
    for (int i = 0; i < n; ++i) squares += row[i] * row[i];
    const double scale = 1 / sqrt(squares / n + 1e-5);
    for (int i = 0; i < n; ++i) {
      y[(size_t)r * n + i] = row[i] * scale * w[i];
      y_scale[(size_t)r * n + i] = fabs(row[i] * scale * w[i]) * (n + 8);
    }
  }
}

// Each token times the matrix of its expert. The fault forgets the last k of an odd one.
template <bool kFault>
__global__ void experts(const float* x, const float* w, const int* expert, float* y, int k, int n) {
  const float* row = x + (size_t)blockIdx.x * k;
  const float* matrix = w + (size_t)expert[blockIdx.x] * k * n;
  for (int j = threadIdx.x; j < n; j += 32) {
    float sum = 0;
    for (int i = 0; i < (kFault && k > 1 ? k / 2 * 2 : k); ++i) sum += row[i] * matrix[(size_t)i * n + j];
    y[(size_t)blockIdx.x * n + j] = sum;
  }
}

__global__ void experts_right(const double* x, const double* w, const int* expert, double* y, double* y_scale, int tokens,
                              int k, int n) {
  for (int t = threadIdx.x; t < tokens; t += blockDim.x) {
    for (int j = 0; j < n; ++j) {
      double sum = 0, sizes = 0;
      for (int i = 0; i < k; ++i) {
        const double term = x[(size_t)t * k + i] * w[((size_t)expert[t] * k + i) * n + j];
        sum += term, sizes += fabs(term);
      }
      y[(size_t)t * n + j] = sum;
      y_scale[(size_t)t * n + j] = sizes * (k + 1);
    }
  }
}

// Rotates pairs of a row. The fault takes the angle of the place before.
template <bool kFault>
__global__ void rotary(const float* x, const float* c, const float* s, float* y, int half) {
  const size_t at = (size_t)blockIdx.x * half;
  for (int i = threadIdx.x; i < half; i += 32) {
    const int angle = kFault && i > 0 ? i - 1 : i;
    const float a = x[2 * at + i], b = x[2 * at + half + i];
    y[2 * at + i] = a * c[at + angle] - b * s[at + angle];
    y[2 * at + half + i] = b * c[at + angle] + a * s[at + angle];
  }
}

__global__ void rotary_right(const double* x, const double* c, const double* s, double* y, double* y_scale, int rows, int half) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    const size_t at = (size_t)r * half;
    for (int i = 0; i < half; ++i) {
      const double a = x[2 * at + i], b = x[2 * at + half + i], cos = c[at + i], sin = s[at + i];
      y[2 * at + i] = a * cos - b * sin;
      y[2 * at + half + i] = b * cos + a * sin;
      y_scale[2 * at + i] = fabs(a * cos) + fabs(b * sin);
      y_scale[2 * at + half + i] = fabs(b * cos) + fabs(a * sin);
    }
  }
}

// A sparse matrix by rows times a vector: row r has the entries from the end of the row before. The fault starts at the
// end of its own row's neighbour from the third row on.
template <bool kFault>
__global__ void spmv(const float* v, const int* column, const int* ends, const float* x, float* y, int rows) {
  for (int r = threadIdx.x; r < rows; r += 32) {
    float sum = 0;
    for (int i = r == 0 ? 0 : ends[kFault && r > 1 ? r - 2 : r - 1]; i < ends[r]; ++i) sum += v[i] * x[column[i]];
    y[r] = sum;
  }
}

__global__ void spmv_right(const double* v, const int* column, const int* ends, const double* x, double* y, double* y_scale, int rows) {
  for (int r = threadIdx.x; r < rows; r += blockDim.x) {
    double sum = 0, sizes = 0;
    const int begin = r == 0 ? 0 : ends[r - 1];
    for (int i = begin; i < ends[r]; ++i) sum += v[i] * x[column[i]], sizes += fabs(v[i] * x[column[i]]);
    y[r] = sum;
    y_scale[r] = sizes * (ends[r] - begin + 1);
  }
}
