// What grouped GEMM kernels share: the problem as plain values.

#pragma once

#include <cstdint>

#include "gemm.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Groups in padded buffers, passed to a kernel by value. Only the first rows_of(group) rows of a and d count.
template <class Number>
struct GroupedProblem {
  int64_t groups, capacity, n, k;
  Matrices<const typename Number::Element> a, b;
  Matrices<typename Number::Output> d;
  const int32_t* rows;
  int64_t rows_stride;

  [[nodiscard]] __device__ int64_t rows_of(int64_t group) const { return rows[group * rows_stride]; }
  /// Rows of all groups, padding included, times columns.
  [[nodiscard]] __host__ __device__ int64_t most_outputs() const { return groups * capacity * n; }
};

template <class Number>
GroupedProblem<Number> grouped_problem(const kernel::Args& args) {
  const kernel::Operand& rows = args.operand("rows");
  return {args.extent("groups"),
          args.extent("capacity"),
          args.extent("n"),
          args.extent("k"),
          matrices_of<const typename Number::Element>(args.operand("a")),
          matrices_of<const typename Number::Element>(args.operand("b")),
          matrices_of<typename Number::Output>(args.operand("d")),
          rows.as<const int32_t>(),
          rows.strides[0]};
}

/// The contract of a chain of F32 from +0 over ascending k.
inline contract::Contract grouped_contract(contract::Contraction contraction) {
  return {.wider = false,
          .order = contract::Order::Ascending,
          .contraction = contraction,
          .start = contract::Start::PlusZero,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels
