// Texts that exported files are made of: alone.cuh and helpers.cuh, which the build puts into the program.

#pragma once

#include <string_view>

namespace negzero::as_code {

extern const std::string_view kAlone, kHelpers;

}  // namespace negzero::as_code
