// Offsets of rows, batches and planes that are kept in 32 bits, in elements or in bytes.

#include <string>
#include <utility>

#include "planted.cuh"

namespace negzero::kernels {
namespace {

/// What an offset is kept in: 64 bits, an int, an unsigned, or an unsigned of bytes.
enum class Kept : std::uint8_t { Whole, Int, Unsigned, Bytes };

/// `count` strides of `stride` elements. Multiplied as int the overflow would be undefined.
template <Kept kKept>
__device__ int64_t offset(int64_t count, int64_t stride) {
  const auto low = static_cast<std::uint32_t>(count) * static_cast<std::uint32_t>(stride);
  if (kKept == Kept::Int) return static_cast<int>(low);
  if (kKept == Kept::Unsigned) return low;
  if (kKept == Kept::Bytes) return static_cast<std::uint32_t>(low * sizeof(float)) / sizeof(float);
  return count * stride;
}

/// Which operand, and which of its dimensions.
enum class Of : std::uint8_t { BatchOfA, RowOfA, BatchOfB, RowOfB, BatchOfD, RowOfD };

template <Of kOf, Kept kKept>
__global__ void product_kernel(Gemm gemm) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= gemm.batch * gemm.m * gemm.n) return;
  const int64_t batch = at / (gemm.m * gemm.n), i = at / gemm.n % gemm.m, j = at % gemm.n;
  const auto kept = [](int64_t count, int64_t stride, bool is_wrong) {
    return is_wrong ? offset<kKept>(count, stride) : count * stride;
  };
  const float* const a =
      gemm.a.data + kept(batch, gemm.a.outer, kOf == Of::BatchOfA) + kept(i, gemm.a.middle, kOf == Of::RowOfA);
  const float* const b = gemm.b.data + kept(batch, gemm.b.outer, kOf == Of::BatchOfB) + j * gemm.b.inner;
  float sum = 0.0f;
  for (int64_t k = 0; k < gemm.k; ++k) {
    sum = fmaf(a[k * gemm.a.inner], b[kept(k, gemm.b.middle, kOf == Of::RowOfB)], sum);
  }
  gemm.d.data[kept(batch, gemm.d.outer, kOf == Of::BatchOfD) + kept(i, gemm.d.middle, kOf == Of::RowOfD) +
              j * gemm.d.inner] = sum;
}

template <Of kOf, Kept kKept>
kernel::LaunchResult launch_product(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Gemm gemm = gemm_of(args);
  if (is_empty(gemm)) return kernel::LaunchResult::launched();
  const auto blocks = static_cast<unsigned>(pieces(gemm.batch * gemm.m * gemm.n, kThreads));
  launch(stream, product_kernel<kOf, kKept>, blocks, kThreads, 0, gemm);
  return kernel::LaunchResult::launched();
}

/// A thread a row of x, whose offset is kept so.
template <Kept kKept>
__global__ void row_sum_kernel(Rows rows) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows.rows) return;
  const float* const x = rows.x.data + offset<kKept>(row, rows.x.outer);
  float sum = 0.0f;
  for (int64_t column = 0; column < rows.columns; ++column) sum += x[column * rows.x.middle];
  rows.y.at(row) = sum;
}

template <Kept kKept>
kernel::LaunchResult launch_row_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  launch(stream, row_sum_kernel<kKept>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows);
  return kernel::LaunchResult::launched();
}

/// A thread a row, whose offset in y is kept so.
template <Kept kKept>
__global__ void row_scan_kernel(Rows rows) {
  const int64_t row = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (row >= rows.rows) return;
  float* const y = rows.y.data + offset<kKept>(row, rows.y.outer);
  float sum = 0.0f;
  for (int64_t column = 0; column < rows.columns; ++column) y[column * rows.y.middle] = sum += rows.x.at(row, column);
}

template <Kept kKept>
kernel::LaunchResult launch_row_scan(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const Rows rows = rows_of(args);
  if (rows.rows == 0) return kernel::LaunchResult::launched();
  launch(stream, row_scan_kernel<kKept>, static_cast<unsigned>(pieces(rows.rows, kThreads)), kThreads, 0, rows);
  return kernel::LaunchResult::launched();
}

/// y[plane, row, column] = -x[plane, row, column].
constexpr const char* kNegate =
    "planted.negate: y[planes, rows, columns] <- x[planes, rows, columns] each planes, rows, columns";
