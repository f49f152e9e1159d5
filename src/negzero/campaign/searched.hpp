// One kernel while it is being searched: which cases come next, what they showed, which failures wait to be shrunk.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/corpus.hpp>
#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/settle.hpp>
#include <negzero/campaign/wire.hpp>

namespace negzero::campaign {

/// Cases to run, and where they come from.
struct Portion {
  std::optional<Arms::Choice> arm{};  ///< nothing: files of the corpus, in `paths`
  std::vector<std::string> paths{};
  decltype(Request::source) source{};
};

class Searched {
 public:
  Searched(const kernel::Kernel& kernel, const FuzzOptions& options);

  [[nodiscard]] base::Status validate() const;
  /// Takes over counts, and the numbers that cases go on from.
  void go_on_from(const KernelState& before);
  /// Takes the findings in that directory for known. One that was met and not shrunk, by a run that was ended, is a
  /// failure that waits.
  void know_findings(const std::string& directory, kernel::Place place);
  /// Looks for files of the corpus that were not read yet: next() hands them out first.
  [[nodiscard]] base::Status find_files();

  [[nodiscard]] bool has_files() const { return !files_.empty(); }
  /// At most `most` cases. Requires goes_on().
  [[nodiscard]] Portion next(std::uint64_t seed, std::uint64_t most);
  /// Counts a reply, and keeps a case that shows something new. A failure of a cause that was not met before comes
  /// back, with no path yet.
  [[nodiscard]] std::optional<Met> take(const Request& request, const Portion& portion, const Reply& reply);

  void add_failure(Met met) { failures_.push_back(std::move(met)); }
  [[nodiscard]] bool has_failures() const { return !failures_.empty(); }
  [[nodiscard]] std::optional<Met> take_failure();
  /// The causes of the folder's findings, as they were shrunk.
  [[nodiscard]] const std::set<Cause>& told() const { return told_; }
  /// Whether none of them is the cause that one was shrunk to. From then on, one is.
  [[nodiscard]] bool is_new(const Cause& cause);

  [[nodiscard]] bool goes_on() const { return !given_up_; }
  [[nodiscard]] const Accepting& accepting() const { return accepting_; }
  /// The cause of a failing case, as it was met.
  [[nodiscard]] Cause cause_of(const verdict::Failure& failure, Specials specials) const {
    return accepting_.cause(failure, specials);
  }
  /// How it ran until now, for the entries of a ledger.
  [[nodiscard]] KernelRun run() const;
  [[nodiscard]] const kernel::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] Corpus& corpus() { return corpus_; }
  [[nodiscard]] FuzzedKernel& report() { return report_; }
  [[nodiscard]] const FuzzedKernel& report() const { return report_; }
  /// The first file that could not be written, or one that could not be read until now.
  [[nodiscard]] std::optional<base::Error> problem() const;

 private:
  [[nodiscard]] Portion files(std::uint64_t most);
  void count(const Reply& reply);
  void count_corpus();

  /// The cause of a file's failure, by the class and the special values of its name.
  [[nodiscard]] Cause met_cause(const Cause& named, const std::string& path, kernel::Place place);

  const kernel::Kernel& kernel_;
  Accepting accepting_;
  Occurred occurred_;  ///< in this run, and of the folder's findings
  Counts before_;      ///< of the runs before this one
  generate::Mix mix_;
  bool shrinks_;
  Corpus corpus_;
  std::deque<std::string> files_;              ///< to be read
  std::map<std::string, base::Error> unread_;  ///< by path: files that could not be read, and are tried again
  base::Random random_{0};
  std::set<Cause> causes_;  ///< as met
  std::set<Cause> told_;    ///< as shrunk
  std::deque<Met> failures_;
  std::uint64_t deaths_ = 0;
  bool given_up_ = false;
  std::optional<base::Error> problem_;
  FuzzedKernel report_;
};

}  // namespace negzero::campaign
