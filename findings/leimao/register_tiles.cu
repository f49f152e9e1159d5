// Kernels v06 of CUDA-GEMM-Optimization give the number of threads of a warp where that of its thread tiles is asked:
// the function writes beyond A_vals and B_vals. It runs as the kernels call it, with numbers behind the array.

#include "../shown.cuh"
#include "06_2d_block_tiling_2d_warp_tiling_2d_thread_tiling_matrix_transpose_vectorized_memory_access.cu"

void check_cuda_last(const char* const, const int) {}

constexpr size_t kBlockTile = 128, kWarpTileX = 32, kWarpTileY = 64, kThreadTile = 8, kThreadsX = 4, kThreadsY = 8;
__managed__ int behind;

/// Calls the function as lines 266 and 272 do, and counts what it writes behind the array that they give it.
template <size_t kWarpTile, size_t kThreads>
__global__ void load() {
  constexpr size_t kTiles = kWarpTile / (kThreadTile * kThreads);
  __shared__ alignas(16) float tile[4 * kBlockTile];
  for (float& each : tile) each = 1;
  struct alignas(16) {
    float values[kTiles][kThreadTile];
    float behind[kThreads * kThreadTile];
  } memory{};
  load_data_from_shared_memory_to_register_file_vectorized<float, kBlockTile, kWarpTile, kThreads, kThreadTile>(
      tile, memory.values, 0, 0);
  const float* const all = memory.values[0];
  for (size_t i = kTiles * kThreadTile; i < sizeof(memory) / sizeof(float); ++i) behind += all[i] != 0;
}

void show(const char* array, void (*kernel)(), const char* of) {
  behind = 0;
  kernel<<<1, 1>>>();
  shown::wait();
  char gave[64];
  std::snprintf(gave, sizeof gave, "%d numbers written behind %s", behind, array);
  shown::line("v06_vectorized", of, gave, "none", behind > 0);
}

int main() {
  show("A_vals", load<kWarpTileY, kThreadsY>, "A_vals[1][8]");
  show("B_vals", load<kWarpTileX, kThreadsX>, "B_vals[1][8]");
  return shown::end();
}
