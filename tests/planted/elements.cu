// Declared operations by element and by row: a grid that is no loop, a side of a square, a maximum that grows late.

#include <string>
#include <utility>
#include <vector>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// y[i] = 2 x[i].
constexpr const char* kTwice = "planted.twice: y[count] <- x[count] each count";
constexpr const char* kTwiceReference = "planted.twice.reference: y[count] <- x[count] each count";

template <typename T>
struct Elements {
  int64_t count;
  View<const T> x;
  View<T> y;
};

/// What a fault does with a grid that does not cover all elements.
enum class Grid : std::uint8_t { Loops, Ends, SkipsTail };

template <typename T, Grid kGrid>
__global__ void twice_kernel(Elements<T> all) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < all.count; i += step) {
    // The last round runs where it is whole.
    if (kGrid == Grid::SkipsTail && i >= step && all.count / step * step <= i) break;
    all.y.at(i) = 2 * all.x.at(i);
    if (kGrid == Grid::Ends) break;
  }
}

template <typename T, int kBlocks, Grid kGrid>
kernel::LaunchResult launch_twice(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Elements<T> all{args.extent("count"), view_of<const T>(args, "x"), view_of<T>(args, "y")};
  if (all.count == 0) return kernel::LaunchResult::launched();
  const int64_t blocks = std::min<int64_t>(pieces(all.count, 256), kBlocks);
  launch(stream, twice_kernel<T, kGrid>, static_cast<unsigned>(blocks), 256, 0, all);
  return kernel::LaunchResult::launched();
}

/// y[i, j] = x[i, j] + bias[j].
constexpr const char* kBias = "planted.bias: y[rows, columns] <- x[rows, columns], bias[columns] each rows, columns";
constexpr const char* kBiasReference =
    "planted.bias.reference: y[rows, columns] <- x[rows, columns], bias[columns] each rows, columns";

template <typename T>
struct Bias {
  int64_t rows, columns;
  View<const T> x, bias;
  View<T> y;
};

/// With the fault a square has its bias along the rows.
template <typename T, bool kFault>
__global__ void bias_kernel(Bias<T> all) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= all.rows * all.columns) return;
  const int64_t i = at / all.columns, j = at % all.columns;
  const bool is_of_rows = kFault && all.rows == all.columns;
  all.y.at(i, j) = all.x.at(i, j) + all.bias.at(is_of_rows ? i : j);
}

template <typename T, bool kFault>
kernel::LaunchResult launch_bias(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Bias<T> all{args.extent("rows"), args.extent("columns"), view_of<const T>(args, "x"),
                    view_of<const T>(args, "bias"), view_of<T>(args, "y")};
  if (all.rows * all.columns == 0) return kernel::LaunchResult::launched();
  launch(stream, bias_kernel<T, kFault>, static_cast<unsigned>(pieces(all.rows * all.columns, kThreads)), kThreads, 0,
         all);
  return kernel::LaunchResult::launched();
}

/// y[i] = log of the sum of exp(x[i, j]).
constexpr const char* kLogSum = "planted.log_sum: y[rows] <- x[rows, columns] each rows";
constexpr const char* kLogSumReference =
    "planted.log_sum.reference: y[rows], y_scale[rows] <- x[rows, columns] each rows";

/// A thread a row, kTile columns at a time, each with a maximum of its own. The fault scales what was summed up by the
/// maximum of the second tile, and of no later one.
template <int kTile, bool kFault>
__global__ void log_sum_kernel(Rows rows) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows.rows) return;
  float greatest = -INFINITY, sum = 0.0f;
  for (int64_t begin = 0; begin < rows.columns; begin += kTile) {
    const int64_t end = begin + kTile < rows.columns ? begin + kTile : rows.columns;
    float next = greatest;
    for (int64_t j = begin; j < end; ++j) next = fmaxf(next, rows.x.at(row, j));
    if (!kFault || begin <= kTile) sum *= expf(greatest - next);
    for (int64_t j = begin; j < end; ++j) sum += expf(rows.x.at(row, j) - next);
    greatest = next;
  }
  rows.y.at(row) = greatest + logf(sum);
}