constexpr const char* kNegateReference =
    "planted.negate.reference: y[planes, rows, columns] <- x[planes, rows, columns] each planes, rows, columns";

template <typename T>
struct Planes {
  int64_t planes, rows, columns;
  View<const T> x;
  View<T> y;
};
template <typename T>
Planes<T> planes_of(const kernel::Args& args) {
  return {args.extent("planes"), args.extent("rows"), args.extent("columns"), view_of<const T>(args, "x"),
          view_of<T>(args, "y")};
}

/// The planes and rows of x are kept as kX, those of y as kY.
template <typename T, Kept kX, Kept kY>
__global__ void negate_kernel(Planes<T> all) {
  const int64_t at = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (at >= all.planes * all.rows * all.columns) return;
  const int64_t plane = at / (all.rows * all.columns), row = at / all.columns % all.rows, column = at % all.columns;
  const T x = all.x.data[offset<kX>(plane, all.x.outer) + row * all.x.middle + column * all.x.inner];
  all.y.data[offset<kY>(plane, all.y.outer) + row * all.y.middle + column * all.y.inner] = -x;
}

template <typename T, Kept kX, Kept kY>
kernel::LaunchResult launch_negate(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto all = planes_of<T>(args);
  const int64_t elements = all.planes * all.rows * all.columns;
  if (elements == 0) return kernel::LaunchResult::launched();
  launch(stream, negate_kernel<T, kX, kY>, static_cast<unsigned>(pieces(elements, kThreads)), kThreads, 0, all);
  return kernel::LaunchResult::launched();
}

template <Of kOf, Kept kKept>
bool plant_product(const std::string& constant) {
  return plant_gemm("offset_gemm." + constant, "an offset wraps in 32 bits", gemm_limits({}),
                    launch_product<kOf, kKept>, launch_product<kOf, Kept::Whole>);
}
template <Kept kX, Kept kY>
bool plant_negate(const std::string& constant) {
  return plant({.name = "offset_planes." + constant,
                .operation = kNegate,
                .about = "the offset of a plane wraps in 32 bits",
                .limits = {.formats = {{FormatId::F32, FormatId::F32}}},
                .reference = {.kernel = "reference.negate"},
                .wrong = launch_negate<float, kX, kY>,
                .right = launch_negate<float, Kept::Whole, Kept::Whole>});
}
template <Kept kKept>
bool plant_row_sum(const std::string& constant) {
  return plant_rows("offset_reduce." + constant, "reduce.sum", "the offset of a row of x wraps in 32 bits", {},
                    launch_row_sum<kKept>, launch_row_sum<Kept::Whole>);
}
template <Kept kKept>
bool plant_row_scan(const std::string& constant) {
  return plant_rows("offset_scan." + constant, "scan.inclusive", "the offset of a row of y wraps in 32 bits", {},
                    launch_row_scan<kKept>, launch_row_scan<Kept::Whole>);
}

const bool planted[] = {
    kernel::registry().add({.name = "reference.negate",
                            .operation = kNegateReference,
                            .about = "what negations of planes are held to",
                            .contract = {.accumulate = FormatId::F64},
                            .limits = {.formats = {{FormatId::F64, FormatId::F64}}},
                            .launch = launch_negate<double, Kept::Whole, Kept::Whole>}),
    plant_product<Of::RowOfA, Kept::Int>("row_of_a"),
    plant_product<Of::BatchOfA, Kept::Int>("batch_of_a"),
    plant_product<Of::RowOfB, Kept::Int>("row_of_b"),
    plant_product<Of::BatchOfB, Kept::Unsigned>("batch_of_b_unsigned"),
    plant_product<Of::RowOfD, Kept::Int>("row_of_d"),
    plant_product<Of::BatchOfD, Kept::Unsigned>("batch_of_d_unsigned"),
    plant_product<Of::RowOfA, Kept::Bytes>("row_of_a_bytes"),
    plant_row_sum<Kept::Int>("row"),
    plant_row_sum<Kept::Unsigned>("row_unsigned"),
    plant_row_sum<Kept::Bytes>("row_bytes"),
    plant_row_scan<Kept::Int>("row"),
    plant_row_scan<Kept::Bytes>("row_bytes"),
    plant_negate<Kept::Int, Kept::Whole>("x"),
    plant_negate<Kept::Whole, Kept::Int>("y"),
    plant_negate<Kept::Bytes, Kept::Whole>("x_bytes"),
};

}  // namespace
}  // namespace negzero::kernels
