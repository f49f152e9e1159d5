// Reports as lines for a person.

#pragma once

#include <string>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/replay.hpp>

namespace negzero::report {

/// A finding: the counterexample, what a watched run says, where its files are, how it was reached. `command` is how
/// the user calls the program.
[[nodiscard]] std::string finding_text(const campaign::Finding& finding, const std::string& command);

/// "   1000 cases      998 pass  2 vacuous": kinds of verdicts that none had are left out.
[[nodiscard]] std::string counts_text(const campaign::Counts& counts);

/// A line for each kernel that an accepted crash kept from being run, or from being watched.
[[nodiscard]] std::string not_run_lines(const campaign::LedgerOutcome& ledger);

/// A table with a line a kernel, the mix of strategies, and a summary that never calls undecided cases a pass.
[[nodiscard]] std::string check_text(const campaign::CheckReport& report);

/// One line for an item of a replay, and the counterexample of an unexpected failure.
[[nodiscard]] std::string item_text(const campaign::ReplayItem& item);

/// The last lines of a replay: counts and errors.
[[nodiscard]] std::string replay_text(const campaign::ReplayReport& report);

}  // namespace negzero::report
