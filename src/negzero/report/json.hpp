// Reports as versioned JSON documents.

#pragma once

#include <string>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/replay.hpp>

namespace negzero::report {

/// Version of every JSON document that the program prints.
inline constexpr int kJsonVersion = 1;

/// {"version", "seed", "executor", "elapsed_ms", "interrupted", "kernels": [{"name", "cases", "pass", "vacuous",
/// "fail", "refused", "error", "worst_margin", "note", "strategies": {name: cases}, "findings": [{"class", "rule",
/// "message", "case", "original", "hit_rate", "failing_cases"}]}]}
[[nodiscard]] std::string check_json(const campaign::CheckReport& report);

/// {"version", "executor", "interrupted", "results": [{"case", "operation", "kernel", "verdict", "class", "rule",
/// "message", "margin", "expected", "as_expected", "skipped"}], "errors": [message]}
[[nodiscard]] std::string replay_json(const campaign::ReplayReport& report);

}  // namespace negzero::report