/// expf and logf err by 2 ulp and 1; a term is scaled once a tile, and added once.
__global__ void log_sum_reference_kernel(int64_t row_count, int64_t columns, View<const double> x, View<double> y,
                                         View<double> scale) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= row_count) return;
  double greatest = -INFINITY, sum = 0, below = 0;
  for (int64_t j = 0; j < columns; ++j) greatest = fmax(greatest, x.at(row, j));
  for (int64_t j = 0; j < columns; ++j) {
    const double apart = x.at(row, j) - greatest;
    sum += exp(apart), below += exp(apart) * -apart;
  }
  y.at(row) = greatest + log(sum);
  scale.at(row) = fabs(greatest) + fabs(log(sum)) + below / sum + 8 * static_cast<double>(columns) + 16;
}

template <int kTile, bool kFault>
kernel::LaunchResult launch_log_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  launch(stream, log_sum_kernel<kTile, kFault>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows);
  return kernel::LaunchResult::launched();
}
kernel::LaunchResult launch_log_sum_reference(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const int64_t rows = args.extent("rows");
  launch(stream, log_sum_reference_kernel, static_cast<unsigned>(pieces(rows, kThreads)), kThreads, 0, rows,
         args.extent("columns"), view_of<const double>(args, "x"), view_of<double>(args, "y"),
         view_of<double>(args, "y_scale"));
  return kernel::LaunchResult::launched();
}

constexpr FormatId kF32 = FormatId::F32, kF64 = FormatId::F64;

bool add_reference(const char* name, const char* operation, std::size_t tensors, Launch launch) {
  return kernel::registry().add({.name = name,
                                 .operation = operation,
                                 .about = "what planted kernels are held to",
                                 .contract = {.accumulate = kF64},
                                 .limits = {.formats = {std::vector(tensors, kF64)}},
                                 .launch = launch});
}

template <int kBlocks, Grid kGrid>
bool plant_twice(const std::string& name) {
  return plant({.name = name + "." + std::to_string(kBlocks),
                .operation = kTwice,
                .about = "elements past a grid of so many blocks of 256 are left out",
                .limits = {.formats = {{kF32, kF32}}},
                .reference = {.kernel = "reference.twice"},
                .wrong = launch_twice<float, kBlocks, kGrid>,
                .right = launch_twice<float, kBlocks, Grid::Loops>});
}
template <int kTile>
bool plant_log_sum() {
  return plant({.name = "third_maximum." + std::to_string(kTile),
                .operation = kLogSum,
                .about = "a maximum of the third tile or a later one scales nothing",
                .limits = {.formats = {{kF32, kF32}},
                           .extents = {{"rows", {.min = 1}}, {"columns", {.min = 1}}},
                           .values = {{"x", {-1e4, 1e4}}}},
                .reference = {.kernel = "reference.log_sum", .errors = {{"y", {.relative = 0x1p-23}}}},
                .wrong = launch_log_sum<kTile, true>,
                .right = launch_log_sum<kTile, false>});
}

const bool planted[] = {
    add_reference("reference.twice", kTwiceReference, 2, launch_twice<double, 64, Grid::Loops>),
    add_reference("reference.bias", kBiasReference, 3, launch_bias<double, false>),
    add_reference("reference.log_sum", kLogSumReference, 3, launch_log_sum_reference),
    plant_twice<64, Grid::Ends>("elements_clipped"),
    plant_twice<132, Grid::Ends>("elements_clipped"),
    plant_twice<256, Grid::Ends>("elements_clipped"),
    plant_twice<64, Grid::SkipsTail>("elements_tail"),
    plant_log_sum<16>(),
    plant_log_sum<64>(),
    plant_log_sum<256>(),
    plant({.name = "bias_rows.square",
           .operation = kBias,
           .about = "the bias of a square lies along its rows",
           .limits = {.formats = {{kF32, kF32, kF32}}, .values = {{"x", {-1e30, 1e30}}, {"bias", {-1e30, 1e30}}}},
           .reference = {.kernel = "reference.bias", .errors = {{"y", {.ulps = 1}}}},
           .wrong = launch_bias<float, true>,
           .right = launch_bias<float, false>}),
};

}  // namespace
}  // namespace negzero::kernels
