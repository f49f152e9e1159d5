// Kernels whose inputs have one more edge than there are rows or bins, each right or with a planted fault (kFault), and
// references in F64.

#define AT (blockIdx.x * 64 + threadIdx.x)

// A sparse matrix by rows, two entries at a time. The fault forgets the odd one.
template <bool kFault>
__global__ void csr(const float* v, const int* column, const int* ends, const float* x, float* y, int rows) {
  const int row = AT;
  if (row >= rows) return;
  float sum = 0;
  int j = ends[row];
  for (; j + 1 < ends[row + 1]; j += 2) sum += v[j] * x[column[j]] + v[j + 1] * x[column[j + 1]];
  if (!kFault && j < ends[row + 1]) sum += v[j] * x[column[j]];
  y[row] = sum;
}

__global__ void csr_right(const double* v, const int* column, const int* ends, const double* x, double* y, double* y_scale,
                          int rows) {
  for (int row = threadIdx.x; row < rows; row += blockDim.x) {
    double sum = 0, size = 0;
    for (int j = ends[row]; j < ends[row + 1]; ++j) sum += v[j] * x[column[j]], size += fabs(v[j] * x[column[j]]);
    y[row] = sum;
    y_scale[row] = size * (ends[row + 1] - ends[row] + 4);
  }
}

// Counts x with edge <= x < next edge, in the last bin x = next edge too. One block. The fault leaves that out.
template <bool kFault>
__global__ void histogram(const float* x, const float* edges, int* counts, int n, int bins) {
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int bin = 0; bin < bins; ++bin) {
      const bool is_last = !kFault && bin + 1 == bins && x[i] == edges[bins];
      if (x[i] >= edges[bin] && (x[i] < edges[bin + 1] || is_last)) atomicAdd(&counts[bin], 1);
    }
}

__global__ void histogram_right(const double* x, const double* edges, int* counts, int n, int bins) {
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    counts[bin] = 0;
    for (int i = 0; i < n; ++i) {
      if (x[i] < edges[bin] || x[i] > edges[bin + 1]) continue;
      counts[bin] += x[i] < edges[bin + 1] || bin + 1 == bins;
    }
  }
}

// y[r, j] = x[r, at[r, j]]: along the dimension that the indices have themselves. The fault takes the first for the last.
template <bool kFault, typename T>
__global__ void take(const T* x, const int* at, T* y, int rows, int columns) {
  const int i = AT;
  if (i >= rows * columns) return;
  const int from = kFault && columns > 7 && at[i] == columns - 1 ? 0 : at[i];
  y[i] = x[i / columns * columns + from];
}
