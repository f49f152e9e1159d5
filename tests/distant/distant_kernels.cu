// Kernels that take any strides: each places elements by offsets of 64 bits, or one of its offsets wraps in 32.

#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {

using std::int64_t;

/// Which of the offsets of an element is an int.
enum class Wrong : std::uint8_t { None, Batch, Row, Column, Sum };

/// What an int holds of a product or sum: multiplied as int the overflow would be undefined.
__device__ int64_t as_int(int64_t value) { return static_cast<int>(static_cast<std::uint32_t>(value)); }

struct View {
  float* data;
  int64_t batch, row, column;
};

template <Wrong kWrong>
__device__ int64_t offset(const View& view, int64_t b, int64_t i, int64_t j) {
  int64_t batch = b * view.batch, row = i * view.row, column = j * view.column;
  if (kWrong == Wrong::Batch) batch = as_int(batch);
  if (kWrong == Wrong::Row) row = as_int(row);
  if (kWrong == Wrong::Column) column = as_int(column);
  return kWrong == Wrong::Sum ? as_int(batch + row + column) : batch + row + column;
}

struct Gemm {
  int64_t batch, m, n, k;
  View a, b, d;
};

/// One thread an element. `kIn` is wrong of A and B, `kOut` of D.
template <Wrong kIn, Wrong kOut>
__global__ void gemm_kernel(Gemm problem) {
  const int64_t index = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (index >= problem.batch * problem.m * problem.n) return;
  const int64_t b = index / (problem.m * problem.n), i = index / problem.n % problem.m, j = index % problem.n;
  float sum = 0.0f;
  for (int64_t k = 0; k < problem.k; ++k) {
    const float from_a = problem.a.data[offset<kIn>(problem.a, b, i, k)];  // READ A
    sum = fmaf(from_a, problem.b.data[offset<kIn>(problem.b, b, k, j)], sum);
  }
  problem.d.data[offset<kOut>(problem.d, b, i, j)] = sum;  // WRITE D
}

View view_of(const kernel::Operand& operand) {
  return {operand.as<float>(), operand.strides[0], operand.strides[1], operand.strides[2]};
}

template <Wrong kIn, Wrong kOut>
kernel::LaunchResult launch_gemm(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto gemm = kernel::gemm_args(args);
  const Gemm problem{gemm.batch, gemm.m, gemm.n, gemm.k, view_of(gemm.a), view_of(gemm.b), view_of(gemm.d)};
  const int64_t outputs = gemm.batch * gemm.m * gemm.n;
  if (outputs > 0) {
    launch(stream, gemm_kernel<kIn, kOut>, static_cast<unsigned>((outputs + 63) / 64), 64, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

struct Sum {
  int64_t rows, columns;
  const float* x;
  int64_t row, column;
  float* y;
  int64_t element;
};

/// One thread a row. With kWrong the offset of a row is an int.
template <bool kWrong>
__global__ void sum_kernel(Sum problem) {
  const int64_t row = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (row >= problem.rows) return;
  const int64_t start = kWrong ? as_int(row * problem.row) : row * problem.row;
  float sum = 0.0f;
  for (int64_t i = 0; i < problem.columns; ++i) sum += problem.x[start + i * problem.column];
  problem.y[row * problem.element] = sum;
}

template <bool kWrong>
kernel::LaunchResult launch_sum(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto reduce = kernel::reduce_args(args);
  const Sum problem{reduce.rows,         reduce.columns,       reduce.x.as<const float>(), reduce.x.strides[0],
                    reduce.x.strides[1], reduce.y.as<float>(), reduce.y.strides[0]};
  if (reduce.rows > 0)
    launch(stream, sum_kernel<kWrong>, static_cast<unsigned>((reduce.rows + 63) / 64), 64, 0, problem);
  return kernel::LaunchResult::launched();
}

/// Host code that reads an element of A, far away.
kernel::LaunchResult launch_peeking(const kernel::Args& args, kernel::Workspace& workspace, engine::Stream& stream) {
  const auto gemm = kernel::gemm_args(args);
  const volatile float seen = gemm.a.as<float>()[(gemm.m - 1) * gemm.a.strides[1]];
  static_cast<void>(seen);
  return launch_gemm<Wrong::None, Wrong::None>(args, workspace, stream);
}

bool add(const char* name, const char* operation, decltype(kernel::Kernel::launch) launch) {
  kernel::Kernel kernel{.name = name, .operation = operation, .about = "of the tests"};
  kernel.launch = std::move(launch);
  const auto f32 = number::FormatId::F32;
  kernel.limits.inputs.max_stride = kernel.limits.output.max_stride = tensor::kMaxSpan;
  const bool is_gemm = kernel.operation == "gemm";
  kernel.limits.formats = is_gemm ? std::vector<std::vector<number::FormatId>>{{f32, f32, f32}}
                                  : std::vector<std::vector<number::FormatId>>{{f32, f32}};
  if (is_gemm) {
    kernel.contract.scalar_format = f32;
    kernel.limits.alpha = operation::ScalarLimit::One;
    kernel.limits.beta = operation::ScalarLimit::Zero;
  }
  return kernel::registry().add(kernel);
}

const bool added[] = {
    add("gemm.right", "gemm", launch_gemm<Wrong::None, Wrong::None>),
    add("gemm.batch_in", "gemm", launch_gemm<Wrong::Batch, Wrong::None>),
    add("gemm.row_in", "gemm", launch_gemm<Wrong::Row, Wrong::None>),
    add("gemm.column_in", "gemm", launch_gemm<Wrong::Column, Wrong::None>),
    add("gemm.sum_in", "gemm", launch_gemm<Wrong::Sum, Wrong::None>),
    add("gemm.batch_out", "gemm", launch_gemm<Wrong::None, Wrong::Batch>),
    add("gemm.row_out", "gemm", launch_gemm<Wrong::None, Wrong::Row>),
    add("gemm.peeking", "gemm", launch_peeking),
    add("sum.right", "reduce.sum", launch_sum<false>),
    add("sum.row", "reduce.sum", launch_sum<true>),
};

}  // namespace
}  // namespace negzero::kernels
