// One finding as a part of a page.

#pragma once

#include <string>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// An <article>: claim, rule, permitted set, the line that replays it, the lines of source that it names, the shrunk
/// case and, for each observation, inputs and output as heat maps.
[[nodiscard]] std::string html_finding(const FindingEntry& finding);

}  // namespace negzero::report
