// The order of the sums of a function of another language: each batch of sums is a call back.

#pragma once

#include <cfenv>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/c/negzero.h>

namespace negzero::c {

/// Does what negzero_order() (negzero.h) promises. `environment`: that of the function. Usage errors name the key, the
/// value and what is valid, and say why such formats show no order.
[[nodiscard]] base::Result<std::string> ordered(std::string_view options, const negzero_sums& function,
                                                const std::fenv_t& environment);

}  // namespace negzero::c
