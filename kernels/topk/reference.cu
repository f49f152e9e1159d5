// Top-k by insertion into a list of k, in F64: what the others are held to.

#include <negzero/cuda/cuda.hpp>

#include "../common/topk.cuh"

namespace negzero::kernels {
namespace {

struct ReferenceProblem {
  int64_t rows, columns, k;
  MatrixView<const double> x;
  MatrixView<double> values;
  MatrixView<std::int32_t> at;
};

/// Whether element a at place i comes before b at place j: the order that kTopk says, in words of its own.
__device__ bool comes_before(double a, int64_t i, double b, int64_t j) {
  const bool a_is_nan = isnan(a), b_is_nan = isnan(b);
  if (a_is_nan != b_is_nan) return a_is_nan;
  if (a_is_nan || a == b) return i < j;
  return a > b;
}

/// Grid: any number of blocks along x; a thread takes every so-many-th row, and inserts its elements into a list of k.
__global__ void topk_reference_kernel(ReferenceProblem problem) {
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    int64_t held = 0;
    for (int64_t j = 0; j < problem.columns; ++j) {
      const double x = problem.x.at(i, j);
      int64_t place = held;
      for (; place > 0 && comes_before(x, j, problem.values.at(i, place - 1), problem.at.at(i, place - 1)); --place) {
        if (place == problem.k) continue;
        problem.values.at(i, place) = problem.values.at(i, place - 1);
        problem.at.at(i, place) = problem.at.at(i, place - 1);
      }
      if (place == problem.k) continue;
      problem.values.at(i, place) = x;
      problem.at.at(i, place) = static_cast<std::int32_t>(j);
      if (held < problem.k) ++held;
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "topk.reference.f64",
    .operation = kTopkReference,
    .about = "in F64 by insertion, one thread a row: the reference of the others",
    .contract = reference_contract(),
    .limits = topk_limits(number::FormatId::F64),
    .launch =
        [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
          const ReferenceProblem problem{args.extent("rows"),
                                         args.extent("columns"),
                                         args.extent("k"),
                                         matrix_of<const double>(args, "x"),
                                         matrix_of<double>(args, "values"),
                                         matrix_of<std::int32_t>(args, "at")};
          return launch_pieces(topk_reference_kernel, problem, problem.k > 0 ? problem.rows : 0, stream);
        },
});

}  // namespace
}  // namespace negzero::kernels
