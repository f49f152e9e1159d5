// Kernels of language models, each right or with a planted fault (kFault), and references in F64.

#define AT (blockIdx.x * 64 + threadIdx.x)
#define STRIDES(t) long long t##0, long long t##1, long long t##2

// A thread for each row: the greatest k, of equal ones the first. The fault gives the last of them.
template <bool kFault>
__global__ void topk(const float* x, float* best, int* at, int rows, int n, int k) {
  const int row = AT;
  if (row >= rows) return;
  int last = -1;
  for (int j = 0; j < k; ++j) {
    int place = -1;
    for (int i = 0; i < n; ++i) {
      const float value = x[row * n + i];
      const bool is_behind = kFault ? i < last : i > last;
      if (last >= 0 && !(value < x[row * n + last] || (value == x[row * n + last] && is_behind))) continue;
      if (place < 0 || value > x[row * n + place] || (kFault && value == x[row * n + place])) place = i;
    }
    at[row * k + j] = last = place;
    best[row * k + j] = x[row * n + place];
  }
}

__global__ void topk_right(const double* x, double* best, int* at, int rows, int n, int k) {
  for (int row = threadIdx.x; row < rows; row += blockDim.x)
    for (int i = 0; i < n; ++i) {
      int rank = 0;
      for (int e = 0; e < n; ++e) rank += x[row * n + e] > x[row * n + i] || (x[row * n + e] == x[row * n + i] && e < i);
      if (rank < k) best[row * k + rank] = x[row * n + i], at[row * k + rank] = i;
    }
}

// Rotates halves of each head. The fault takes the angles of another token, where there are several heads.
template <bool kFault>
__global__ void rope(const float* x, const float* c, const float* s, float* y, int tokens, int heads, int half) {
  const int i = AT;
  if (i >= tokens * heads * half) return;
  const int j = i % half, head = i / half % heads, token = i / half / heads;
  const int angle = (kFault ? (token + head) % tokens : token) * half + j;
  const float a = x[(token * heads + head) * 2 * half + j], b = x[(token * heads + head) * 2 * half + half + j];
  y[(token * heads + head) * 2 * half + j] = a * c[angle] - b * s[angle];
  y[(token * heads + head) * 2 * half + half + j] = b * c[angle] + a * s[angle];
}

__global__ void rope_right(const double* x, const double* c, const double* s, double* y, double* y_scale, int tokens,
                           int heads, int half) {
  for (int i = threadIdx.x; i < tokens * heads * half; i += blockDim.x) {
    const int at = i / half * 2 * half + i % half, to = at + half, angle = i / half / heads * half + i % half;
    y[at] = x[at] * c[angle] - x[to] * s[angle];
    y[to] = x[to] * c[angle] + x[at] * s[angle];
    y_scale[at] = 4 * (fabs(x[at] * c[angle]) + fabs(x[to] * s[angle]));
    y_scale[to] = 4 * (fabs(x[to] * c[angle]) + fabs(x[at] * s[angle]));
  }
}

// A thread for each query: the last n of m keys are those of the queries, and none sees a later one. The fault forgets
// the keys before them.
template <bool kFault>
__global__ void attention(const float* q, const float* k, const float* v, float* y, int planes, int n, int m, int dim) {
  const int i = AT;
  if (i >= planes * n) return;
  const int plane = i / n, seen = i % n + 1 + (kFault ? 0 : m - n);
  const float scale = 1 / sqrtf(dim);
  float most = -INFINITY, sum = 0;
  const auto score = [&](int j) {
    float dot = 0;
    for (int d = 0; d < dim; ++d) dot += q[i * dim + d] * k[(plane * m + j) * dim + d];
    return dot * scale;
  };
  for (int j = 0; j < seen; ++j) most = fmaxf(most, score(j));
  for (int d = 0; d < dim; ++d) y[i * dim + d] = 0;
  for (int j = 0; j < seen; ++j) {
    const float weight = expf(score(j) - most);
    sum += weight;
    for (int d = 0; d < dim; ++d) y[i * dim + d] += weight * v[(plane * m + j) * dim + d];
  }
  for (int d = 0; d < dim; ++d) y[i * dim + d] /= sum;
}

// |q|, |k| <= 1. A weight errs by the errors of its score, at most (dim + 4) |q k| / sqrt(dim) u, twice, and of exp.
__global__ void attention_right(const double* q, const double* k, const double* v, double* y, double* y_scale, int planes,
                                int n, int m, int dim) {
  for (int i = threadIdx.x; i < planes * n; i += blockDim.x) {
    const int seen = i % n + 1 + m - n;
    double sum = 0, off = 0;
    for (int d = 0; d < dim; ++d) y[i * dim + d] = y_scale[i * dim + d] = 0;
    for (int j = 0; j < seen; ++j) {
      double dot = 0, size = 0;
      for (int d = 0; d < dim; ++d) {
        const double term = q[i * dim + d] * k[(i / n * m + j) * dim + d];
        dot += term, size += fabs(term);
      }
      const double weight = exp(dot / sqrt((double)dim));
      off = fmax(off, size / sqrt((double)dim) * (dim + 8));
      sum += weight;
      for (int d = 0; d < dim; ++d) {
        y[i * dim + d] += weight * v[(i / n * m + j) * dim + d];
        y_scale[i * dim + d] += fabs(weight * v[(i / n * m + j) * dim + d]);
      }
    }
    for (int d = 0; d < dim; ++d) y[i * dim + d] /= sum, y_scale[i * dim + d] *= (2 * m + 16 + 4 * off) / sum;
  }
}

// silu(gate) * up. The fault begins the second half at an even place.
template <bool kFault>
__global__ void gated(const float* x, float* y, int tokens, int d) {
  const int i = AT;
  if (i >= tokens * d) return;
  const float gate = x[i / d * 2 * d + i % d], up = x[i / d * 2 * d + (kFault && d > 1 ? d / 2 * 2 : d) + i % d];
  y[i] = gate / (1 + expf(-gate)) * up;
}

__global__ void gated_right(const double* x, double* y, double* y_scale, int tokens, int d) {
  for (int i = threadIdx.x; i < tokens * d; i += blockDim.x) {
    const double gate = x[i / d * 2 * d + i % d], up = x[i / d * 2 * d + d + i % d];
    y[i] = gate / (1 + exp(-gate)) * up;
    y_scale[i] = fabs(y[i]) * (8 + fabs(gate));
  }
}

// Any strides, 0 where batches share a matrix. The fault takes matrices of b for neighbours.
template <bool kFault>
__global__ void batched(const float* a, const float* b, float* d, int batch, int m, int n, int k, STRIDES(a), STRIDES(b),
                        STRIDES(d)) {
  const int i = AT;
  if (i >= batch * m * n) return;
  const int column = i % n, row = i / n % m, which = i / n / m;
  float sum = 0;
  for (int j = 0; j < k; ++j)
    sum += a[which * a0 + row * a1 + j * a2] * b[which * (kFault ? k * b1 : b0) + j * b1 + column * b2];
  d[which * d0 + row * d1 + column * d2] = sum;
}

__global__ void batched_right(const double* a, const double* b, double* d, double* d_scale, int batch, int m, int n, int k) {
  for (int i = threadIdx.x; i < batch * m * n; i += blockDim.x) {
    double sum = 0, size = 0;
    for (int j = 0; j < k; ++j) {
      const double term = a[i / n * k + j] * b[(i / n / m * k + j) * n + i % n];
      sum += term, size += fabs(term);
    }
    d[i] = sum;
    d_scale[i] = size * (k + 4);
  }
}
