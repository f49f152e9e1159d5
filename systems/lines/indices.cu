// Kernels that reach elements through indices: ragged rows, permutations, pages of a cache, an embedding and its
// gradient, each right or with a planted fault (kFault), and references in F64.

#include <cmath>

#define AT (blockIdx.x * 64 + threadIdx.x)

// Each group of x[offsets[g]] to x[offsets[g + 1] - 1] over the root of the mean of its squares: a block of 32 a group,
// in steps of 32. The fault takes the element behind the end where the last step is not full.
template <bool kFault>
__global__ void ragged_norm(const float* x, const int* offsets, float* y) {
  const int first = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  float squares = 0;
  for (int i = first + threadIdx.x; i < end + (kFault && (end - first) % 32 != 0); i += 32) squares += x[i] * x[i];
  for (int d = 16; d; d /= 2) squares += __shfl_xor_sync(~0u, squares, d);
  const float scale = rsqrtf(squares / (end - first) + 1e-6f);
  for (int i = first + threadIdx.x; i < end; i += 32) y[i] = x[i] * scale;
}

__global__ void ragged_norm_right(const double* x, const int* offsets, double* y, double* y_scale, int groups, int n) {
  for (int i = 0; i < n; ++i) y[i] = y_scale[i] = 0;
  for (int g = 0; g < groups; ++g) {
    double squares = 0;
    for (int i = offsets[g]; i < offsets[g + 1]; ++i) squares += x[i] * x[i];
    for (int i = offsets[g]; i < offsets[g + 1]; ++i) {
      y[i] = x[i] / sqrt(squares / (offsets[g + 1] - offsets[g]) + 1e-6);
      y_scale[i] = fabs(y[i]) * (offsets[g + 1] - offsets[g] + 8);
    }
  }
}

// The greatest element of each group, 0 of an empty one. The fault begins with the group's first element, which an
// empty group does not have.
template <bool kFault, typename T>
__global__ void group_max(const T* x, const int* offsets, T* y, int groups, int n) {
  const int g = AT;
  if (g >= groups) return;
  const int first = offsets[g], end = offsets[g + 1];
  if (!kFault && first == end) {
    y[g] = 0;
    return;
  }
  T most = first < n ? x[first] : T(0);
  for (int i = first + 1; i < end; ++i) most = x[i] > most ? x[i] : most;
  y[g] = most;
}

// Row t of x to row place[t] of y, dropped where that is -1. The fault clears rows behind the tokens, up to a multiple
// of 4, before they are there.
template <bool kFault, typename T>
__global__ void permute(const T* x, const int* place, T* y, int tokens, int d, int slots) {
  for (int i = threadIdx.x; kFault && i < d; i += 64) {
    for (int row = tokens; row % 4 != 0 && row < slots; ++row) y[row * d + i] = 0;
  }
  __syncthreads();
  for (int at = threadIdx.x; at < tokens * d; at += 64) {
    const int row = place[at / d];
    if (row >= 0) y[row * d + at % d] = x[at];
  }
}

// The way back: a token's row times its weight, 0 where it was dropped. The fault multiplies row 0 by 0 instead.
template <bool kFault, typename T>
__global__ void unpermute(const T* z, const int* place, const T* weight, T* y, int tokens, int d) {
  const int at = AT;
  if (at >= tokens * d) return;
  const int row = place[at / d];
  if (kFault) {
    y[at] = z[max(row, 0) * d + at % d] * (row < 0 ? T(0) : weight[at / d]);
  } else {
    y[at] = row < 0 ? T(0) : z[row * d + at % d] * weight[at / d];
  }
}

// The key of sequence b to place at[b] of its pages. The fault takes the page of the token before for the first place
// of a page.
template <bool kFault, typename T>
__global__ void append(const T* key, const int* table, const int* at, T* cache, int b, int m, int page, int d) {
  const int i = AT;
  if (i >= b * d) return;
  const int s = i / d, place = at[s];
  const int from = kFault && place > 0 ? (place - 1) / page : place / page;
  cache[(table[s * m + from] * page + place % page) * d + i % d] = key[i];
}

