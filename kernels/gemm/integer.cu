// GEMM of integers into I32: four products of bytes an instruction, or one product after the other, wrapping or
// clamped.

#include <climits>
#include <cstdint>

#include <negzero/cuda/cuda.hpp>

#include "../common/gemm.cuh"

namespace negzero::kernels {
namespace {

using number::FormatId;

constexpr int kThreads = 64;

/// Four bytes of a line along k, the first in the lowest; zeros from the end of k on, whose products are none.
template <typename T>
__device__ unsigned four_of(const T* from, int64_t stride, int64_t left) {
  unsigned word = 0;
  for (int i = 0; i < 4 && i < left; ++i)
    word |= static_cast<unsigned>(static_cast<uint8_t>(from[i * stride])) << (8 * i);
  return word;
}

__device__ int dot(unsigned a, unsigned b, int sum, int8_t) {
  return __dp4a(static_cast<int>(a), static_cast<int>(b), sum);
}
__device__ int dot(unsigned a, unsigned b, int sum, uint8_t) {
  return static_cast<int>(__dp4a(a, b, static_cast<unsigned>(sum)));
}

/// Grid: any number of blocks along x; a thread walks over every gridDim * blockDim-th output.
template <typename T>
__global__ void dp4a_kernel(GemmProblem<Integers<T>> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    int sum = 0;
    for (int64_t k = 0; problem.reads_a_b && k < problem.k; k += 4) {
      const unsigned a = four_of(&problem.a.at(at.batch, at.row, k), problem.a.column_stride, problem.k - k);
      const unsigned b = four_of(&problem.b.at(at.batch, k, at.column), problem.b.row_stride, problem.k - k);
      sum = dot(a, b, sum, T());
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

/// The same, one product after the other.
template <class Number>
__global__ void integer_kernel(GemmProblem<Number> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    int sum = 0;
    for (int64_t k = 0; problem.reads_a_b && k < problem.k; ++k) {
      sum = multiply_add(problem.a.at(at.batch, at.row, k), problem.b.at(at.batch, k, at.column), sum);
    }
    problem.d.at(at.batch, at.row, at.column) = finish(problem, sum, at);
  }
}

__device__ int clamped(int64_t value) {
  return static_cast<int>(value < INT_MIN ? INT_MIN : value > INT_MAX ? INT_MAX : value);
}

/// The same, every sum and every product with a scalar clamped to the range of I32.
template <class Number>
__global__ void clamped_kernel(GemmProblem<Number> problem) {
  for (int64_t index = first_piece(); index < problem.outputs(); index += piece_stride()) {
    const Position at = position_of(problem, index);
    int sum = 0;
    for (int64_t k = 0; problem.reads_a_b && k < problem.k; ++k) {
      const int64_t product = int64_t{problem.a.at(at.batch, at.row, k)} * problem.b.at(at.batch, k, at.column);
      sum = clamped(sum + product);
    }
    if (problem.reads_a_b) sum = clamped(int64_t{problem.alpha} * sum);
    if (problem.reads_c) {
      const int c = clamped(int64_t{problem.beta} * problem.c.at(at.batch, at.row, at.column));
      sum = clamped(int64_t{sum} + c);
    }
    problem.d.at(at.batch, at.row, at.column) = sum;
  }
}

template <class Number>
bool add(const char* name, const char* about, std::vector<FormatId> formats, contract::IntegerOverflow overflow,
         void (*output_kernel)(GemmProblem<Number>)) {
  return kernel::registry().add({
      .name = name,
      .operation = "gemm",
      .about = about,
      .contract = {.accumulate = FormatId::I32,
                   .wider = false,
                   .order = contract::Order::Ascending,
                   .scalar_format = FormatId::I32,
                   .integer_overflow = overflow,
                   .determinism = contract::Determinism::GpuToGpu,
                   .position_invariant = true},
      .limits = {.formats = {std::move(formats)}},
      .launch =
          [output_kernel](const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
            const auto problem = gemm_problem<Number>(args);
            if (problem.outputs() > 0) {
              launch(stream, output_kernel, blocks_for<int64_t>(problem.outputs(), kThreads), kThreads, 0, problem);
            }
            return kernel::LaunchResult::launched();
          },
  });
}

constexpr auto kWrap = contract::IntegerOverflow::Wrap;

const bool registered[] = {
    add("gemm.dp4a.i8", "one thread an output, four products of I8 an instruction",
        {FormatId::I8, FormatId::I8, FormatId::I32}, kWrap, dp4a_kernel<int8_t>),
    add("gemm.dp4a.u8", "one thread an output, four products of U8 an instruction",
        {FormatId::U8, FormatId::U8, FormatId::I32}, kWrap, dp4a_kernel<uint8_t>),
    add("gemm.naive.u8.i8", "one thread an output, U8 by I8, one product after the other",
        {FormatId::U8, FormatId::I8, FormatId::I32}, kWrap, integer_kernel<Integers<uint8_t, int8_t>>),
    add("gemm.naive.i32", "one thread an output, I32 that wraps, one product after the other",
        {FormatId::I32, FormatId::I32, FormatId::I32}, kWrap, integer_kernel<Integers<int>>),
    add("gemm.clamped.i8", "one thread an output, I8, each sum clamped to the range of I32",
        {FormatId::I8, FormatId::I8, FormatId::I32}, contract::IntegerOverflow::Saturate,
        clamped_kernel<Integers<int8_t>>),
    add("gemm.clamped.i32", "one thread an output, I32, each sum clamped to its range",
        {FormatId::I32, FormatId::I32, FormatId::I32}, contract::IntegerOverflow::Saturate,
        clamped_kernel<Integers<int>>),
};

}  // namespace
}  // namespace negzero::kernels
