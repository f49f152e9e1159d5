// What the types of parameters are to an operation.

#pragma once

#include <string>

#include <negzero/source/signatures.hpp>

namespace negzero::source {

/// The format that elements of that type have, "F32" of "float"; empty: there is none.
[[nodiscard]] std::string format_of_type(const std::string& type);
/// Whether a parameter is an integer by value, as extents are.
[[nodiscard]] bool is_integer(const KernelParameter& parameter);
/// Whether a parameter is a stream of CUDA.
[[nodiscard]] bool is_stream(const KernelParameter& parameter);
/// Whether a parameter is a number of floating point by value.
[[nodiscard]] bool is_number(const KernelParameter& parameter);
/// Whether a parameter is a truth value by value.
[[nodiscard]] bool is_truth(const KernelParameter& parameter);

}  // namespace negzero::source
