// The loop behind `check`: cases of many kernels through isolated workers, failures deduplicated, shrunk and saved.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/campaign/accepting.hpp>
#include <negzero/campaign/counts.hpp>
#include <negzero/campaign/improbable.hpp>
#include <negzero/campaign/observation.hpp>
#include <negzero/campaign/option_counts.hpp>
#include <negzero/campaign/options.hpp>
#include <negzero/campaign/places.hpp>
#include <negzero/campaign/stop_condition.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/generate/shape_counts.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::campaign {

struct CheckOptions {
  std::uint64_t cases = 1000;  ///< per kernel
  std::uint64_t time_ms = 0;   ///< for all kernels together; 0: no limit
  std::uint64_t seed = 1;
  EvaluationOptions evaluation{};
  std::string save_dir = "findings";
  generate::Mix mix{};
  bool first_finding = false;  ///< stop at the first one that is not accepted
  LedgerFile accepted{};       ///< findings that are no reason to fail, and kernels that are not run
};

/// A deduplicated, shrunk failure: one per kernel and cause (cause.hpp).
struct Finding {
  std::string kernel;
  verdict::Failure failure;  ///< of the shrunk case
  operation::Case shrunk;
  std::string case_path;     ///< file of the shrunk case; empty where it could not be saved
  bool interrupted = false;  ///< shrinking was
  /// Why the case can perhaps be shrunk further, as "shrinking stopped after 60 s": the file is then
  /// *.partial.safetensors, or the one of the case as generated where nothing was shrunk. Empty: it cannot.
  std::string cut;
  std::string watched;  ///< what a watched run of the shrunk case says about its failure, with file and line; or empty
  std::string original_path;    ///< file of the case as generated
  verdict::Rule original_rule;  ///< what that one fails by; where it is another, the shrunk case may have another cause
  /// Share of runs of the shrunk case, each in a fresh process, that fail; nothing where none was left time for.
  std::optional<double> hit_rate;
  std::uint64_t failing_cases = 0;
  PlaceCounts also_at{};         ///< other places where cases failed in this way; perhaps by a cause of their own
  std::int64_t evaluations = 0;  ///< cases that shrinking ran
  std::optional<Acceptance> accepted{};     ///< the entry of a ledger that names it; nothing: it is a reason to fail
  std::vector<Observation> observations{};  ///< what the shrunk case gave, where EvaluationOptions::observe asks for it
};

/// Cases of one strategy and one class of sizes, and the passing one that came nearest to what is not permitted.
struct WorstMargin {
  std::uint64_t cases = 0, fail = 0;
  double margin = 0;        ///< Verdict::margin of that case
  std::uint64_t index = 0;  ///< its number; the first of those with that margin
  std::string shape;        ///< of its tensors; empty: no case passed
};
/// Most elements of all tensors of a case together in each class of sizes but the last, which has no bound.
inline constexpr std::array<std::uint64_t, 4> kSizes = {16, 256, 4096, 65536};
using MarginsBySize = std::array<WorstMargin, kSizes.size() + 1>;

/// Verdict::blind of some cases.
struct BlindCases {
  double sum = 0;
  std::uint64_t cases = 0;

  void add(const BlindCases& more) {
    sum += more.sum;
    cases += more.cases;
  }
  /// Requires a case.
  [[nodiscard]] double share() const { return sum / static_cast<double>(cases); }
};

struct KernelReport : Counts {
  std::string name;
  double worst_margin = 0;
  std::map<std::string, BlindCases> blind;  ///< by strategy, of those cases that it was looked at for
  RandomErrorCases random_errors;           ///< of those passing cases that it was looked at for
  std::map<std::string, std::uint64_t> strategies;
  OptionCounts options;
  generate::ShapeCounts shapes;
  std::map<std::string, MarginsBySize> margins;  ///< by strategy
  std::uint64_t accepted = 0;                    ///< of the failing cases, those of accepted findings
  std::vector<Finding> findings;  ///< the most telling first: races and bad accesses, how runs ended, wrong values
  std::string note;               ///< why it stopped early, the first error; empty otherwise
  /// The first warning of its runs (Verdict::warnings) of each line of source, with the number of its case, as far as
  /// they are few. Of races that a shuffle's value orders those of each pair of lines, behind the others.
  std::vector<std::string> warned;
  std::uint64_t warnings = 0;  ///< cases with one
  Places places;               ///< of all failing cases
  std::string printed;         ///< the beginning of what the kernel printed, any bytes; empty: nothing

