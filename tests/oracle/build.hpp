// Cases from plain numbers, and questions about one element: what the oracle's tests are written in.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::oracle::testing {

using number::FormatId;
using Words = std::vector<std::uint64_t>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// The encoding nearest to `value`.
inline std::uint64_t word(FormatId format, double value) { return number::from_double(number::format(format), value); }

inline operation::Scalar f32(double value) { return {FormatId::F32, word(FormatId::F32, value)}; }

inline Words words(FormatId format, const std::vector<double>& values) {
  Words result;
  for (const double value : values) result.push_back(word(format, value));
  return result;
}

inline tensor::Tensor tensor_of(FormatId format, std::vector<std::int64_t> shape, const Words& values) {
  tensor::Tensor tensor(format, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) tensor.set(static_cast<std::int64_t>(i), values[i]);
  return tensor;
}

/// One dot product: 1 x 1 x K. `c` in d's format, or in one of its own.
struct Dot {
  FormatId factors = FormatId::F32;
  FormatId d = FormatId::F32;
  Words a{}, b{};
  operation::Scalar alpha{FormatId::F32, 0x3f800000}, beta{FormatId::F32, 0};
  std::uint64_t c = 0;
  std::optional<FormatId> c_format{};
};

inline operation::Case dot_case(const Dot& dot) {
  operation::Case value;
  operation::Gemm gemm;
  gemm.m = gemm.n = 1;
  gemm.k = static_cast<std::int64_t>(dot.a.size());
  gemm.a = gemm.b = dot.factors;
  gemm.d = dot.d;
  gemm.alpha = dot.alpha;
  gemm.beta = dot.beta;
  gemm.c = dot.c_format;
  value.operation = gemm;
  value.tensors.emplace("a", tensor_of(dot.factors, {1, 1, gemm.k}, dot.a));
  value.tensors.emplace("b", tensor_of(dot.factors, {1, gemm.k, 1}, dot.b));
  value.tensors.emplace("c", tensor_of(dot.c_format.value_or(dot.d), {1, 1, 1}, {dot.c}));
  return value;
}

/// One row of a reduction.
inline operation::Case row_case(operation::ReduceKind kind, FormatId x, FormatId y, const Words& row) {
  operation::Case value;
  operation::Reduce reduce;
  reduce.kind = kind;
  reduce.rows = 1;
  reduce.columns = static_cast<std::int64_t>(row.size());
  reduce.x = x;
  reduce.y = y;
  value.operation = reduce;
  value.tensors.emplace("x", tensor_of(x, {1, reduce.columns}, row));
  return value;
}

/// Updates of one destination.
inline operation::Case scatter_case(operation::ScatterKind kind, FormatId format, std::uint64_t init,
                                    const Words& updates) {
  operation::Case value;
  operation::Scatter scatter;
  scatter.kind = kind;
  scatter.updates = static_cast<std::int64_t>(updates.size());
  scatter.destinations = 1;
  scatter.x = format;
  value.operation = scatter;
  value.tensors.emplace("x", tensor_of(format, {scatter.updates}, updates));
  value.tensors.emplace("index", tensor_of(FormatId::I32, {scatter.updates}, Words(updates.size(), 0)));
  value.tensors.emplace("init", tensor_of(format, {1}, {init}));
  return value;
}

/// The permitted set of element 0. Fails the program where the oracle refuses.
inline Permitted permitted(const operation::Case& value, const contract::Contract& contract) {
  auto oracle = Oracle::make(value, contract);
  if (!oracle.ok()) throw std::runtime_error(oracle.error().message);
  return oracle->permitted(0);
}

/// A contract with one accumulator and nothing wider.
inline contract::Contract accumulating(FormatId format) {
  contract::Contract contract;
  contract.accumulate = format;
  contract.wider = false;
  return contract;
}

/// Of a sum in F16 throughout, with nothing wider.
inline Permitted f16_sum(const std::vector<double>& row,
                         const contract::Contract& contract = accumulating(FormatId::F16)) {
  return permitted(row_case(operation::ReduceKind::Sum, FormatId::F16, FormatId::F16, words(FormatId::F16, row)),
                   contract);
}

/// The finite permitted numbers as doubles, when they are few.
inline std::vector<double> finite_values(const Permitted& set) {
  std::vector<double> values;
  if (!set.finite) return values;
  for (std::int64_t i = set.hull().low; i <= set.hull().high && values.size() < 4096; ++i) {
    values.push_back(
        number::to_double(number::format(set.format), number::from_ordinal(number::format(set.format), i)));
  }
  return values;
}

}  // namespace negzero::oracle::testing
