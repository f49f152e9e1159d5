// Grouped GEMM with one thread an output: threads of rows that do not count do nothing.

#include <string>

#include <negzero/cuda/cuda.hpp>

#include "../common/grouped.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;

/// Grid: any number of blocks along x; a thread walks over every gridDim * blockDim-th output.
template <class Number>
__global__ void naive_kernel(GroupedProblem<Number> problem) {
  for (int64_t index = first_piece(); index < problem.most_outputs(); index += piece_stride()) {
    const int64_t matrix = problem.capacity * problem.n;
    const Position at{index / matrix, index % matrix / problem.n, index % problem.n};
    if (at.row >= problem.rows_of(at.batch)) continue;
    typename Number::Value sum(0.0f);
    for (int64_t k = 0; k < problem.k; ++k) {
      const auto a = Number::widen(problem.a.at(at.batch, at.row, k));
      const auto b = Number::widen(problem.b.at(at.batch, k, at.column));
      sum = add(sum, multiply(a, b));
    }
    problem.d.at(at.batch, at.row, at.column) = Number::narrow(sum);
  }
}

template <class Number>
kernel::LaunchResult launch_naive(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  const auto problem = grouped_problem<Number>(args);
  if (problem.most_outputs() > 0) {
    launch(stream, naive_kernel<Number>, blocks_for<int64_t>(problem.most_outputs(), kThreads), kThreads, 0, problem);
  }
  return kernel::LaunchResult::launched();
}

template <class Number>
bool add_naive(std::string name, std::string about, FormatId element) {
  return kernel::registry().add({
      .name = std::move(name),
      .operation = "gemm.grouped",
      .about = std::move(about),
      .contract = grouped_contract(contract::Contraction::Separate),
      .limits = {.formats = {{element, element, FormatId::F32}}},
      .launch = launch_naive<Number>,
  });
}

const bool registered[] = {
    add_naive<F32>("gemm.grouped.naive.f32", "one thread an output, multiply and add rounded apart, k ascending",
                   FormatId::F32),
    add_naive<F16ToF32>("gemm.grouped.naive.f16_f32", "one thread an output, F16 factors, F32 accumulator and results",
                        FormatId::F16),
};

}  // namespace
}  // namespace negzero::kernels
