// A comparison of two kernels as lines for a person and as a JSON document.

#pragma once

#include <string>
#include <string_view>

#include <negzero/campaign/compare.hpp>

namespace negzero::report {

/// What a rule says about the two sides: "gemm.a.f32@host is wrong".
[[nodiscard]] std::string heading_of(const campaign::CompareReport& report, verdict::Rule rule);

/// One difference: who is wrong, the shrunk case, both values, and the line that shows it.
[[nodiscard]] std::string difference_text(const campaign::CompareReport& report,
                                          const campaign::DifferenceFound& difference, const std::string& command);

/// How many cases were identical, permitted differences, wrong on one side or on both, and the smallest case of each
/// kind of difference. `command` is how the user calls the program.
[[nodiscard]] std::string compare_text(const campaign::CompareReport& report, const std::string& command);

/// {"version", "first", "second", "seed", "elapsed_ms", "interrupted", "cases", "identical", "refused", "error",
/// "differences": [{"rule", "class", "message", "cases", "case"}], "errors": [message]}. `rule` is
/// compare.both_permitted, compare.first_wrong, compare.second_wrong, compare.both_wrong, or run.crash or run.hang
/// where neither kernel alone ends its worker where a worker died.
[[nodiscard]] std::string compare_json(const campaign::CompareReport& report);

}  // namespace negzero::report
