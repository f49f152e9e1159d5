// What a failing output is right under: contracts beside the declared one.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// The alternatives (oracle.hpp) that permit every element of all outputs, and reject garbage where the contract was
/// broken. `failing` are the elements that `contract` does not permit; they are looked at first, so that an alternative
/// that explains nothing costs one element. Empty for cases of more than kMostExplained.
[[nodiscard]] std::vector<std::string> alternatives_that_permit(const operation::Case& value,
                                                                const contract::Contract& contract,
                                                                std::span<const tensor::Tensor> observed,
                                                                std::span<const OutputElement> failing);

/// The same for numerics that a library may have chosen without saying so: another accumulator, rounded factors, what
/// becomes of NaN, -0 and overflow. Words for results of strangers: a kernel's author knows which of them it has.
[[nodiscard]] std::vector<std::string> undeclared_that_permit(const operation::Case& value,
                                                              const contract::Contract& contract,
                                                              std::span<const tensor::Tensor> observed,
                                                              std::span<const OutputElement> failing);

}  // namespace negzero::oracle
