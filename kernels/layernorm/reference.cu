// Layer normalization in F64, one thread a row: what the others are held to, with and without the statistics.

#include <negzero/cuda/cuda.hpp>

#include "../common/layernorm.cuh"

namespace negzero::kernels {
namespace {

struct ReferenceProblem {
  int64_t rows, columns;
  MatrixView<const double> x;
  VectorView<const double> weight, bias;
  double epsilon;
  MatrixView<double> y, y_scale;
};
struct StatisticsProblem {
  ReferenceProblem of;
  VectorView<double> mean, rstd, mean_scale;
};

ReferenceProblem reference_problem(const kernel::Args& args) {
  return {args.extent("rows"),
          args.extent("columns"),
          matrix_of<const double>(args, "x"),
          vector_of<const double>(args, "weight"),
          vector_of<const double>(args, "bias"),
          args.scalar("epsilon").as<double>(),
          matrix_of<double>(args, "y"),
          matrix_of<double>(args, "y_scale")};
}

__device__ Moments moments_of(const ReferenceProblem& problem, int64_t i) {
  const double count = static_cast<double>(problem.columns);
  double sum = 0, magnitude = 0, squares = 0;
  for (int64_t j = 0; j < problem.columns; ++j) {
    sum += problem.x.at(i, j);
    magnitude += fabs(problem.x.at(i, j));
  }
  const double mean = sum / count;
  for (int64_t j = 0; j < problem.columns; ++j) {
    const double below = problem.x.at(i, j) - mean;
    squares += below * below;
  }
  return {mean, magnitude / count, squares / count};
}

/// Writes y with the scale of its error. What a rounding error may turn into a zero or out of one has no bound where an
/// infinite weight multiplies it: such an element may be anything, which an infinite scale says.
__device__ void give(const ReferenceProblem& problem, int64_t i, int64_t j, double normal, double error) {
  const double weight = problem.weight.at(j);
  double y = fma(normal, weight, problem.bias.at(j));
  if (isinf(weight) || isinf(error)) {
    error = INFINITY;
    if (!isnan(normal)) y = 0;
  }
  problem.y.at(i, j) = y;
  problem.y_scale.at(i, j) = error;
}

/// Grid: any number of blocks along x, each of kRowThreads threads, of which each computes whole rows.
__global__ void layernorm_reference_kernel(StatisticsProblem problem) {
  const ReferenceProblem& of = problem.of;
  const double terms = static_cast<double>(of.columns) + 16;
  for (int64_t i = first_piece(); i < of.rows; i += piece_stride()) {
    const Moments row = moments_of(of, i);
    const double rstd = 1 / sqrt(row.variance + of.epsilon);
    problem.mean.at(i) = row.mean;
    problem.rstd.at(i) = rstd;
    problem.mean_scale.at(i) = terms * row.magnitude;
    for (int64_t j = 0; j < of.columns; ++j) {
      const double normal = (of.x.at(i, j) - row.mean) * rstd;
      const double error = fabs(normal) + rstd * terms * row.magnitude * 0x1p-28 + 0x1p-125;
      give(of, i, j, normal, fabs(of.weight.at(j)) * error);
    }
  }
}

/// The same grid, and the scale of kernels in F32.
__global__ void layernorm_y_reference_kernel(ReferenceProblem problem) {
  for (int64_t i = first_piece(); i < problem.rows; i += piece_stride()) {
    const Moments row = moments_of(problem, i);
    const double rstd = 1 / sqrt(row.variance + problem.epsilon);
    for (int64_t j = 0; j < problem.columns; ++j) {
      const double below = problem.x.at(i, j) - row.mean;
      const double error = layernorm_y_error(row, problem.columns, problem.epsilon, below, problem.weight.at(j));
      give(problem, i, j, below * rstd, error);
    }
  }
}

const bool registered[] = {
    kernel::registry().add(
        {
            .name = "layernorm.reference.f64",
            .operation = kLayernormReference,
            .about = "in F64 by one thread a row: the reference of kernels that give the statistics",
            .contract = reference_contract(),
            .limits = {.formats = {std::vector(8, number::FormatId::F64)}},
            .launch =
                [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                  const StatisticsProblem problem{reference_problem(args), vector_of<double>(args, "mean"),
                                                  vector_of<double>(args, "rstd"),
                                                  vector_of<double>(args, "mean_scale")};
                  return launch_pieces(layernorm_reference_kernel, problem, problem.of.rows, stream);
                },
        }),
    kernel::registry().add(
        {
            .name = "layernorm.y.reference.f64",
            .operation = kLayernormYReference,
            .about = "in F64 by one thread a row: the reference of kernels in F32 that give y alone",
            .contract = reference_contract(),
            .limits = {.formats = {std::vector(5, number::FormatId::F64)}},
            .launch =
                [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
                  const ReferenceProblem problem = reference_problem(args);
                  return launch_pieces(layernorm_y_reference_kernel, problem, problem.rows, stream);
                },
        }),
};

}  // namespace
}  // namespace negzero::kernels
