// B3: a tile's rows are masked by a factor, and the row that takes the place of the others is the tile's last, which
// may be padding: 0 * NaN is NaN in every row of the tile.

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/fault.hpp>

#include "../common/grouped.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;
constexpr int64_t kTileRows = 8;

/// One thread an output. Rows of a tile that do not count are computed as its last row, so that no thread waits for
/// others, and are not stored.
template <bool kFaulty>
__global__ void grouped_kernel(GroupedProblem<F32> problem) {
  for (int64_t index = first_piece(); index < problem.most_outputs(); index += piece_stride()) {
    const int64_t matrix = problem.capacity * problem.n;
    const Position at{index / matrix, index % matrix / problem.n, index % problem.n};
    const int64_t end = (at.row / kTileRows + 1) * kTileRows;
    const int64_t last = (end < problem.capacity ? end : problem.capacity) - 1;
    const bool inside = at.row < problem.rows_of(at.batch);
    const float mask = inside ? 1.0f : 0.0f;
    float sum = 0.0f;
    for (int64_t k = 0; k < problem.k; ++k) {
      float a = 0.0f;
      if (kFaulty) {
        const float own = problem.a.at(at.batch, at.row, k), other = problem.a.at(at.batch, last, k);
        a = add(multiply(mask, own), multiply(1.0f - mask, other));
      } else {
        a = problem.a.at(at.batch, inside ? at.row : last, k);
      }
      sum = multiply_add(a, problem.b.at(at.batch, k, at.column), sum);
    }
    if (inside) problem.d.at(at.batch, at.row, at.column) = sum;
  }
}

template <bool kFaulty>
kernel::LaunchResult launch_grouped(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = grouped_problem<F32>(args);
  if (problem.most_outputs() > 0) {
    launch(stream, grouped_kernel<kFaulty>, blocks_for<int64_t>(problem.most_outputs(), kThreads), kThreads, 0,
           problem);
  }
  return kernel::LaunchResult::launched();
}

const bool registered = kernel::add_fault(
    {.id = "B3",
     .slug = "padding_row_times_zero",
     .twin_slug = "padding_row_left_out",
     .about = "masks rows by a factor: NaN in a tile's last row, which is padding, reaches its other rows",
     .twin_about = "chooses between a row and the tile's last one, by no factor",
     .seen_in = "flashinfer PR#3650",
     .operation = "gemm.grouped",
     .contract = grouped_contract(contract::Contraction::Fused),
     .limits = {.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}},
                .extents = {{"capacity", {.tiles = {kTileRows}}}}},
     .faulty = launch_grouped<true>,
     .twin = launch_grouped<false>});

}  // namespace
}  // namespace negzero::kernels
