// The files of this folder, as cmake/embed.cmake puts them into the test.

#pragma once

#include <string_view>

namespace negzero {

extern const std::string_view kBytes, kEmpty, kAgain;

}  // namespace negzero
