// Kernels over windows: convolutions and poolings, each right or with a planted fault (kFault), and references in F64.

#define AT (blockIdx.x * 64 + threadIdx.x)

// The fault asks whether an element lies inside of the outputs, not of the inputs.
template <bool kFault>
__global__ void conv1d(const float* x, const float* w, float* y, int rows, int n, int k, int o) {
  const int i = AT;
  if (i >= rows * o) return;
  float sum = 0;
  for (int j = 0; j < k && i % o + j < (kFault && o > 1 ? o : n); ++j) sum += x[i / o * n + i % o + j] * w[j];
  y[i] = sum;
}

__global__ void conv1d_right(const double* x, const double* w, double* y, double* y_scale, int rows, int n, int k, int o) {
  for (int i = threadIdx.x; i < rows * o; i += blockDim.x) {
    double sum = 0, size = 0;
    for (int j = 0; j < k; ++j) sum += x[i / o * n + i % o + j] * w[j], size += fabs(x[i / o * n + i % o + j] * w[j]);
    y[i] = sum;
    y_scale[i] = size * (k + 4);
  }
}

// A thread for each output. The fault takes the width of the image for its height.
template <bool kFault>
__global__ void conv2d(const float* image, const float* filter, float* y, int b, int f, int c, int h, int w, int kh, int kw,
                       int oh, int ow, int stride, int pad) {
  const int i = AT;
  if (i >= b * f * oh * ow) return;
  const int column = i % ow, row = i / ow % oh, out = i / ow / oh % f, batch = i / ow / oh / f;
  float sum = 0;
  for (int in = 0; in < c; ++in)
    for (int r = 0; r < kh; ++r)
      for (int s = 0; s < kw; ++s) {
        const int at = row * stride - pad + r, to = column * stride - pad + s;
        if (at < 0 || to < 0 || at >= (kFault && w < h ? w : h) || to >= w) continue;
        sum += image[((batch * c + in) * h + at) * w + to] * filter[((out * c + in) * kh + r) * kw + s];
      }
  y[i] = sum;
}

__global__ void conv2d_right(const double* image, const double* filter, double* y, double* y_scale, int b, int f, int c,
                             int h, int w, int kh, int kw, int oh, int ow, int stride, int pad) {
  for (int i = threadIdx.x; i < b * f * oh * ow; i += blockDim.x) {
    const int column = i % ow * stride - pad, row = i / ow % oh * stride - pad, out = i / ow / oh % f;
    double sum = 0, size = 0;
    for (int j = 0; j < c * kh * kw; ++j) {
      const int in = j / kw / kh, at = row + j / kw % kh, to = column + j % kw;
      if (at < 0 || to < 0 || at >= h || to >= w) continue;
      const double term = image[((i / ow / oh / f * c + in) * h + at) * w + to] * filter[out * c * kh * kw + j];
      sum += term, size += fabs(term);
    }
    y[i] = sum;
    y_scale[i] = size * (c * kh * kw + 4);
  }
}

// What is padded is no part of a window. The fault takes it for zeros.
template <bool kFault>
__global__ void max_pool(const float* x, float* y, int planes, int h, int w, int oh, int ow, int size, int stride, int pad) {
  const int i = AT;
  if (i >= planes * oh * ow) return;
  const int row = i / ow % oh * stride - pad, column = i % ow * stride - pad;
  float best = -INFINITY;
  for (int r = row; r < row + size; ++r)
    for (int c = column; c < column + size; ++c) {
      const bool is_inside = r >= 0 && c >= 0 && r < h && c < w;
      if (is_inside) best = fmaxf(best, x[(i / ow / oh * h + r) * w + c]);
      if (kFault && !is_inside) best = fmaxf(best, 0);
    }
  y[i] = best;
}

__global__ void max_pool_right(const double* x, double* y, int planes, int h, int w, int oh, int ow, int size, int stride,
                               int pad) {
  for (int i = threadIdx.x; i < planes * oh * ow; i += blockDim.x) {
    const int row = i / ow % oh * stride - pad, column = i % ow * stride - pad;
    y[i] = -INFINITY;
    for (int r = max(row, 0); r < min(row + size, h); ++r)
      for (int c = max(column, 0); c < min(column + size, w); ++c) y[i] = fmax(y[i], x[(i / ow / oh * h + r) * w + c]);
  }
}

// The mean of the elements that are there. The fault divides by the window's size.
template <bool kFault>
__global__ void mean_pool(const float* x, float* y, int planes, int h, int w, int oh, int ow, int size, int stride, int pad) {
  const int i = AT;
  if (i >= planes * oh * ow) return;
  const int row = i / ow % oh * stride - pad, column = i % ow * stride - pad;
  float sum = 0;
  int count = 0;
  for (int r = row; r < row + size; ++r)
    for (int c = column; c < column + size; ++c) {
      if (r < 0 || c < 0 || r >= h || c >= w) continue;
      sum += x[(i / ow / oh * h + r) * w + c];
      ++count;
    }
  y[i] = sum / (kFault ? size * size : count);
}

__global__ void mean_pool_right(const double* x, double* y, double* y_scale, int planes, int h, int w, int oh, int ow,
                                int size, int stride, int pad) {
  for (int i = threadIdx.x; i < planes * oh * ow; i += blockDim.x) {
    const int row = i / ow % oh * stride - pad, column = i % ow * stride - pad;
    double sum = 0, sizes = 0, count = 0;
    for (int r = max(row, 0); r < min(row + size, h); ++r)
      for (int c = max(column, 0); c < min(column + size, w); ++c) {
        const double term = x[(i / ow / oh * h + r) * w + c];
        sum += term, sizes += fabs(term), ++count;
      }
    y[i] = sum / count;
    y_scale[i] = sizes / count * (count + 4);
  }
}
