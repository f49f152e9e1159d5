// What a contract's `depth` comes to for a case.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::oracle {

/// The most additions of two numbers other than zero that a term of one of the case's sums meets: the declared depth,
/// less the rounding of the product in sums of products. Nothing where no depth is declared, or nothing is added.
///
/// Usage errors: a name that the operation has no extent for, a formula without a value, and a depth below that of
/// balanced trees, which are the flattest there are.
[[nodiscard]] base::Result<std::optional<std::int64_t>> additions_of(const operation::Case& value,
                                                                     const contract::Contract& contract);

}  // namespace negzero::oracle
