// The contract that is assumed of results of which nothing was declared.

#pragma once

#include <string>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::judgement {

struct Assumed {
  contract::Contract contract{};
  std::string text{};  ///< one sentence: that nothing was given, and what is assumed
};

/// What is assumed of an operation: sums in F32, of F64 values in F64, of integers in I32, of a scatter in the
/// location's own format; results in F8 that saturate or turn NaN.
[[nodiscard]] Assumed default_contract(const operation::Operation& operation);

}  // namespace negzero::judgement
