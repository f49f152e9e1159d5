// Reports as versioned JSON documents.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/replay.hpp>

namespace negzero::report {

/// Version of every JSON document that the program prints.
inline constexpr int kJsonVersion = 1;

/// {"version", "seed", "executor", "elapsed_ms", "interrupted", "kernels": [{"name", "cases", "pass", "vacuous",
/// "fail", "refused", "error", "watched", "accepted", "unwatched", "worst_margin", "blind", "note", "strategies":
/// {name: cases}, "findings": [{"class", "rule", "message", "permitted_under", "case", "original", "hit_rate",
/// "failing_cases", "also_at": [{"place", "cases"}], "evaluations", "accepted": {"entry", "reason", "link"}}]}],
/// "skipped": [kernel], "ledger": {"not_run": [{"kernel", "watched_only", "accepted"}], "stale": [message]},
/// "errors": [message]}
///
/// `accepted` of a kernel counts failing cases of accepted findings; of a finding it is the ledger's entry, or null.
/// `ledger` has the kernels that an accepted crash kept from being run, and the entries that nothing came of.
/// `also_at`: other places in source where cases of this class failed.
/// `blind`: the share of lost terms that would pass, over some of the cases (judgement/blind.hpp); null: none was
/// looked at for it, or the operation adds nothing.
/// `unwatched` says why `--watch always` watched no case of a kernel; empty otherwise.
/// `skipped` are kernels that were asked for and have no build for this executor.
/// `case` and `original` are empty where the file could not be written (`errors` says why).
[[nodiscard]] std::string check_json(const campaign::CheckReport& report);

/// {"version", "executor", "interrupted", "results": [{"case", "operation", "kernel", "verdict", "class", "rule",
/// "message", "margin", "expected", "skipped", "outputs", "status"}], "errors": [message]}. `status` is a ReplayStatus;
/// `verdict` and what belongs to it are missing where the item was skipped.
[[nodiscard]] std::string replay_json(const campaign::ReplayReport& report);

/// {"version", "error": {"kind", "message"}}: what a command prints instead of its document when it could not start.
[[nodiscard]] std::string error_json(const base::Error& error);

/// A document as text, indented.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json);

/// Adds "cases", "pass", "vacuous", "fail", "refused", "error" and "watched" to an object.
void add_counts(const campaign::Counts& counts, nlohmann::ordered_json& to);
/// A list of their messages.
[[nodiscard]] nlohmann::ordered_json messages(const std::vector<base::Error>& errors);
/// The entry of a ledger that accepts something: {"entry", "reason", "link"}; null where there is none.
[[nodiscard]] nlohmann::ordered_json acceptance_json(const std::optional<campaign::Acceptance>& accepted);
/// "ledger".
[[nodiscard]] nlohmann::ordered_json ledger_json(const campaign::LedgerOutcome& ledger);
/// An entry of "findings".
[[nodiscard]] nlohmann::ordered_json finding_json(const campaign::Finding& finding);

/// The share of runs that fail, or null where none was left time for.
[[nodiscard]] nlohmann::ordered_json hit_rate_json(const std::optional<double>& rate);

}  // namespace negzero::report