  /// Whether a case failed that is of no accepted finding.
  [[nodiscard]] bool fails() const { return fail > accepted; }
};

struct CheckReport {
  kernel::Place place = kernel::Place::Host;
  Watch watch = Watch::Auto;  ///< which cases were to be watched
  std::uint64_t seed = 0;
  std::uint64_t elapsed_ms = 0;
  bool interrupted = false;
  std::vector<KernelReport> kernels;
  std::vector<std::string> skipped;  ///< kernels that were asked for and have no build for this executor; the caller's
  LedgerOutcome ledger;
  bool unsaved = false;  ///< not every finding could be saved
  /// One that says which findings could not be saved, and why; workers that could not be replaced; kernels for which no
  /// case can be made.
  std::vector<base::Error> errors;
  /// Whether anything was decided of any kernel. One of several of which nothing was is a warning.
  [[nodiscard]] bool decided() const { return std::ranges::any_of(kernels, &KernelReport::decided); }
};

/// Failures that are being shrunk.
struct BeingShrunk {
  std::size_t count = 0;
  std::string_view kernel{};  ///< of the one that has most time left; a name of the registry's
  std::uint64_t left_ms = 0;  ///< of that, as the options allow
};

/// How far a check was at some time.
struct CheckPoint {
  std::uint64_t elapsed_ms = 0;
  std::uint64_t done = 0, total = 0, failing = 0;  ///< cases
  std::string_view kernel{};                       ///< of the last one, a name of the registry's; empty: none ran yet
  BeingShrunk shrinking{};
};

/// Told what happens while it happens. The engine itself never prints.
class CheckListener {
 public:
  virtual ~CheckListener() = default;
  /// Everything that was asked for makes sense; the first case is about to run.
  virtual void on_start() {}
  virtual void on_progress(const CheckPoint& now) = 0;
  /// The first failure of its class, as it was generated and saved (`path`; empty where it could not be). What it is
  /// shrunk to comes with on_finding().
  virtual void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) {
    (void)kernel, (void)failure, (void)path;
  }
  /// A failure is about to be shrunk, or left as generated where the options leave no time for that.
  virtual void on_shrinking(const std::string& kernel, const verdict::Failure& failure) = 0;
  /// Findings come in the order of their kernels, and of a kernel the most telling first.
  virtual void on_finding(const Finding& finding) = 0;
};

/// Checks the kernels, which must be in the registry. Cases of one kernel depend on (seed, index) alone, not on which
/// others run beside it; without a time limit or a stop, nothing in the report but times depends on the number of jobs.
/// The failures of a kernel are shrunk once its cases have run, beside the cases of others. A
/// kernel whose cases keep killing or hanging workers is given up after a few (the note says so). Once `stop` is true
/// no case is started, and what was found is saved without being shrunk. A failure is on disk before more cases are
/// handed out than are under way: what ends this process then loses no more. Errors: weights that make no sense, limits
/// that no case fits of every kernel (of some: an error of the report, and the others run), a save directory that
/// cannot be made or written (tried before the first case), workers that cannot be started. A finding that cannot be
/// saved later is reported all the same. Kernels of which a crash is accepted are not among those of the report.
/// Workers that cannot be replaced later on (a GPU that is lost) are an error of the report, so that no finding is lost
/// with them.
[[nodiscard]] base::Result<CheckReport> check(const std::vector<const kernel::Kernel*>& kernels,
                                              const CheckOptions& options, CheckListener& listener, const Stop& stop);

}  // namespace negzero::campaign