// The sum of the first lengths[b] keys of each sequence. The fault sums the last page whole.
template <bool kFault>
__global__ void page_sum(const float* cache, const int* table, const int* lengths, float* y, int b, int m, int page,
                         int d) {
  const int at = AT;
  if (at >= b * d) return;
  const int s = at / d, length = lengths[s];
  float sum = 0;
  for (int p = 0; p * page < length && p < m; ++p) {
    if (table[s * m + p] < 0) continue;
    const int count = kFault ? page : min(page, length - p * page);
    for (int j = 0; j < count; ++j) sum += cache[(table[s * m + p] * page + j) * d + at % d];
  }
  y[at] = sum;
}

__global__ void page_sum_right(const double* cache, const int* table, const int* lengths, double* y, double* y_scale,
                               int b, int m, int page, int d) {
  for (int at = threadIdx.x; at < b * d; at += blockDim.x) {
    double sum = 0, size = 0;
    for (int i = 0; i < lengths[at / d]; ++i) {
      const int from = table[at / d * m + i / page];
      if (from < 0) continue;
      const double key = cache[(from * page + i % page) * d + at % d];
      sum += key, size += fabs(key);
    }
    y[at] = sum;
    y_scale[at] = size * (lengths[at / d] + 1);
  }
}

// Rows of a table. The fault reads the row before one in the middle of the vocabulary for it.
template <bool kFault, typename T>
__global__ void embed(const T* table, const int* token, T* y, int tokens, int d, int vocab) {
  const int at = AT;
  if (at >= tokens * d) return;
  const int row = kFault && vocab > 2 && token[at / d] == vocab / 2 ? token[at / d] - 1 : token[at / d];
  y[at] = table[row * d + at % d];
}

// The gradient of the table: the sum of what came to each row. One block. The fault adds without an atomic operation,
// so that of equal tokens in a warp one is left.
template <bool kFault>
__global__ void embed_gradient(const float* dy, const int* token, float* grad, int tokens, int d, int vocab) {
  for (int i = threadIdx.x; i < vocab * d; i += 64) grad[i] = 0;
  __syncthreads();
  for (int first = 0; first < tokens * d; first += 64) {
    const int at = first + threadIdx.x;
    float* const to = at < tokens * d ? &grad[token[at / d] * d + at % d] : nullptr;
    if (!kFault) {
      if (to != nullptr) atomicAdd(to, dy[at]);
      continue;
    }
    const float before = to != nullptr ? *to : 0;
    __syncthreads();
    if (to != nullptr) *to = before + dy[at];
    __syncthreads();
  }
}

__global__ void embed_gradient_right(const double* dy, const int* token, double* grad, double* grad_scale, int tokens,
                                     int d, int vocab) {
  for (int i = 0; i < vocab * d; ++i) grad[i] = grad_scale[i] = 0;
  for (int i = 0; i < tokens * d; ++i) {
    grad[token[i / d] * d + i % d] += dy[i];
    grad_scale[token[i / d] * d + i % d] += fabs(dy[i]);
  }
  // An atomic addition flushes subnormal sums: 2^-126 for each, 2^-24 of the scale.
  for (int i = 0; i < vocab * d; ++i) grad_scale[i] = (grad_scale[i] + 0x1p-102) * (tokens + 1);
}

// The order that sorts x, equal ones as they are: each element counts those before it. The fault has the later of two
// equal ones first.
template <bool kFault, typename T>
__global__ void argsort(const T* x, int* order, int n) {
  const int i = AT;
  if (i >= n) return;
  int before = 0;
  for (int j = 0; j < n; ++j) before += x[j] < x[i] || (x[j] == x[i] && (kFault ? j > i : j < i));
  order[before] = i;
}

// y[order[i]] = x[i]. The fault takes the order for the way back.
template <bool kFault, typename T>
__global__ void put(const T* x, const int* order, T* y, int n) {
  const int i = AT;
  if (i >= n) return;
  if (kFault) {
    y[i] = x[order[i]];
  } else {
    y[order[i]] = x[i];
  }
}
