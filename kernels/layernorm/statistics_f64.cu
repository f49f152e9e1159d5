// Layer normalization whose mean and variance are accumulated in F64, so that both are as good as F32 can hold.

#include <negzero/cuda/cuda.hpp>

#include "../common/layernorm.cuh"

namespace negzero::kernels {
namespace {

struct WithStatistics {
  int64_t rows;
  LayernormProblem of;
  VectorView<float> mean, rstd;
};

/// Grid: any number of blocks along x, each of kRowThreads threads; a block walks over every gridDim-th row.
__global__ void statistics_f64_kernel(WithStatistics problem) {
  NEGZERO_SHARED(double, partial, [kRowThreads]);
  const LayernormProblem& of = problem.of;
  const double count = static_cast<double>(of.columns);
  for (int64_t i = blockIdx.x; i < of.rows; i += gridDim.x) {
    double sum = 0;
    for (int64_t j = threadIdx.x; j < of.columns; j += kRowThreads) sum = __dadd_rn(sum, of.x.at(i, j));
    const double mean = __ddiv_rn(fold_block(partial, sum, Plus{}), count);
    double squares = 0;
    for (int64_t j = threadIdx.x; j < of.columns; j += kRowThreads) {
      const double below = __dadd_rn(of.x.at(i, j), -mean);
      squares = fma(below, below, squares);
    }
    const double variance = __ddiv_rn(fold_block(partial, squares, Plus{}), count);
    const double rstd = __ddiv_rn(1.0, __dsqrt_rn(__dadd_rn(variance, of.epsilon)));
    for (int64_t j = threadIdx.x; j < of.columns; j += kRowThreads) {
      const double normal = __dmul_rn(__dadd_rn(of.x.at(i, j), -mean), rstd);
      of.y.at(i, j) = fmaf(__double2float_rn(normal), of.weight.at(j), of.bias.at(j));
    }
    if (threadIdx.x == 0) {
      problem.mean.at(i) = __double2float_rn(mean);
      problem.rstd.at(i) = __double2float_rn(rstd);
    }
  }
}

const bool registered = kernel::registry().add({
    .name = "layernorm.statistics_f64.f32",
    .operation = kLayernorm,
    .about = "a block a row: mean and variance in two passes in F64, y in F32",
    .contract = fixed_order_contract(),
    .limits = norm_limits(6),
    .reference = layernorm_reference(),
    .launch =
        [](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
          const LayernormProblem of = layernorm_problem(args);
          return launch_rows(
              statistics_f64_kernel,
              WithStatistics{of.rows, of, vector_of<float>(args, "mean"), vector_of<float>(args, "rstd")}, stream);
        },
});

}  // namespace
}  // namespace negzero::kernels
