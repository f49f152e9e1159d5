// What kernels that transpose share: the operation, what its values are held to, tiles, the problem.

#pragma once

#include <cstdint>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "rows.cuh"
#include "views.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// y[j, i] = x[i, j].
constexpr const char* kTranspose = "transpose: y[columns, rows] <- x[rows, columns] each rows, columns";
constexpr const char* kTransposeReference =
    "transpose.reference: y[columns, rows] <- x[rows, columns] each rows, columns";

/// Held to the very elements: they are copied.
[[nodiscard]] inline kernel::Reference transpose_reference() {
  return {.kernel = "transpose.reference.f64", .zero_signs = true};
}

/// Rows and columns of a tile, which a block of kTile * kTile threads holds in shared memory.
constexpr int kTile = 16;

struct TransposeProblem {
  int64_t rows, columns;
  MatrixView<const float> x;
  MatrixView<float> y;

  __device__ int64_t tiles_across() const { return (columns + kTile - 1) / kTile; }
  __device__ int64_t tiles() const { return (rows + kTile - 1) / kTile * tiles_across(); }
};

[[nodiscard]] inline operation::Limits transpose_limits() {
  using number::FormatId;
  return {.formats = {{FormatId::F32, FormatId::F32}},
          .extents = {{"rows", {.tiles = {kTile}}}, {"columns", {.tiles = {kTile}}}}};
}

/// Launches a kernel whose blocks walk over tiles, so many blocks at most.
inline kernel::LaunchResult launch_tiles(void (*tile_kernel)(TransposeProblem), const kernel::Args& args,
                                         int64_t most_blocks, engine::Stream& stream) {
  const TransposeProblem problem{args.extent("rows"), args.extent("columns"), matrix_of<const float>(args, "x"),
                                 matrix_of<float>(args, "y")};
  const int64_t tiles = (problem.rows + kTile - 1) / kTile * ((problem.columns + kTile - 1) / kTile);
  if (tiles > 0) {
    launch(stream, tile_kernel, static_cast<unsigned>(std::min(tiles, most_blocks)), kTile * kTile, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

}  // namespace
}  // namespace negzero::kernels
