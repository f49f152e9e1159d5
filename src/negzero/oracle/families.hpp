// What an operation brings of its own to the oracle: the file that answers for its elements.

#pragma once

#include <memory>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/answer.hpp>

namespace negzero::oracle {

// Each holds references to the case and the contract, which must outlive it. `output`: which of the operation's
// outputs. Usage errors where a contract does not fit.
using MakeProblem = base::Result<std::unique_ptr<Problem>>(const operation::Case& value,
                                                           const contract::Contract& contract, const Options& options,
                                                           std::size_t output);
MakeProblem make_convert, make_gemm, make_reduce, make_scan, make_scatter;

/// The names of its operations, "gemm" one and "reduce." the beginning of all its kinds, and who answers for them.
struct Family {
  std::string_view begins;
  MakeProblem* make;
};
inline constexpr Family kFamilies[] = {{"convert", make_convert},
                                       {"gemm", make_gemm},
                                       {"reduce.", make_reduce},
                                       {"scan.", make_scan},
                                       {"scatter.", make_scatter}};

}  // namespace negzero::oracle
