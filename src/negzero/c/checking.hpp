// Checks a function of another language: its launches are calls back.

#pragma once

#include <cfenv>
#include <span>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/c/negzero.h>
#include <negzero/operation/case.hpp>

namespace negzero::c {

struct Checked {
  std::string report;      ///< JSON, as negzero.h describes it
  std::string found_case;  ///< the file of the smallest case that fails; empty where none does
};

/// Does what negzero_check() (negzero.h) promises. `first`: cases to look at before any is drawn; what contract they
/// name does not count. `environment`: that of the functions. Usage errors name the key, the value and what is valid.
[[nodiscard]] base::Result<Checked> checked(std::string_view options, const negzero_function& function,
                                            const negzero_function& reference, const negzero_function& prepare,
                                            std::span<const negzero_bytes> first, const std::fenv_t& environment);

}  // namespace negzero::c
