// Softmax of rows in F64, one thread a row: what the others are held to.

#include <negzero/cuda/cuda.hpp>

#include "../common/softmax.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

struct ReferenceProblem {
  int64_t rows, columns;
  const double* x;
  int64_t x_row, x_column;
  double* y;
  int64_t y_row, y_column;
  double* scale;
  int64_t scale_row, scale_column;
};

/// Grid: any number of blocks along x, each of kRowThreads threads, of which each computes whole rows.
__global__ void softmax_reference_kernel(ReferenceProblem problem) {
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    const double* const row = problem.x + i * problem.x_row;
    double greatest = -INFINITY;
    for (int64_t j = 0; j < problem.columns; ++j) greatest = fmax(greatest, row[j * problem.x_column]);
    double sum = 0;
    for (int64_t j = 0; j < problem.columns; ++j) sum += exp(row[j * problem.x_column] - greatest);
    for (int64_t j = 0; j < problem.columns; ++j) {
      const double below = row[j * problem.x_column] - greatest, y = exp(below) / sum;
      problem.y[i * problem.y_row + j * problem.y_column] = y;
      problem.scale[i * problem.scale_row + j * problem.scale_column] =
          y == 0 ? 0 : y * (fabs(below) + static_cast<double>(problem.columns) / 64 + 16);
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "softmax.reference.f64",
    .operation = kSoftmaxReference,
    .about = "in F64 by one thread a row: the reference of the others",
    .contract = {.accumulate = FormatId::F64,
                 .determinism = contract::Determinism::RunToRun,
                 .position_invariant = true},
    .limits = {.formats = {{FormatId::F64, FormatId::F64, FormatId::F64}}},
    .launch =
        [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
          const kernel::Operand &x = args.operand("x"), &y = args.operand("y"), &scale = args.operand("y_scale");
          const ReferenceProblem problem{args.extent("rows"), args.extent("columns"), x.as<const double>(),
                                         x.strides[0],        x.strides[1],           y.as<double>(),
                                         y.strides[0],        y.strides[1],           scale.as<double>(),
                                         scale.strides[0],    scale.strides[1]};
          if (problem.rows > 0 && problem.columns > 0) {
            launch(stream, softmax_reference_kernel, blocks_for<int64_t>(problem.rows, kRowThreads), kRowThreads, 0,
                   problem);
          }
          return kernel::LaunchResult::launched();
        },
});

}  // namespace
}  // namespace negzero::kernels
