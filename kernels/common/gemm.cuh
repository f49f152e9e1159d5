// What GEMM kernels share: the problem as plain values, the way from a sum to an element of d, and the wrapper's half.

#pragma once

#include <cstdint>
#include <type_traits>

#include <negzero/cuda/cuda.hpp>
#include <negzero/kernel/kernel.hpp>

#include "grid.cuh"
#include "numbers.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

using std::int64_t;

/// The type of C's elements: Number::Addend, or that of D's where there is none.
template <class Number>
struct AddendOf {
  using Type = typename Number::Output;
};
template <class Number>
requires requires { typename Number::Addend; }
struct AddendOf<Number> {
  using Type = typename Number::Addend;
};

/// The type of B's elements: Number::Right, or that of A's where there is none.
template <class Number>
struct RightOf {
  using Type = typename Number::Element;
};
template <class Number>
requires requires { typename Number::Right; }
struct RightOf<Number> {
  using Type = typename Number::Right;
};

/// A batch of matrices in memory, addressed by any strides.
template <typename T>
struct Matrices {
  T* data;
  int64_t batch_stride, row_stride, column_stride;

  __device__ T& at(int64_t batch, int64_t row, int64_t column) const {
    return data[batch * batch_stride + row * row_stride + column * column_stride];
  }
};

/// One GEMM, passed to a kernel by value.
template <class Number>
struct GemmProblem {
  int64_t batch, m, n, k;
  Matrices<const typename Number::Element> a;
  Matrices<const typename RightOf<Number>::Type> b;
  Matrices<const typename AddendOf<Number>::Type> c;
  Matrices<typename Number::Output> d;
  typename Number::Value alpha, beta;
  bool reads_a_b;  ///< false at alpha = 0 and at K = 0: neither A, B nor alpha may matter then, not even a NaN
  bool reads_c;    ///< false at beta = 0

  [[nodiscard]] __host__ __device__ int64_t outputs() const { return batch * m * n; }
};

/// Where an output stands.
struct Position {
  int64_t batch, row, column;
};

/// Output number `index` in row-major order.
template <class Number>
__device__ Position position_of(const GemmProblem<Number>& problem, int64_t index) {
  const int64_t matrix = problem.m * problem.n;
  const int64_t inside = index % matrix;
  return {index / matrix, inside / problem.n, inside % problem.n};
}

/// What the BLAS make of a finished sum: alpha * sum, then beta * c joins it by one fused operation, then one rounding
/// to the format of d. A product that was not formed is no term, not even +0: K = 0 and beta = 1 must give back c = -0.
template <class Number>
__device__ typename Number::Output finish(const GemmProblem<Number>& problem, typename Number::Value sum, Position at) {
  typename Number::Value value = problem.reads_a_b ? multiply(problem.alpha, sum) : sum;
  if (problem.reads_c) {
    const auto c = Number::widen(problem.c.at(at.batch, at.row, at.column));
    value = problem.reads_a_b ? multiply_add(problem.beta, c, value) : multiply(problem.beta, c);
  }
  return Number::narrow(value);
}

/// Whether a scalar is 0, of floating-point numbers +0 or -0: no bit is set below the sign.
template <typename Value>
bool is_zero(const kernel::ScalarArg& scalar) {
  if constexpr (std::is_same_v<Value, int>) return scalar.bits == 0;
  return scalar.bits << (65 - 8 * sizeof(Value)) == 0;
}

template <class T>
Matrices<T> matrices_of(const kernel::Operand& operand) {
  return {operand.as<T>(), operand.strides[0], operand.strides[1], operand.strides[2]};
}

template <class Number>
GemmProblem<Number> gemm_problem(const kernel::Args& args) {
  const auto& gemm = kernel::gemm_args(args);
  using Value = typename Number::Value;
  return {gemm.batch,
          gemm.m,
          gemm.n,
          gemm.k,
          matrices_of<const typename Number::Element>(gemm.a),
          matrices_of<const typename RightOf<Number>::Type>(gemm.b),
          matrices_of<const typename AddendOf<Number>::Type>(gemm.c),
          matrices_of<typename Number::Output>(gemm.d),
          gemm.alpha.as<Value>(),
          gemm.beta.as<Value>(),
          gemm.k > 0 && !is_zero<Value>(gemm.alpha),
          !is_zero<Value>(gemm.beta)};
}

}  // namespace
}  // namespace negzero::kernels
