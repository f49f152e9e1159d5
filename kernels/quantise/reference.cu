// Rows quantised and back in F64, one thread a row: what the others are held to.

#include <negzero/cuda/cuda.hpp>

#include "../common/quantise.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

struct ReferenceProblem {
  int64_t rows, columns;
  MatrixView<const double> x;
  MatrixView<double> q;
  VectorView<double> step;
};
struct BackProblem {
  int64_t rows, columns;
  MatrixView<const double> q;
  VectorView<const double> step;
  MatrixView<double> y;
};

/// Grid: any number of blocks along x, each of kRowThreads threads, of which each computes whole rows. q is what is to
/// be rounded to F8; step is rounded to F32 here, since q is a quotient by that number.
__global__ void quantise_reference_kernel(ReferenceProblem problem) {
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    double greatest = 0;
    for (int64_t j = 0; j < problem.columns; ++j) greatest = fmax(greatest, fabs(problem.x.at(i, j)));
    const double step = __double2float_rn(greatest / kMostF8);
    problem.step.at(i) = step;
    for (int64_t j = 0; j < problem.columns; ++j) {
      const double x = problem.x.at(i, j), quotient = step == 0 && x == x ? 0 : x / step;
      problem.q.at(i, j) = x != x || quotient != quotient ? quotient : fmin(fmax(quotient, -kMostF8), kMostF8);
    }
  }
}

/// The same grid.
__global__ void dequantise_reference_kernel(BackProblem problem) {
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    for (int64_t j = 0; j < problem.columns; ++j) problem.y.at(i, j) = problem.q.at(i, j) * problem.step.at(i);
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "quantise.rows.reference.f64",
        .operation = kQuantiseReference,
        .about = "in F64 by one thread a row: the reference of the others",
        .contract = reference_contract(),
        .limits = {.formats = {{FormatId::F64, FormatId::F64, FormatId::F64}}},
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const ReferenceProblem problem{args.extent("rows"), args.extent("columns"),
                                             matrix_of<const double>(args, "x"), matrix_of<double>(args, "q"),
                                             vector_of<double>(args, "step")};
              return launch_pieces(quantise_reference_kernel, problem, problem.rows, stream);
            },
    }),
    kernel::registry().add(
        {
            .name = "dequantise.rows.reference.f64",
            .operation = kDequantiseReference,
            .about = "in F64 by one thread a row: the reference of the others",
            .contract = reference_contract(),
            .limits = {.formats = {{FormatId::F64, FormatId::F64, FormatId::F64}}},
            .launch =
                [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                  const BackProblem problem{args.extent("rows"), args.extent("columns"),
                                            matrix_of<const double>(args, "q"), vector_of<const double>(args, "step"),
                                            matrix_of<double>(args, "y")};
                  return launch_pieces(dequantise_reference_kernel, problem, problem.rows, stream);
                },
        }),
};

}  // namespace
}  // namespace negzero::kernels
