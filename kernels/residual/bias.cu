// A residual and a bias added in F32, a thread an element, and the reference in F64.

#include <vector>

#include <negzero/cuda/cuda.hpp>

#include "../common/residual.cuh"

namespace negzero::kernels {
namespace {

/// Grid: any number of blocks along x; a thread takes every so-many-th element.
__global__ void residual_kernel(ResidualProblem problem) {
  for (int64_t index = first_piece(); index < problem.rows * problem.columns; index += piece_stride()) {
    const int64_t i = index / problem.columns, j = index % problem.columns;
    problem.y.at(i, j) = add(add(problem.x.at(i, j), problem.bias.at(j)), problem.residual.at(i, j));
  }
}

struct ReferenceProblem {
  int64_t rows, columns;
  MatrixView<const double> x, residual;
  VectorView<const double> bias;
  MatrixView<double> y, y_scale;
};

/// The same grid. Where two of the terms may exceed F32 before the third brings them back, an element may be anything.
__global__ void residual_reference_kernel(ReferenceProblem problem) {
  for (int64_t index = first_piece(); index < problem.rows * problem.columns; index += piece_stride()) {
    const int64_t i = index / problem.columns, j = index % problem.columns;
    const double x = problem.x.at(i, j), residual = problem.residual.at(i, j), bias = problem.bias.at(j);
    double finite = 0;
    for (const double term : {x, residual, bias}) finite += isfinite(term) ? fabs(term) : 0;
    const bool is_open = may_overflow(finite);
    problem.y.at(i, j) = is_open ? 0 : x + residual + bias;
    problem.y_scale.at(i, j) = is_open ? INFINITY : finite;
  }
}

const bool registered[] = {
    kernel::registry().add({
        .name = "residual.bias.f32",
        .operation = kResidual,
        .about = "a thread an element: the bias first, then the residual",
        .contract = fixed_order_contract(),
        .limits = residual_limits(),
        .reference = residual_reference(),
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const ResidualProblem problem = residual_problem(args);
              return launch_pieces(residual_kernel, problem, problem.rows * problem.columns, stream);
            },
    }),
    kernel::registry().add({
        .name = "residual.bias.reference.f64",
        .operation = kResidualReference,
        .about = "in F64 by a thread an element: the reference of the others",
        .contract = reference_contract(),
        .limits = {.formats = {std::vector(5, number::FormatId::F64)}},
        .launch =
            [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
              const ReferenceProblem problem{args.extent("rows"),
                                             args.extent("columns"),
                                             matrix_of<const double>(args, "x"),
                                             matrix_of<const double>(args, "residual"),
                                             vector_of<const double>(args, "bias"),
                                             matrix_of<double>(args, "y"),
                                             matrix_of<double>(args, "y_scale")};
              return launch_pieces(residual_reference_kernel, problem, problem.rows * problem.columns, stream);
            },
    }),
};

}  // namespace
}  // namespace negzero::kernels
