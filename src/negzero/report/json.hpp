// A document as versioned JSON.

#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// Version of every JSON document that the program prints.
inline constexpr int kJsonVersion = 2;

/// {"version", the facts that have a key, the lists of the document}, indented. By command:
///
/// check: {"version", "seed", "executor", "elapsed_ms", "interrupted", "kernels": [{"name", COUNTS, "accepted",
///   "unwatched", "decided", "worst_margin", "blind", "note", "warning", "warnings", "printed", "strategies": {name:
///   cases}, "findings": [FINDING]}], "skipped": [kernel], "ledger": LEDGER, "errors": [message]}
///   With the warnings of other call sites than `warning`, if there are any, as "more_warnings": [text].
/// fuzz: {"version", "folder", "shard", "seed", "executor", "elapsed_ms", "run_ms", "resumed", "interrupted",
///   "kernels": [{"name", COUNTS, "decided", "features", "code_blocks", "corpus", "note", "arms": {name: {"cases",
///   "kept"}}, "findings": [FINDING], "known": [file], "known_accepted": [{"case", "accepted": ENTRY}]}], "ledger":
///   LEDGER, "points": [POINT], "errors": [message]}
/// fuzz --merge: {"version", "merged": [{"kernel", "before", "after", "features", "failing": [file]}], "totals":
///   {"before", "after", "features", "failing"}}, sums over kernels, of `failing` the number of files
/// report: {"version", "folder", "executor", "elapsed_ms", "cases_a_second", "features", "code_blocks", "interrupted",
///   "shards": [{"shard", "seed", "elapsed_ms", "cases", "features", "code_blocks", "findings"}], "kernels": [{"name",
///   COUNTS, "decided", "corpus", "arms"}], "findings": [{"kernel", FINDING, "size", "unseen", "also": [file]}],
///   "points": [POINT], "errors": [message]}
/// compare: {"version", "first", "second", "seed", "elapsed_ms", "interrupted", "cases", "identical", "refused",
///   "error", "differences": [{"rule", "class", "message", "cases", "case", "interrupted", "cut"}], "errors":
///   [message]}. `rule` is compare.both_permitted, compare.first_wrong, compare.second_wrong, compare.both_wrong, or
///   run.crash or run.hang where neither kernel alone ends its worker where a worker died.
/// replay: {"version", "executor", "interrupted", "results": [{"case", "operation", "kernel", "verdict", "class",
///   "rule", "message", "warning", "margin", "expected", "skipped", "outputs", "status"}], "recorded": [{"case",
///   "kernel", "executor", "verdict", "class", "rule"}], "errors": [message]}. `status` is a ReplayStatus; `verdict`
///   and what belongs to it are missing where the item was skipped, as is every text that would be empty.
///
/// COUNTS: "cases", "pass", "vacuous", "fail", "refused", "error", "watched", "too_large",
/// "not_judged" (values of declared operations, never a pass).
/// FINDING: "class", "rule", "message", "permitted_under", "case", "original", "original_rule", "interrupted", "cut",
///   "watched", "hit_rate", "failing_cases", "also_at": [{"place", "cases"}], "evaluations", "accepted": ENTRY.
/// ENTRY, of a ledger: {"entry", "reason", "link"}, or null. LEDGER: {"not_run": [{"kernel", "watched_only",
///   "accepted": ENTRY}], "stale": [message]}.
/// POINT: {"elapsed_ms", "cases", "features", "code_blocks", "corpus", "findings"}.
///
/// `accepted` of a kernel counts failing cases of accepted findings; of a finding it is the ledger's entry. `ledger`
/// has the kernels that an accepted crash kept from being run, and the entries that nothing came of. `also_at`: other
/// places in source where cases of this class failed. `hit_rate`: share of runs that fail, null where no time was left
/// for one. `blind`: the share of lost terms that would pass, over some of the cases (judgement/blind.hpp); null: none
/// was looked at for it, or the operation adds nothing. `unwatched` says why `--watch always` watched no case of a
/// kernel; empty otherwise. `skipped` are kernels that were asked for and have no build for this executor. `case` and
/// `original` are empty where the file could not be written (`errors` says why). Times are in milliseconds.
[[nodiscard]] std::string json_text(const Document& document);

/// {"version", "error": {"kind", "message"}}: what a command prints instead of its document when it could not start.
[[nodiscard]] std::string error_json(const base::Error& error);

/// JSON as text, indented. Paths and a kernel's own words may hold bytes that are not UTF-8: they are replaced, so that
/// the document parses.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json);

/// The share of runs that fail, or null where no time was left for one.
[[nodiscard]] nlohmann::ordered_json hit_rate_json(const std::optional<double>& rate);

}  // namespace negzero::report
