// Adversarial cases for other languages.

#pragma once

#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::c {

/// Makes the case that the options of negzero_draw() (negzero.h) ask for. Usage errors name the key, the value and what
/// is valid.
[[nodiscard]] base::Result<operation::Case> drawn(std::string_view options);

}  // namespace negzero::c
