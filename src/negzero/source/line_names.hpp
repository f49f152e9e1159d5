// Names of a line that the C++ of a launch cannot have.

#pragma once

#include <optional>
#include <string>

#include <negzero/notation/signature.hpp>

namespace negzero::source {

/// What is wrong with the names of tensors, extents and scalars as variables of a launch: one that is a word of C++ or
/// the launch's own `stream`, or two things of one name. Nothing where all can be declared.
[[nodiscard]] std::optional<std::string> wrong_names(const notation::Signature& signature);

}  // namespace negzero::source
