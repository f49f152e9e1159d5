// The code that makes kernels of a file's declarations: it includes the file, and calls what their `launch` lines say.

#pragma once

#include <span>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/source/declaration.hpp>

namespace negzero::source {

/// Returns the text of a C++ file that includes each of `included` and registers a kernel for each declaration. In
/// `launch` have names: each tensor, as a pointer to its elements; each extent, as an int; each stride (strides.hpp),
/// as a std::int64_t; each scalar, as a number; `stream`. `file` is where the declarations are. Usage error: a format
/// that has no type in C++.
[[nodiscard]] base::Result<std::string> glue_for(std::span<const std::string> included, const std::string& file,
                                                 std::span<const Declaration> declarations, bool is_for_gpu);

/// The type of elements of that format: "__half" of "F16"; empty where there is none.
[[nodiscard]] std::string type_of(const std::string& format);

}  // namespace negzero::source
