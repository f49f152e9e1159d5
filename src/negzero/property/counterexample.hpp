// The counterexample of a kernel.

#pragma once

#include <string>

#include <negzero/judgement/counterexample.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// judgement::counterexample() of a kernel, under the contract that decides the case.
[[nodiscard]] std::string counterexample(const kernel::Kernel& kernel, const operation::Case& value,
                                         const verdict::Failure& failure, const std::string& replay);

}  // namespace negzero::property
