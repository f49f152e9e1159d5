// The shapes of a kernel's cases, in a document.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/campaign/check.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// "m=128 n=256 k=32".
[[nodiscard]] std::string shape_text(const std::vector<std::string>& names, const std::vector<std::int64_t>& extents);
/// {"cases", "distinct", "commonest": {"extents", "cases"}, "tiles": {EXTENT: {"tile", "below_one", "one", "two",
/// "three", "more"}}, "longest_row", "largest_offset", "past_2_31", "collapsed"}. Requires a case.
[[nodiscard]] nlohmann::ordered_json shapes_json(const generate::ShapeCounts& shapes);
/// The same in lines for people: how many shapes, a table of tiles, the longest row and the largest offset.
[[nodiscard]] std::string shapes_text(const generate::ShapeCounts& shapes);
/// ", 98 % of the cases of gemm have one shape (m=128 n=128 k=32)", where that is so although its limits permit others;
/// empty where no kernel has such cases.
[[nodiscard]] std::string collapsed_text(const std::vector<campaign::KernelReport>& kernels);
/// A row for each kernel.
[[nodiscard]] Table shapes_table(const std::vector<KernelEntry>& kernels);

}  // namespace negzero::report
