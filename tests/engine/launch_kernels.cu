// Kernels about launches: places, tiles, shared memory.

#include <negzero/cuda/cuda.hpp>

#include "kernels.hpp"

namespace {

using negzero_tests::Coordinates;
using negzero_tests::Place;

__global__ void write_places_kernel(Place* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  Place& place = out[block * blockDim.x * blockDim.y * blockDim.z + thread];
  place.thread = {threadIdx.x, threadIdx.y, threadIdx.z};
  place.block = {blockIdx.x, blockIdx.y, blockIdx.z};
  place.block_dim = {blockDim.x, blockDim.y, blockDim.z};
  place.grid_dim = {gridDim.x, gridDim.y, gridDim.z};
}

template <int T>
__global__ void __launch_bounds__(T* T) tile_product_kernel(int m, int n, int k, const float* __restrict__ a,
                                                            const float* __restrict__ b, float* __restrict__ c) {
  NEGZERO_SHARED(float, a_tile, [T][T + 1]);
  NEGZERO_SHARED(float, b_tile, [T][T + 1]);
  const int x = static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(threadIdx.y);
  const int row = static_cast<int>(blockIdx.y) * T + y;
  const int column = static_cast<int>(blockIdx.x) * T + x;
  float sum = 0.0f;
  for (int tile = 0; tile < k; tile += T) {
    a_tile[y][x] = row < m && tile + x < k ? a[row * k + tile + x] : 0.0f;
    b_tile[y][x] = column < n && tile + y < k ? b[(tile + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void scale_kernel(int n, float alpha, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = alpha * x[i];
}

__global__ void empty_kernel() {}

__global__ void take_tickets_kernel(int* counter, int* tickets) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  tickets[i] = atomicAdd(counter, 1);
}

/// Each round writes to the neighbour's cell and reads its own: wrong without both barriers, in any order of threads.
__global__ void rotate_in_shared_kernel(int rounds, const int* in, int* out) {
  NEGZERO_DYNAMIC_SHARED(int, cells);
  const unsigned i = threadIdx.x;
  const unsigned base = blockIdx.x * blockDim.x;
  int value = in[base + i];
  for (int round = 0; round < rounds; ++round) {
    cells[(i + 1) % blockDim.x] = value;
    __syncthreads();
    value = cells[i];
    __syncthreads();
  }
  out[base + i] = value;
}

template <typename T>
__device__ T* array_of_function() {
  NEGZERO_SHARED(T, cells, [4]);
  return &cells[0];
}

__device__ unsigned long long number_of(const void* address) { return reinterpret_cast<unsigned long long>(address); }

/// Six addresses a thread: a scalar, an array, dynamic memory, a function's array for two types and once more.
__global__ void shared_addresses_kernel(unsigned long long* out) {
  NEGZERO_SHARED(int, scalar);
  NEGZERO_SHARED(double, table, [3][5]);
  NEGZERO_DYNAMIC_SHARED(unsigned char, bytes);
  unsigned long long* own = out + 6 * (blockIdx.x * blockDim.x + threadIdx.x);
  own[0] = number_of(&scalar);
  own[1] = number_of(table);
  own[2] = number_of(bytes);
  own[3] = number_of(array_of_function<float>());
  own[4] = number_of(array_of_function<short>());
  own[5] = number_of(array_of_function<float>());
}

__global__ void read_unwritten_shared_kernel(unsigned* out) {
  NEGZERO_SHARED(unsigned, cells, [32]);
  NEGZERO_DYNAMIC_SHARED(unsigned, dynamic_cells);
  const unsigned i = threadIdx.x;
  out[2 * i] = cells[i % 32];
  out[2 * i + 1] = dynamic_cells[i];
  // Whatever a block leaves must not be seen by the next one.
  cells[i % 32] = 1;
  dynamic_cells[i] = 2;
}

__global__ void write_beside_shared_kernel(int array, int index) {
  NEGZERO_SHARED(int, first, [8]);
  NEGZERO_SHARED(int, second, [8]);
  NEGZERO_DYNAMIC_SHARED(int, third);
  first[threadIdx.x] = second[threadIdx.x] = third[threadIdx.x] = 0;
  int* const arrays[] = {first, second, third};
  if (threadIdx.x == 0) arrays[array][index] = 7;
}

__global__ void use_much_shared_kernel(int* out) {
  NEGZERO_SHARED(int, cells, [4096]);
  cells[threadIdx.x] = 5;
  out[threadIdx.x] = cells[threadIdx.x];
}

dim3 to_dim3(Coordinates c) { return dim3(c.x, c.y, c.z); }

/// 256 KiB of local memory, half of what CUDA gives a thread, alive across a barrier.
__global__ void large_local_array_kernel(int* out) {
  int cells[65536];
  for (int i = 0; i < 65536; i += 64) cells[i] = i + static_cast<int>(threadIdx.x);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 65536; i += 64) sum += cells[i] - i;
  out[threadIdx.x] = sum;
}

}  // namespace

namespace negzero_tests::NEGZERO_EXECUTOR {

void write_places(Stream& stream, Coordinates grid, Coordinates block, Place* out) {
  negzero::launch(stream, write_places_kernel, to_dim3(grid), to_dim3(block), 0, out);
}

void tile_product(Stream& stream, int m, int n, int k, const float* a, const float* b, float* c) {
  constexpr int kTile = 16;
  const dim3 grid(static_cast<unsigned>((n + kTile - 1) / kTile), static_cast<unsigned>((m + kTile - 1) / kTile));
  negzero::launch(stream, tile_product_kernel<kTile>, grid, dim3(kTile, kTile), 0, m, n, k, a, b, c);
}

void scale(Stream& stream, int n, float alpha, const float* x, float* y) {
  negzero::launch(stream, scale_kernel, dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256), 0, n, alpha, x, y);
}

void empty(Stream& stream, Coordinates grid, Coordinates block, std::size_t dynamic_bytes) {
  negzero::launch(stream, empty_kernel, to_dim3(grid), to_dim3(block), dynamic_bytes);
}

void take_tickets(Stream& stream, int blocks, int threads, int* counter, int* tickets) {
  negzero::launch(stream, take_tickets_kernel, blocks, threads, 0, counter, tickets);
}

void rotate_in_shared(Stream& stream, int blocks, int threads, int rounds, const int* in, int* out) {
  negzero::launch(stream, rotate_in_shared_kernel, blocks, threads, sizeof(int) * static_cast<std::size_t>(threads),
                  rounds, in, out);
}

void shared_addresses(Stream& stream, int blocks, int threads, std::uint64_t* out) {
  negzero::launch(stream, shared_addresses_kernel, blocks, threads, 100, reinterpret_cast<unsigned long long*>(out));
}

void read_unwritten_shared(Stream& stream, int threads, std::uint32_t* out) {
  negzero::launch(stream, read_unwritten_shared_kernel, 1, threads, 4 * static_cast<std::size_t>(threads), out);
}

void write_beside_shared(Stream& stream, int array, int index) {
  negzero::launch(stream, write_beside_shared_kernel, 2, 8, 8 * sizeof(int), array, index);
}

void use_much_shared(Stream& stream, std::size_t dynamic_bytes, int* out) {
  negzero::launch(stream, use_much_shared_kernel, 1, 32, dynamic_bytes, out);
}

void large_local_array(Stream& stream, int threads, int* out) {
  negzero::launch(stream, large_local_array_kernel, 1, threads, 0, out);
}

}  // namespace negzero_tests::NEGZERO_EXECUTOR
