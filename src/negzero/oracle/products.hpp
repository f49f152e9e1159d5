// Elements of a float GEMM: what their paths' sums are made of.

#pragma once

#include <memory>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

/// Requires a float GEMM, and tensor cores that take its operands where the contract has them. Case and contract must
/// outlive it.
[[nodiscard]] std::unique_ptr<Problem> make_products(const operation::Case& value, const Declared& contract,
                                                     const Options& options);

}  // namespace negzero::oracle
