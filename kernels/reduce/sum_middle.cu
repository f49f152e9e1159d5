// Sum over the middle of three dimensions: a block has 32 neighbours of the last one, and 8 threads for each.

#include <negzero/cuda/cuda.hpp>

#include "../common/lines.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kColumns = 32, kParts = 8;

/// Grid: any number of blocks along x, each of kColumns x kParts threads; a block walks over every gridDim-th tile of
/// kColumns outputs. The threads of a warp read neighbours; those of an output are folded in shared memory.
__global__ void sum_middle_kernel(Lines<float, float> problem) {
  NEGZERO_SHARED(float, partial, [kParts][kColumns]);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int64_t tiles = (problem.inner + kColumns - 1) / kColumns;
  for (int64_t tile = blockIdx.x; tile < problem.outer * tiles; tile += gridDim.x) {
    const int64_t o = tile / tiles, i = tile % tiles * kColumns + x;
    const bool is_inside = i < problem.inner;
    float sum = 0.0f;
    for (int64_t term = y; is_inside && term < problem.terms; term += kParts) sum = add(sum, problem.at(o, term, i));
    partial[y][x] = sum;
    __syncthreads();
    for (int half = kParts / 2; half > 0; half /= 2) {
      if (y < half) partial[y][x] = add(partial[y][x], partial[y + half][x]);
      __syncthreads();
    }
    if (y == 0 && is_inside) problem.give(o, i, partial[0][x]);
    // Only its own thread touches partial[0][x] before the next tile's first barrier, so none is needed here.
  }
}

kernel::LaunchResult launch_sum_middle(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = lines_of_middle<float, float>(args);
  const int64_t tiles = problem.outer * ((problem.inner + kColumns - 1) / kColumns);
  if (tiles > 0) {
    launch(stream, sum_middle_kernel, blocks_for<int64_t>(tiles, 1), dim3(kColumns, kParts), 0, problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::registry().add({
    .name = "reduce.sum_middle.tiled.f32",
    .operation = "reduce.sum_middle",
    .about = "a block for 32 neighbours, eight partial sums of each folded in shared memory",
    .contract = {.wider = false,
                 .depth = {"ceil_div(columns, 8) + ceil_log2(min(columns, 8)) - 1"},
                 .start = contract::Start::PlusZero,
                 .zero_sign = contract::ZeroSign::Ieee,
                 .determinism = contract::Determinism::GpuToGpu,
                 .position_invariant = true},
    .limits = {.formats = {{FormatId::F32, FormatId::F32}},
               .extents = {{"inner", {.tiles = {kColumns}}}, {"columns", {.tiles = {kParts}}}}},
    .launch = launch_sum_middle,
});

}  // namespace
}  // namespace negzero::kernels
