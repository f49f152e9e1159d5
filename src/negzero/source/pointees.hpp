// What a `launch` line's tensors point to: the type that the functions it calls take.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/source/signatures.hpp>

namespace negzero::source {

/// Returns the type of elements of that format: "__half" of "F16"; empty where there is none.
[[nodiscard]] std::string type_of(const std::string& format);

/// Returns the type that `tensor`, whose elements have `format`, points to in a statement. It is that of the parameter
/// of `functions` that takes the tensor by its name alone, where its elements are the same bytes by another name:
/// "at::Half" for F16, "unsigned" for I32. Else it is type_of(format): where nothing in the statement says more, where
/// overloads differ, and where the parameter is something else, which no compiler converts to.
[[nodiscard]] std::string pointee_of(const std::string& tensor, const std::string& format, std::string_view statement,
                                     std::span<const KernelSignature> functions);

/// Returns those kernels and functions of host code in a text that may be called in one of the statements.
[[nodiscard]] std::vector<KernelSignature> functions_called(std::string_view text,
                                                            std::span<const std::string> statements);

}  // namespace negzero::source
