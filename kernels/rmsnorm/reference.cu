// Root mean square normalization in F64, one thread a row: what the others are held to.

#include <negzero/cuda/cuda.hpp>

#include "../common/rmsnorm.cuh"

namespace negzero::kernels {
namespace {

struct ReferenceProblem {
  int64_t rows, columns;
  MatrixView<const double> x;
  VectorView<const double> weight;
  double epsilon;
  MatrixView<double> y, y_scale;
};

/// Grid: any number of blocks along x, each of kRowThreads threads, of which each computes whole rows.
///
/// An element may be anything, which an infinite scale says, where squares in F32 may exceed it on their way, and where
/// an infinite weight meets what may be a zero in F32.
__global__ void rmsnorm_reference_kernel(ReferenceProblem problem) {
  const double count = static_cast<double>(problem.columns);
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    double squares = 0;
    for (int64_t j = 0; j < problem.columns; ++j) squares += problem.x.at(i, j) * problem.x.at(i, j);
    const double inverse = 1 / sqrt(squares / count + problem.epsilon);
    for (int64_t j = 0; j < problem.columns; ++j) {
      const double weight = problem.weight.at(j), normal = problem.x.at(i, j) * inverse;
      const bool is_open = may_overflow(squares) || isinf(weight);
      const double y = normal * weight;
      problem.y.at(i, j) = is_open && !isnan(normal) ? 0 : y;
      problem.y_scale.at(i, j) = is_open ? INFINITY : fabs(y) * (count / 256 + 12) + fabs(weight) * 0x1p-125;
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "rmsnorm.reference.f64",
    .operation = kRmsnormReference,
    .about = "in F64 by one thread a row: the reference of the others",
    .contract = reference_contract(),
    .limits = {.formats = {std::vector(4, number::FormatId::F64)}},
    .launch =
        [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
          const ReferenceProblem problem{args.extent("rows"),
                                         args.extent("columns"),
                                         matrix_of<const double>(args, "x"),
                                         vector_of<const double>(args, "weight"),
                                         args.scalar("epsilon").as<double>(),
                                         matrix_of<double>(args, "y"),
                                         matrix_of<double>(args, "y_scale")};
          return launch_pieces(rmsnorm_reference_kernel, problem, problem.rows, stream);
        },
});

}  // namespace
}  // namespace negzero::kernels
