// GEMM in floating point: which terms an element sums, where alpha and C enter, what zero scalars and K = 0 mean.

#pragma once

#include <memory>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/answer.hpp>

namespace negzero::oracle {

/// Each element is followed along every route (see routes.hpp), and along each through every place that the contract
/// names for alpha and for C; the permitted set is the union. `value` and `contract` must outlive the problem.
///
///   alpha    after the sum (epilogue.hpp), folded into a or b, or on partial sums (scaling.hpp)
///   beta C   after the sum, or as one more leaf
///
/// Where K = 0 or alpha is zero the result is beta * C, or +0; neither A, B nor alpha is read. Under scalars = formula
/// the sum of nothing is +0, and alpha * 0 + beta * C is evaluated as any other (IEEE 754-2019 5.4.1, 6.1 to 6.3).
[[nodiscard]] std::unique_ptr<Problem> make_float_gemm(const operation::Case& value, const contract::Contract& contract,
                                                       const Options& options);

}  // namespace negzero::oracle
