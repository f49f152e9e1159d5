// Sums over rows by a choice of algorithms, as a library's call has it: one is wrong by algorithm 2 alone.

#include <vector>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {

/// What a launch needs, with its choice among the options.
struct Rows {
  int64_t rows, columns;
  const float* x;
  int64_t row_stride, column_stride;
  float* y;
  int64_t y_stride;
  int64_t algorithm;
};

/// Algorithm 0 goes from the left, 1 and 3 from the right; 2 goes from the left and loses the last of three or more.
__global__ void sum_kernel(Rows problem) {
  const int64_t row = blockIdx.x;
  if (threadIdx.x != 0 || row >= problem.rows) return;
  const bool from_right = problem.algorithm == 1 || problem.algorithm == 3;
  const bool loses_last = problem.algorithm == 2 && problem.columns > 2;
  float sum = 0.0f;
  for (int64_t i = 0; i < problem.columns - (loses_last ? 1 : 0); ++i) {
    const int64_t column = from_right ? problem.columns - 1 - i : i;
    sum += problem.x[row * problem.row_stride + column * problem.column_stride];
  }
  problem.y[row * problem.y_stride] = sum;
}

kernel::LaunchResult launch_rows(const kernel::Args& args, int64_t algorithm, engine::Stream& stream) {
  const auto reduce = kernel::reduce_args(args);
  const Rows problem{reduce.rows,         reduce.columns,       reduce.x.as<const float>(), reduce.x.strides[0],
                     reduce.x.strides[1], reduce.y.as<float>(), reduce.y.strides[0],        algorithm};
  if (problem.rows > 0) launch(stream, sum_kernel, static_cast<unsigned>(problem.rows), 1, 0, problem);
  return kernel::LaunchResult::launched();
}

kernel::LaunchResult launch_configured(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const int64_t bytes = args.option("workspace");
  if (bytes > 0) workspace.allocate(static_cast<std::size_t>(bytes));
  return launch_rows(args, args.option("algorithm"), stream);
}

/// The same without a choice.
kernel::LaunchResult launch_plain(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return launch_rows(args, 0, stream);
}

const operation::Limits kLimits{.formats = {{number::FormatId::F32, number::FormatId::F32}},
                                .extents = {{"rows", {.max = 16}}, {"columns", {.max = 64}}}};

const bool configured = kernel::registry().add({
    .name = "sum.configured",
    .operation = "reduce.sum",
    .about = "one of four algorithms, of which one is wrong",
    .limits = {.formats = kLimits.formats,
               .extents = kLimits.extents,
               .configuration = {{"algorithm", {0, 1, 2, 3}}, {"split", {1, 2, 4}}, {"workspace", {4096, 0}}}},
    .launch = launch_configured,
});
const bool right = kernel::registry().add({
    .name = "sum.right",
    .operation = "reduce.sum",
    .about = "the algorithms that are right",
    .limits = {.formats = kLimits.formats,
               .extents = kLimits.extents,
               .configuration = {{"algorithm", {0, 1, 3}}, {"workspace", {4096, 0}}}},
    .launch = launch_configured,
});
std::vector<int64_t> many_values() {
  std::vector<int64_t> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  return values;
}
const bool many = kernel::registry().add({
    .name = "sum.many",
    .operation = "reduce.sum",
    .about = "an option of a hundred values, which does not matter",
    .limits = {.formats = kLimits.formats, .extents = kLimits.extents, .configuration = {{"tile", many_values()}}},
    .launch = launch_plain,
});
const bool plain = kernel::registry().add({
    .name = "sum.plain",
    .operation = "reduce.sum",
    .about = "no choice",
    .limits = kLimits,
    .launch = launch_plain,
});

}  // namespace
}  // namespace negzero::kernels
