// How far a campaign came over time, as a part of a page.

#pragma once

#include <string>
#include <vector>

#include <negzero/report/document.hpp>

namespace negzero::report {

/// A chart of what was covered over time, with a mark where a finding was made, and a table of the same for readers
/// without pictures. Empty where there are no points. Requires points in the order of their time.
[[nodiscard]] std::string over_time_section(const std::vector<campaign::FuzzPoint>& points);

}  // namespace negzero::report
