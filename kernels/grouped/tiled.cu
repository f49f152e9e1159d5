// Grouped GEMM by 16 x 16 tiles in shared memory: blocks that stay walk over the tiles of all groups, which they find
// by a running sum of the groups' rows, since only the device knows these.

#include <algorithm>
#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/grouped.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kTile = 16;
/// Blocks that stay until all tiles are done: about as many as a large GPU runs at a time.
constexpr int64_t kStaying = 1024;

/// Where a walk over the tiles of all groups stands: `first` is the number of the group's first tile.
struct Walk {
  int64_t group, first, end;
};

/// Moves on to the group of tile number `tile`; behind the last tile `group` is past the last one. A group without rows
/// has no tile.
template <class Number>
__device__ void advance(const GroupedProblem<Number>& problem, int64_t tile, Walk& walk) {
  const int64_t columns = (problem.n + kTile - 1) / kTile;
  while (walk.group < problem.groups) {
    walk.end = walk.first + (problem.rows_of(walk.group) + kTile - 1) / kTile * columns;
    if (tile < walk.end) return;
    walk.first = walk.end;
    ++walk.group;
  }
}

/// Grid: any number of blocks along x, each of kTile x kTile threads; a block walks over every gridDim-th tile.
template <class Number>
__global__ void tiled_kernel(GroupedProblem<Number> problem) {
  using Value = typename Number::Value;
  NEGZERO_SHARED(Walk, shared_walk, [1]);
  // One column more than is used: a column of the tile would otherwise lie in one or two banks.
  NEGZERO_SHARED(Value, tile_a, [kTile][kTile + 1]);
  NEGZERO_SHARED(Value, tile_b, [kTile][kTile + 1]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const Value zero(0.0f);
  const int64_t columns = (problem.n + kTile - 1) / kTile;

  Walk walk{};  // One thread walks: thousands of groups are read once a block.
  for (int64_t tile = blockIdx.x;; tile += gridDim.x) {
    if (x == 0 && y == 0) {
      advance(problem, tile, walk);
      shared_walk[0] = walk;
    }
    __syncthreads();
    const Walk here = shared_walk[0];
    __syncthreads();
    if (here.group >= problem.groups) return;
    const int64_t inside = tile - here.first;
    const Position at{here.group, inside / columns * kTile + y, inside % columns * kTile + x};
    const bool row_inside = at.row < problem.rows_of(at.batch), column_inside = at.column < problem.n;
    Value sum = zero;
    for (int64_t k0 = 0; k0 < problem.k; k0 += kTile) {
      tile_a[y][x] = row_inside && k0 + x < problem.k ? Number::widen(problem.a.at(at.batch, at.row, k0 + x)) : zero;
      tile_b[y][x] =
          column_inside && k0 + y < problem.k ? Number::widen(problem.b.at(at.batch, k0 + y, at.column)) : zero;
      __syncthreads();
      const int depth = problem.k - k0 < kTile ? static_cast<int>(problem.k - k0) : kTile;
      for (int i = 0; i < depth; ++i) sum = multiply_add(tile_a[y][i], tile_b[i][x], sum);
      __syncthreads();
    }
    if (row_inside && column_inside) problem.d.at(at.batch, at.row, at.column) = Number::narrow(sum);
  }
}

template <class Number>
kernel::LaunchResult launch_tiled(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = grouped_problem<Number>(args);
  const int64_t most = problem.groups * ((problem.capacity + kTile - 1) / kTile) * ((problem.n + kTile - 1) / kTile);
  if (most > 0) {
    const auto blocks = static_cast<unsigned>(std::min(most, kStaying));
    launch(stream, tiled_kernel<Number>, blocks, dim3(kTile, kTile), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

template <class Number>
bool add_tiled(std::string name, std::string about, FormatId element) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "gemm.grouped",
      .about = std::move(about),
      .contract = grouped_contract(contract::Contraction::Fused),
      .limits = {.formats = {{element, element, element}},
                 .extents = {{"capacity", {.tiles = {kTile}}}, {"n", {.tiles = {kTile}}}, {"k", {.tiles = {kTile}}}}},
      .launch = launch_tiled<Number>,
  });
}

const bool registered[] = {
    add_tiled<F32>("gemm.grouped.tiled.f32", "blocks that stay walk over 16 x 16 tiles of all groups, one fma chain",
                   FormatId::F32),
    add_tiled<Bf16AccF32>("gemm.grouped.tiled.bf16",
                          "blocks that stay walk over 16 x 16 tiles, BF16 in and out, F32 accumulator", FormatId::BF16),
};

}  // namespace
}  // namespace negzero::kernels
