// The maximum of rows and its place: a tree in shared memory, and shuffles within warps.

#include <cstdint>
#include <string>
#include <utility>

#include <negzero/cuda/cuda.hpp>

#include "../common/max_index.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kWarp = 32;

/// What one thread of the block sees of a row. Where it sees nothing it stands nowhere, with the value that an empty
/// row has.
__device__ inline Candidate best_of_thread(const Rows<float, float>& rows, int64_t row) {
  Candidate best{worst<Side::Max>(), kNowhere};
  for (int64_t column = threadIdx.x; column < rows.columns; column += blockDim.x) {
    best = better<Side::Max>(best, {rows.at(row, column), static_cast<std::int32_t>(column)});
  }
  return best;
}

/// Grid: any number of blocks along x; a block of 2^q <= kMostThreads threads walks over every gridDim-th row.
__global__ void tree_kernel(RowsWithPlaces problem) {
  NEGZERO_SHARED(float, values, [kMostThreads]);
  NEGZERO_SHARED(std::int32_t, places, [kMostThreads]);
  const unsigned lane = threadIdx.x;
  for (int64_t row = blockIdx.x; row < problem.rows.rows; row += gridDim.x) {
    Candidate best = best_of_thread(problem.rows, row);
    values[lane] = best.value;
    places[lane] = best.index;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
      if (lane < half) {
        best = better<Side::Max>(best, {values[lane + half], places[lane + half]});
        values[lane] = best.value;
        places[lane] = best.index;
      }
      __syncthreads();
    }
    if (lane == 0) problem.give(row, best);
  }
}

/// The best of a warp, in its first lane.
__device__ inline Candidate best_of_warp(Candidate best) {
  for (int step = kWarp / 2; step > 0; step /= 2) {
    const float value = __shfl_down_sync(0xffffffffu, best.value, static_cast<unsigned>(step));
    const std::int32_t index = __shfl_down_sync(0xffffffffu, best.index, static_cast<unsigned>(step));
    best = better<Side::Max>(best, {value, index});
  }
  return best;
}

/// The same grid; each warp folds its candidates by shuffles, and the first warp those of the others.
__global__ void shuffle_kernel(RowsWithPlaces problem) {
  NEGZERO_SHARED(float, values, [kMostThreads / kWarp]);
  NEGZERO_SHARED(std::int32_t, places, [kMostThreads / kWarp]);
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  for (int64_t row = blockIdx.x; row < problem.rows.rows; row += gridDim.x) {
    Candidate best = best_of_warp(best_of_thread(problem.rows, row));
    if (lane == 0) {
      values[warp] = best.value;
      places[warp] = best.index;
    }
    __syncthreads();
    if (warp == 0) {
      const bool is_warp = lane < blockDim.x / kWarp;
      best = is_warp ? Candidate{values[lane], places[lane]} : Candidate{worst<Side::Max>(), kNowhere};
      best = best_of_warp(best);
      if (lane == 0) problem.give(row, best);
    }
    __syncthreads();
  }
}

kernel::LaunchResult launch_tree(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_max_index(tree_kernel, args, stream);
}
kernel::LaunchResult launch_shuffle(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_max_index(shuffle_kernel, args, stream);
}

using Launch = decltype(kernel::Kernel::launch);

bool add(std::string name, std::string about, Launch launch) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "reduce.max_index",
      .about = std::move(about),
      .contract = max_index_contract(),
      .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::I32}},
                 .extents = {{"columns", {.tiles = {32, kMostThreads}}}}},
      .launch = std::move(launch),
  });
}

const bool registered[] = {
    add("reduce.max_index.tree.f32", "the maximum and its first place, NaN above all, by a tree in shared memory",
        launch_tree),
    add("reduce.max_index.shuffle.f32", "the maximum and its first place, NaN above all, by warp shuffles",
        launch_shuffle),
};

}  // namespace
}  // namespace negzero::kernels
