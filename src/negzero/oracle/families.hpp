// What an operation brings of its own to the oracle: the file that answers for its elements.

#pragma once

#include <memory>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/declared.hpp>

namespace negzero::oracle {

// Each holds references to the case and to what its contract declares, which must outlive it. `output`: which of the
// operation's outputs. Usage errors where a contract does not fit.
using MakeProblem = base::Result<std::unique_ptr<Problem>>(const operation::Case& value, const Declared& contract,
                                                           const Options& options, std::size_t output);
MakeProblem make_convert, make_gemm, make_reduce, make_scan, make_scatter;

/// A case of another operation with the same elements in its output, of which those that count have the same permitted
/// sets under that contract.
struct Rewritten {
  operation::Case value;
  contract::Contract contract;
};
using Rewrite = base::Result<Rewritten>(const operation::Case& value, const contract::Contract& contract);
Rewrite grouped_as_gemm;

/// A kind of operation, and what answers for it.
struct Family {
  operation::Kind kind;
  MakeProblem* make;
  Rewrite* rewrite = nullptr;  ///< where it answers for a rewritten case
};
inline constexpr Family kFamilies[] = {
    {operation::Kind::Elements, make_convert}, {operation::Kind::Reduction, make_reduce},
    {operation::Kind::Scan, make_scan},        {operation::Kind::Update, make_scatter},
    {operation::Kind::Products, make_gemm},    {operation::Kind::GroupedProducts, make_gemm, grouped_as_gemm}};

}  // namespace negzero::oracle
