// What limits say of the values of a case.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// The range of a tensor's values in a format; nothing where limits have none for it.
[[nodiscard]] std::optional<FormatRange> values_of(const Limits& limits, std::string_view tensor,
                                                   number::FormatId format);

/// Why a case lies outside, as outside() says it: "x[3, 0] = inf is not from -10000 to 10000", of the first such
/// element; nothing where all lie inside.
[[nodiscard]] std::optional<std::string> values_outside(const Limits& limits, const Case& value);

/// Brings all elements inside by FormatRange::folded(): those that were equal stay equal. Requires limits that
/// validate() accepts in the formats of the case.
void fold_values(Case& value, const Limits& limits);

}  // namespace negzero::operation
