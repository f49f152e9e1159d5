// negzero_extents: extents that follow from others, and relations that they break.

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::c {

/// What negzero_extents() answers (negzero.h).
[[nodiscard]] base::Result<std::string> extents(std::string_view options);

}  // namespace negzero::c
