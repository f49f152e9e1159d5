// One kernel while it is being checked: which cases come next, and what became of those that ran.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/source.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

/// The failing case of one cause, as it was met, with the smallest number.
struct Candidate {
  std::uint64_t index = 0;
  operation::History history{};
  std::optional<operation::EarlierLaunches> launch{};  ///< Reply::launch
  verdict::Verdict verdict{};  ///< permitted_under: what explains every failing case of the class
  std::uint64_t count = 0;     ///< failing cases of the cause
};

/// Counts results in the order of the cases' numbers, whatever order workers finish in: what is reported, and after
/// which case a kernel is given up, does not depend on how many there are.
class KernelProgress {
 public:
  explicit KernelProgress(GeneratedCases source, Accepting accepting = {});

  /// The next cases to run, at most `most` of them; nothing when all are under way or the kernel was given up.
  [[nodiscard]] std::optional<GeneratedRange> next(std::uint64_t most);

  /// Keeps the result of a case until all before it are there, then counts it.
  void add(const Reply& result);
  /// Counts what is left behind cases that will never come, after a stop.
  void finish();

  /// Hands out no further case; `why` becomes the report's note.
  void give_up(std::string why);

  [[nodiscard]] const kernel::Kernel& kernel() const { return source_.kernel(); }
  [[nodiscard]] const GeneratedCases& source() const { return source_; }
  /// Whether all its cases were.
  [[nodiscard]] bool is_counted() const { return counted_ == source_.size(); }
  /// Crashes and hangs cost a process or seconds each: after a few there is nothing to learn from more.
  [[nodiscard]] bool given_up() const { return given_up_; }
  [[nodiscard]] const std::map<Cause, Candidate>& failures() const { return failures_; }
  [[nodiscard]] const Accepting& accepting() const { return accepting_; }
  /// The cause of a failing case, as it was met.
  [[nodiscard]] Cause cause_of(const Reply& result) const;
  /// Classes and rules of all that failed, as it was met.
  [[nodiscard]] const Occurred& occurred() const { return occurred_; }
  /// The most telling failure first: what the watch saw and how a run ended explain wrong values, and hardly ever the
  /// other way round; of wrong values those that take no special ones.
  [[nodiscard]] std::vector<std::pair<Cause, const Candidate*>> by_telling() const;
  [[nodiscard]] KernelReport& report() { return report_; }
  [[nodiscard]] const KernelReport& report() const { return report_; }

 private:
  void count(Reply result);
  void warn(std::uint64_t index, const std::string& warning);
  void count_margin(const Reply& result);
  void count_failure(const Reply& result);

  GeneratedCases source_;
  Accepting accepting_;
  Occurred occurred_;
  std::uint64_t counted_ = 0;  ///< first case that was not counted
  std::map<std::uint64_t, Reply> waiting_;
  std::uint64_t crashes_ = 0, hangs_ = 0;
  bool given_up_ = false;
  std::map<Cause, Candidate> failures_;
  std::set<std::string, std::less<>> warned_;  ///< what was warned of, and where
  KernelReport report_;
};

}  // namespace negzero::campaign
