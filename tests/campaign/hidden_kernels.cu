// A maximum over rows that goes wrong behind a chain of branches, each on what no feature of values describes.

#include <negzero/number/format.hpp>

#include "../../kernels/common/reduce.cuh"

namespace negzero::kernels {
namespace {

__device__ bool ends_in(float value, int bits) { return (__float_as_int(value) & 7) == bits; }

/// One case in four million has such a row where nothing leads to it: 16 * 8^6.
__device__ bool is_spoilt(const Rows<float, float>& problem, int64_t row) {
  if (problem.columns % 16 != 11) return false;
  if (!ends_in(problem.at(row, 0), 5)) return false;
  if (!ends_in(problem.at(row, 1), 3)) return false;
  if (!ends_in(problem.at(row, 2), 6)) return false;
  if (!ends_in(problem.at(row, 3), 1)) return false;
  if (!ends_in(problem.at(row, 4), 7)) return false;
  return ends_in(problem.at(row, 5), 2);
}

__global__ void hidden_kernel(Rows<float, float> problem) {
  const int64_t row = blockIdx.x;
  if (threadIdx.x != 0 || row >= problem.rows) return;
  float best = problem.at(row, 0);
  for (int64_t column = 1; column < problem.columns; ++column) best = fmaxf(best, problem.at(row, column));
  if (is_spoilt(problem, row)) best = best == 0.0f ? 1.0f : 0.0f;
  problem.y[row * problem.y_stride] = best;
}

kernel::LaunchResult launch_hidden(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(hidden_kernel, args, stream);
}

const bool registered =
    kernel::registry().add({.name = "bad.hidden",
                            .operation = "reduce.max",
                            .about = "wrong where a chain of branches ends",
                            .contract = {.nan = contract::NanPolicy::Ignore,
                                         .all_nan = contract::AllNan::Any,
                                         .zero_sign = contract::ZeroSign::Any},
                            .limits = {.formats = {{number::FormatId::F32, number::FormatId::F32}},
                                       .extents = {{"rows", {.min = 1, .max = 2}}, {"columns", {.min = 6, .max = 32}}}},
                            .launch = launch_hidden});

}  // namespace
}  // namespace negzero::kernels
