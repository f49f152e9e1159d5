// What a finding says of tensors whose elements lie past 2^31.

#pragma once

#include <optional>
#include <string>

#include <negzero/operation/case.hpp>
#include <negzero/property/value_hint.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// "an offset in 32 bits wraps: elements of a lie up to 8589934592 apart; if tensors of this kernel never span 2^31
/// elements, declare it: .max_span = 1LL << 31", of a case with such a tensor (tensor::is_distant()); nothing for any
/// other.
[[nodiscard]] std::optional<std::string> distance_hint(const operation::Case& value, DeclaredBy by);

}  // namespace negzero::property
