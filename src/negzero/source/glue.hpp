// The code that makes kernels of a file's declarations: it includes the file, and calls what their `launch` lines say.

#pragma once

#include <span>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/signatures.hpp>

namespace negzero::source {

/// Returns the text of a C++ file that includes each of `included` and registers a kernel for each declaration. In
/// `launch` have names those of launch_names() (declaration_words.hpp); a pointer to elements has the type that
/// `functions`, those of the author's files, say (pointees.hpp). `file` is where the declarations are. Usage error: a
/// format that has no type in C++.
[[nodiscard]] base::Result<std::string> glue_for(std::span<const std::string> included, const std::string& file,
                                                 std::span<const Declaration> declarations,
                                                 std::span<const KernelSignature> functions, bool is_for_gpu);

}  // namespace negzero::source
