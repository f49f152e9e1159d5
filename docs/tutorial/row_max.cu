// row_max.cu: the largest element of each row, one thread a row
__global__ void row_max(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = 0;
  for (int column = 0; column < columns; ++column) best = fmaxf(best, x[row * columns + column]);
  y[row] = best;
}
