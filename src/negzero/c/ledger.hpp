// Decisions of the ledger of known findings for other languages.

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::c {

/// Answers negzero_ledger() (negzero.h). Usage errors name the entry of the ledger, or the row of the query, with key,
/// value and cure.
[[nodiscard]] base::Result<std::string> decided(std::string_view ledger, std::string_view query);

}  // namespace negzero::c
