// F8_E4M3 times the step of its row in F32, a thread an element.

#include <negzero/cuda/cuda.hpp>

#include "../common/quantise.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

struct DequantiseProblem {
  int64_t rows, columns;
  MatrixView<const std::uint8_t> q;
  VectorView<const float> step;
  MatrixView<float> y;
};

/// Grid: any number of blocks along x; a thread takes every so-many-th element.
__global__ void dequantise_kernel(DequantiseProblem problem) {
  for (int64_t index = first_piece(); index < problem.rows * problem.columns; index += piece_stride()) {
    const int64_t i = index / problem.columns, j = index % problem.columns;
    problem.y.at(i, j) = __fmul_rn(f8_value(problem.q.at(i, j)), problem.step.at(i));
  }
}

const bool registered = kernel::registry().add({
    .name = "dequantise.rows.f8_f32",
    .operation = kDequantise,
    .about = "a thread an element: its number times the row's step",
    .contract = fixed_order_contract(),
    .limits = {.formats = {{FormatId::F8_E4M3, FormatId::F32, FormatId::F32}},
               .extents = {{"columns", {.tiles = {kRowThreads}}}}},
    .reference = dequantise_reference(),
    .launch =
        [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
          const DequantiseProblem problem{args.extent("rows"), args.extent("columns"),
                                          matrix_of<const std::uint8_t>(args, "q"),
                                          vector_of<const float>(args, "step"), matrix_of<float>(args, "y")};
          return launch_pieces(dequantise_kernel, problem, problem.rows * problem.columns, stream);
        },
});

}  // namespace
}  // namespace negzero::kernels
