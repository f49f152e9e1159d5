// Lines as text.

#pragma once

#include <string>

#include <negzero/notation/signature.hpp>

namespace negzero::notation {

/// The definition of a declared operation, with one space where a person would write one. parse_signature() of a name,
/// a colon and it gives the same signature.
[[nodiscard]] std::string definition_of(const Signature& signature);

}  // namespace negzero::notation
