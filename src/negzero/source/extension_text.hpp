// The text of CUDA and C++ inside a module of Python that hands it to torch.utils.cpp_extension.load_inline().

#pragma once

#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::source {

/// Returns the triple-quoted strings of a module that hold C++, each in its lines and columns, and blanks for all else:
/// those with `#include`, `__global__` or `torch::` that something takes, as it does not take a docstring, and whose
/// prefix has no f. The first line includes what load_inline() puts before its sources, where no string begins there.
/// `\\` is one sign, as in Python, so that what is behind it in its line is a column further left.
[[nodiscard]] std::string extension_text(std::string_view module);

/// Reads a file of CUDA; of one called .py its extension_text(). Usage errors: those of files::read_text(), and a
/// module without such a string.
[[nodiscard]] base::Result<std::string> read_source(const std::string& path);

}  // namespace negzero::source
