// A matrix transposed through tiles in shared memory, so that both sides are read and written along rows.

#include <negzero/cuda/cuda.hpp>

#include "../common/transpose.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

/// Four blocks for each of an H100's 132 multiprocessors (NVIDIA H100 whitepaper): what they leave they come back for.
constexpr int64_t kMostTransposeBlocks = 4 * 132;

/// Grid: any number of blocks along x, each of kTile * kTile threads; a block walks over every gridDim-th tile. One
/// more column of the tile keeps the threads of a warp in different banks when they read one of its columns.
__global__ void transpose_kernel(TransposeProblem problem) {
  NEGZERO_SHARED(float, tile, [kTile][kTile + 1]);
  const int across = static_cast<int>(threadIdx.x) % kTile, down = static_cast<int>(threadIdx.x) / kTile;
  for (int64_t piece = blockIdx.x; piece < problem.tiles(); piece += gridDim.x) {
    const int64_t top = piece / problem.tiles_across() * kTile, left = piece % problem.tiles_across() * kTile;
    if (top + down < problem.rows && left + across < problem.columns) {
      tile[down][across] = problem.x.at(top + down, left + across);
    }
    __syncthreads();
    if (left + down < problem.columns && top + across < problem.rows) {
      problem.y.at(left + down, top + across) = tile[across][down];
    }
    __syncthreads();  // The next tile is written here.
  }
}

struct ReferenceProblem {
  int64_t rows, columns;
  MatrixView<const double> x;
  MatrixView<double> y;
};

/// Grid: any number of blocks along x; a thread takes every so-many-th element.
__global__ void transpose_reference_kernel(ReferenceProblem problem) {
  for (int64_t index = first_piece(); index < problem.rows * problem.columns; index += piece_stride()) {
    problem.y.at(index % problem.columns, index / problem.columns) =
        problem.x.at(index / problem.columns, index % problem.columns);
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "transpose.tiled.f32",
        .operation = kTranspose,
        .about = "tiles of 16 by 16 through shared memory",
        .contract = fixed_order_contract(),
        .limits = transpose_limits(),
        .reference = transpose_reference(),
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              return launch_tiles(transpose_kernel, args, kMostTransposeBlocks, stream);
            },
    }),
    kernel::registry().add({
        .name = "transpose.reference.f64",
        .operation = kTransposeReference,
        .about = "in F64 by a thread an element: the reference of the others",
        .contract = reference_contract(),
        .limits = {.formats = {{FormatId::F64, FormatId::F64}}},
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const ReferenceProblem problem{args.extent("rows"), args.extent("columns"),
                                             matrix_of<const double>(args, "x"), matrix_of<double>(args, "y")};
              return launch_pieces(transpose_reference_kernel, problem, problem.rows * problem.columns, stream);
            },
    }),
};

}  // namespace
}  // namespace negzero::kernels
