// Speed of the host executor: launches of small kernels, switches at barriers, threads that never wait.

#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include <negzero/cuda/cuda.hpp>

namespace {

using negzero::engine::Order;
using negzero::engine::Settings;
using negzero::engine::Stream;

__global__ void tile_product_kernel(int n, const float* a, const float* b, float* c) {
  NEGZERO_SHARED(float, a_tile, [16][17]);
  NEGZERO_SHARED(float, b_tile, [16][17]);
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned row = blockIdx.y * 16 + y;
  const unsigned column = blockIdx.x * 16 + x;
  const auto size = static_cast<unsigned>(n);
  float sum = 0.0f;
  for (unsigned tile = 0; tile < size; tile += 16) {
    a_tile[y][x] = a[row * size + tile + x];
    b_tile[y][x] = b[(tile + y) * size + column];
    __syncthreads();
    for (unsigned i = 0; i < 16; ++i) sum = fmaf(a_tile[y][i], b_tile[i][x], sum);
    __syncthreads();
  }
  c[row * size + column] = sum;
}

__global__ void scale_kernel(int n, float alpha, const float* x, float* y) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = alpha * x[i];
}

__global__ void barriers_kernel(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

/// The host-executor row of performance.md, kernel alone: items are launches of a 32^3 GEMM in 16 x 16 tiles.
void tile_product(benchmark::State& state) {
  Settings settings;
  settings.schedule.order = static_cast<Order>(state.range(0));
  Stream stream(settings);
  const std::vector<float> a(1024, 1.0f);
  const std::vector<float> b(1024, 2.0f);
  std::vector<float> c(1024);
  for (auto _ : state)
    negzero::launch(stream, tile_product_kernel, dim3(2, 2), dim3(16, 16), 0, 32, a.data(), b.data(), c.data());
  if (c[1023] != 64.0f) state.SkipWithError("wrong product");
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(tile_product)->ArgName("order")->DenseRange(0, 2);

/// Items are threads.
void threads_without_waits(benchmark::State& state) {
  Stream stream;
  constexpr int kCount = 1 << 16;
  const std::vector<float> x(kCount, 1.0f);
  std::vector<float> y(kCount);
  for (auto _ : state) negzero::launch(stream, scale_kernel, kCount / 256, 256, 0, kCount, 2.0f, x.data(), y.data());
  if (y[kCount - 1] != 2.0f) state.SkipWithError("wrong value");
  state.SetItemsProcessed(state.iterations() * kCount);
}
BENCHMARK(threads_without_waits);

/// Items are arrivals at a barrier.
void barrier_arrivals(benchmark::State& state) {
  Stream stream;
  const auto threads = static_cast<unsigned>(state.range(0));
  for (auto _ : state) negzero::launch(stream, barriers_kernel, 1, threads, 0, 64);
  if (!stream.ok()) state.SkipWithError("launch failed");
  state.SetItemsProcessed(state.iterations() * 64 * state.range(0));
}
BENCHMARK(barrier_arrivals)->Arg(32)->Arg(256)->Arg(1024);

void smallest_launch(benchmark::State& state) {
  Stream stream;
  for (auto _ : state) negzero::launch(stream, barriers_kernel, 1, 1, 0, 0);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(smallest_launch);

}  // namespace
