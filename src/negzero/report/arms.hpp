// What each way of making cases has paid in a search: cases that showed something new, of those that it made.

#pragma once

#include <string>
#include <vector>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// "kept of cases made: bits 3 of 40, ..." and an end of the line, summed over kernels; a way that made no case is left
/// out. Empty where there is nothing to say.
[[nodiscard]] std::string arms_text(const std::vector<KernelEntry>& kernels);

/// The same as a part of a document, those that kept most of a thousand cases first.
[[nodiscard]] Table arms_table(const std::vector<KernelEntry>& kernels);

}  // namespace negzero::report
