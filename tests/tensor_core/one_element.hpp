// A GEMM of one element as a case.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::tensor_core {

/// `gemm` with m = n = 1 and as many products as `a` and `b` have.
inline operation::Case one_element(operation::Gemm gemm, const std::vector<double>& a, const std::vector<double>& b,
                                   double c) {
  gemm.m = gemm.n = 1;
  gemm.k = static_cast<std::int64_t>(a.size());
  const auto tensor = [](number::FormatId format, std::vector<std::int64_t> shape, const std::vector<double>& values) {
    tensor::Tensor result(format, std::move(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
      result.set(static_cast<std::int64_t>(i), number::from_double(result.format(), values[i]));
    }
    return result;
  };
  operation::Case value;
  value.operation = gemm;
  value.tensors.emplace("a", tensor(gemm.a, {1, 1, gemm.k}, a));
  value.tensors.emplace("b", tensor(gemm.b, {1, gemm.k, 1}, b));
  value.tensors.emplace("c", tensor(gemm.d, {1, 1, 1}, {c}));
  return value;
}

}  // namespace negzero::tensor_core
