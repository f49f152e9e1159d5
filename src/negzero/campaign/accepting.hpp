// What a ledger of known findings (verdict/ledger.hpp) means for the kernels of a campaign.
//
// A finding that an entry names is searched for, shrunk and reported as any other; only, it is no reason to fail. So
// that an accepted finding hides no other one of its kernel, failures are told apart by their rules (Cause::rule) where
// an entry is about one, and nothing that is not accepted is explained by something that is.

#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/cause.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/source_line.hpp>
#include <negzero/verdict/ledger.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// The texts of lines of source that a kernel's findings name, without blanks; of those alone that can be read.
using LineTexts =
    std::function<std::vector<std::string>(const kernel::Kernel& kernel, const std::vector<operation::SourceLine>&)>;

/// A ledger with the name of its file; without a file it accepts nothing.
struct LedgerFile {
  std::string path{};
  verdict::Ledger ledger{};
  LineTexts texts{};  ///< empty: entries that name the text of a line accept nothing

  /// Adds the entries of another one behind its own, and "or FILE" to its name; nothing where that has no entry.
  void add(const LedgerFile& more);
};
/// Reads a ledger's file. Usage errors: no such file, one of more than a MiB, and those of verdict::parse_ledger().
[[nodiscard]] base::Result<LedgerFile> load_ledger(const std::string& path);

/// The entry of a ledger that accepts something.
struct Acceptance {
  std::size_t number = 0;  ///< from 1, in the order of the file
  std::string reason{}, link{};
  [[nodiscard]] std::string to_string() const;  ///< "accepted finding #2: stores of equal values (owner/repo#12)"
  friend bool operator==(const Acceptance&, const Acceptance&) = default;
};

/// A kernel that is not run, because a crash of it is accepted.
struct NotRun {
  std::string kernel;
  bool watched_only = false;  ///< it runs, but never watched
  Acceptance accepted{};
};

/// What a ledger came to in a run.
struct LedgerOutcome {
  std::vector<NotRun> not_run{};
  /// "accepted finding #2 (gemm.mine.*, data_race) did not occur: fixed? remove it from FILE": each is a reason to
  /// fail.
  std::vector<std::string> stale{};
};

/// What entries look at in a failure.
struct Occurrence {
  verdict::FailureClass kind = verdict::FailureClass::WrongValue;
  verdict::Rule rule{};
  std::vector<std::string> lines{};  ///< verdict::KnownBy::lines; empty where no entry names the text of one
  friend auto operator<=>(const Occurrence&, const Occurrence&) = default;
};
using Occurred = std::set<Occurrence>;

/// The entries that are about one kernel in the place where a campaign runs it.
class Accepting {
 public:
  /// Accepts nothing.
  Accepting() = default;
  /// The kernel outlives this.
  Accepting(const verdict::Ledger& ledger, const kernel::Kernel& kernel, const EvaluationOptions& options,
            LineTexts texts = {});

  /// The entry that accepts a failure, which names the lines of its message and of what the watch says about it.
  [[nodiscard]] std::optional<Acceptance> of(const verdict::Failure& failure, std::string_view watched = "") const;
  /// The entry that accepts a failure of which no more than its cause and its rule is known.
  [[nodiscard]] std::optional<Acceptance> of(const Cause& cause, verdict::Rule rule) const;
  /// Whether one accepts the failures of a cause that cause() gave.
  [[nodiscard]] bool accepts(const Cause& cause) const { return of(cause, cause.rule).has_value(); }
  /// The cause of a failure: with its rule where an entry tells rules of its kind apart, and apart from others where
  /// one accepts it by a line of its message.
  [[nodiscard]] Cause cause(verdict::FailureClass kind, Specials specials, verdict::Rule rule,
                            std::string_view message = "") const;
  [[nodiscard]] Cause cause(const verdict::Failure& failure, Specials specials) const {
    return cause(failure.kind, specials, failure.rule, failure.message);
  }
  /// A failure as entries are matched with it when all has run.
  [[nodiscard]] Occurrence occurrence(const verdict::Failure& failure, std::string_view watched = "") const;
  [[nodiscard]] Occurrence occurrence(const Cause& cause, verdict::Rule rule) const;
  /// Whether a case that fails by one rule may be shrunk to one that fails by another: rules of sums sharpen as cases
  /// get smaller, and those of runs are of other faults; nor to one of another line where that decides whether it is
  /// accepted. Any may where no entry tells them apart, or the class changes:
  /// what fails behind other launches alone is of class stateful from then on.
  [[nodiscard]] bool may_shrink(const verdict::Failure& from, const verdict::Failure& to) const;

  /// Why the kernel is not to run at all; nothing where it is.
  [[nodiscard]] std::optional<Acceptance> not_run() const;
  /// Why it is not to run watched.
  [[nodiscard]] std::optional<Acceptance> not_watched() const;

 private:
  /// The first entry that accepts it.
  [[nodiscard]] std::optional<std::size_t> matching(const Occurrence& failure) const;
  [[nodiscard]] std::vector<std::string> texts_in(std::string_view message) const;
  [[nodiscard]] bool tells_apart(verdict::FailureClass kind, verdict::Rule rule) const;
  [[nodiscard]] Acceptance acceptance(std::size_t entry) const;

  std::vector<std::pair<std::size_t, verdict::LedgerEntry>> entries_;  ///< with their places in the ledger
  const kernel::Kernel* kernel_ = nullptr;
  LineTexts texts_;
  bool names_lines_ = false;  ///< an entry does
  kernel::Place place_ = kernel::Place::Host;
  Watch watch_ = Watch::Auto;
};

/// Notes kernels that are not to run, and returns the others.
[[nodiscard]] std::vector<const kernel::Kernel*> without_quarantined(const std::vector<const kernel::Kernel*>& kernels,
                                                                     const LedgerFile& file,
                                                                     const EvaluationOptions& options,
                                                                     LedgerOutcome& outcome);

/// How one kernel ran.
struct KernelRun {
  std::string kernel;
  bool watched = false;  ///< some cases were
  bool whole = false;    ///< it had all of its budget, and something was decided
  Occurred occurred{};   ///< as met, and as shrunk
};
/// The messages of LedgerOutcome::stale.
[[nodiscard]] std::vector<std::string> stale_entries(const LedgerFile& file, std::span<const KernelRun> runs,
                                                     kernel::Place place);

}  // namespace negzero::campaign
