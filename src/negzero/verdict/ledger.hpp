// The ledger of known findings: which ones a project lives with for now, why, and where that is tracked.
//
//   {"version": 1,
//    "accepted": [{"kernel": "gemm.mine.*",       the name of a kernel or of a test; * and ? allowed
//                  "class": "data_race",          or "rule": "run.race": exactly one of them
//                  "place": "watched",            where it may run: host, watched or cuda; missing: anywhere
//                  "at": "cells[i] = sum;",       the text of a line that the finding names; missing: any, or none
//                  "reason": "stores of equal values",
//                  "link": "https://github.com/owner/repo/issues/12"}]}
//
// It lies here because both the campaigns and the shared library for other languages decide by it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::verdict {

/// Where a kernel runs. Watched runs are runs on the host: an entry of the host is about them too.
enum class RunsAt : std::uint8_t {
  Anywhere,  ///< of an entry; of a finding or a run: it is not known where, and only such an entry is about it
  Host,
  Watched,
  Cuda,
};
[[nodiscard]] std::string_view name(RunsAt place) noexcept;  ///< "", "host", "watched", "cuda"
/// "host", "watched" or "cuda"; nothing for any other text.
[[nodiscard]] std::optional<RunsAt> parse_runs_at(std::string_view text) noexcept;

/// The text without its blanks: what lines of source are compared by, so that no change of their layout counts.
[[nodiscard]] std::string without_blanks(std::string_view text);

/// A failure, as an entry is matched with it. One of `kind` and `rule` may be unknown.
struct KnownBy {
  std::string kernel;
  std::optional<FailureClass> kind{};
  Rule rule{};
  RunsAt place = RunsAt::Anywhere;
  std::vector<std::string> lines{};  ///< the texts, without blanks, of the lines that it names, where they are known
};

/// A kernel or a test that ran.
struct RanThere {
  std::string kernel;
  RunsAt place = RunsAt::Anywhere;
  bool whole = true;  ///< with all of its budget: what did not occur would have had its chance
};

struct LedgerEntry {
  std::string kernel{};                ///< a glob
  std::optional<FailureClass> kind{};  ///< set exactly where `rule` is empty
  Rule rule{};
  RunsAt place = RunsAt::Anywhere;
  std::string reason{}, link{};
  std::string at{};  ///< the text of one of the finding's lines, as either access of a race; empty: any, or none

  /// Whether it is about a kernel that runs there.
  [[nodiscard]] bool is_about(std::string_view name, RunsAt there) const noexcept;
  [[nodiscard]] bool accepts(const KnownBy& finding) const;
  /// Whether its kernel is not to be run at all: a crash costs a process each time, and on a GPU the context.
  [[nodiscard]] bool is_quarantine() const noexcept { return kind == FailureClass::Crash || rule == "run.crash"; }
  /// Whether it is about races.
  [[nodiscard]] bool is_of_races() const noexcept {
    return kind == FailureClass::DataRace || rule == "run.race" || rule == "run.equal_stores";
  }
  /// "gemm.mine.*, data_race", "gemm.mine.*, run.race, at x = 1;": for messages.
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

class Ledger {
 public:
  /// Accepts nothing.
  Ledger() = default;
  explicit Ledger(std::vector<LedgerEntry> entries) : entries_(std::move(entries)) {}

  [[nodiscard]] const std::vector<LedgerEntry>& entries() const noexcept { return entries_; }
  /// The first entry that accepts the finding.
  [[nodiscard]] std::optional<std::size_t> accepting(const KnownBy& finding) const;
  /// The first entry that keeps a kernel from running there.
  [[nodiscard]] std::optional<std::size_t> quarantining(std::string_view kernel, RunsAt place) const noexcept;
  /// Entries about something that ran, all of which ran whole, that accept none of these findings. Never one that is a
  /// quarantine: nothing it is about is run; nor one of a race where another one was accepted, which ended its
  /// launches.
  [[nodiscard]] std::vector<std::size_t> stale(std::span<const KnownBy> findings, std::span<const RanThere> ran) const;

 private:
  /// Whether a finding is of an accepted race, which ended its launches, so that they show no other race.
  [[nodiscard]] bool may_hide_races(const KnownBy& finding, const LedgerEntry& entry) const;
  std::vector<LedgerEntry> entries_;
};

/// Reads a ledger. `what` names the text in errors. Usage errors name the text, the
/// entry's number (from 1), the key, the value and the cure: an unknown or missing key, a wrong type, a word or rule
/// that is none, a class and a rule together, an empty kernel or reason, a link that is neither an http(s) URL nor an
/// issue as owner/repo#12, an empty `at` or one of a crash, an entry that says what an earlier one says.
[[nodiscard]] base::Result<Ledger> parse_ledger(std::string_view text, std::string_view what);

}  // namespace negzero::verdict
