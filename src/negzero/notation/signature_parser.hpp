// From the text of a line to its names and its tree.

#pragma once

#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/notation/signature.hpp>

namespace negzero::notation {

/// The signature as far as the text says it: without slots of formats and what follows from the tree.
[[nodiscard]] base::Result<Signature> parse_line(std::string_view line);

}  // namespace negzero::notation
