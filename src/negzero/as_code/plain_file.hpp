// A small case as a CUDA program that a person reads at a glance: no helpers, a line a tensor, a comparison an element.

#pragma once

#include <string>

#include <negzero/as_code/launch.hpp>

namespace negzero::as_code {

/// Whether a case is small enough, and fails by wrong values alone: its memory is exact, so that nothing around it is
/// poisoned or looked at, and a read beside a tensor sees anything.
[[nodiscard]] bool is_plain(const Finding& finding, const Launch& launch, const std::vector<Buffer>& buffers);

/// Returns its main() and what that includes. Requires is_plain().
[[nodiscard]] std::string plain_file(const Launch& launch, const std::vector<Buffer>& buffers);

/// Returns the condition of C++ under which `name`, an unsigned integer, is an encoding that lies in one of the ranges.
[[nodiscard]] std::string condition(std::string_view name, number::FormatId format, const std::vector<Range>& ranges);

}  // namespace negzero::as_code
