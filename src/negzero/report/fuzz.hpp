// Reports of searches: what a person reads at the end, and the same as a versioned JSON document.

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <negzero/campaign/fuzz.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// "12,345 cases, 310/s, 842 features, 31 code blocks, 96 in the corpus, 2 findings, 3.1 % vacuous": one line while it
/// runs. `left_ms`: of the time limit; 0 where there is none.
[[nodiscard]] std::string fuzz_progress_text(const campaign::FuzzPoint& now, std::uint64_t vacuous,
                                             double cases_a_second, std::uint64_t left_ms);

/// A line a kernel, what the ways of making cases have paid, what the folder holds, and how to go on.
[[nodiscard]] std::string fuzz_text(const campaign::FuzzReport& report, const std::string& command);

/// {"version", "folder", "shard", "seed", "executor", "elapsed_ms", "run_ms", "resumed", "interrupted", "kernels":
/// [{"name", "cases", "pass", "vacuous", "fail", "refused", "error", "watched", "features", "code_blocks", "corpus",
/// "note", "arms": {name: {"cases", "kept"}}, "findings": [as check's], "known": [file], "known_accepted": [{"case",
/// "accepted"}]}], "ledger": as check's, "points": [{"elapsed_ms", "cases", "features", "code_blocks", "corpus",
/// "findings"}], "errors": [message]}
[[nodiscard]] std::string fuzz_json(const campaign::FuzzReport& report);

/// What it has to tell in files: findings of this run, counts of all runs of the shard, points in time.
[[nodiscard]] Document document_of(const campaign::FuzzReport& report, const Invocation& invocation);

/// Its "points".
[[nodiscard]] nlohmann::ordered_json points_json(const std::vector<campaign::FuzzPoint>& points);
/// The "arms" of a kernel.
[[nodiscard]] nlohmann::ordered_json arms_json(const campaign::Arms& arms);

[[nodiscard]] std::string merge_text(const std::vector<campaign::MergedKernel>& merged);
/// {"version", "merged": [{"kernel", "before", "after", "features", "failing": [file]}]}
[[nodiscard]] std::string merge_json(const std::vector<campaign::MergedKernel>& merged);

}  // namespace negzero::report
