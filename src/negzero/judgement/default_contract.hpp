// The contract that a case names, and the one that is assumed of results of which nothing was declared.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::judgement {

/// The contract of a text by the defaults of that version, for a case of that operation. Errors are those of
/// contract::parse(). What version 1 leaves out means what it does today, but where a float is converted to an integer.
[[nodiscard]] base::Result<contract::Contract> named_contract(std::string_view text, std::uint64_t version,
                                                              const operation::Operation& operation);
/// The one that a case names. Requires that it names one.
[[nodiscard]] base::Result<contract::Contract> named_contract(const operation::Case& value);

struct Assumed {
  contract::Contract contract{};
  std::string text{};  ///< one sentence: that nothing was given, and what is assumed
};

/// What is assumed of an operation: sums in F32, of F64 values in F64, of integers in I32, of a scatter in the
/// location's own format; results in F8 that saturate or turn NaN.
[[nodiscard]] Assumed default_contract(const operation::Operation& operation);

}  // namespace negzero::judgement
