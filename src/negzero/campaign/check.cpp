// The loop behind `check`: cases of many kernels through examiners, failures deduplicated, shrunk and saved.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/kernel_progress.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/settle.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;
using verdict::Verdict;
using verdict::VerdictKind;

/// Time that cases in flight have after a time limit.
constexpr std::uint64_t kGraceMs = 1000;
/// Tasks of one kernel that an examiner takes in a row where time is limited.
constexpr std::uint64_t kTasksInARow = 16;

class Check {
 public:
  Check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options, CheckListener& listener,
        const std::function<bool()>& stop)
      : options_(options), listener_(listener), stop_(stop), files_(options.save_dir), crew_(options.evaluation) {
    for (const kernel::Kernel* kernel :
         without_quarantined(kernels, options.accepted, options.evaluation, report_.ledger)) {
      progress_.emplace_back(
          GeneratedCases(*kernel, options.seed, options.cases, options.mix),
          Accepting(options.accepted.ledger, *kernel, options.evaluation));
    }
    saved_.resize(progress_.size());
    seats_.resize(static_cast<std::size_t>(crew_.size()));
  }

  base::Result<CheckReport> run() {
    if (const auto valid = generate::validate(options_.mix.weights); !valid) return valid.error();
    for (KernelProgress& progress : progress_) {
      const auto valid = progress.source().validate();
      if (valid) continue;
      note(base::usage_error(fmt::format("kernel {}: {}", progress.kernel().name, valid.error().message)));
      progress.give_up("no case can be made: " + valid.error().message);
    }
    // The other kernels' cases are worth having all the same.
    if (std::ranges::all_of(progress_, &KernelProgress::given_up) && !progress_.empty()) return report_.errors.front();
    if (const auto opened = files_.open(); !opened) return opened.error();
    listener_.on_start();
    if (const auto done = progress_.empty() ? base::Status(base::Ok{}) : run_cases(); !done) return done.error();
    Evaluator evaluator(options_.evaluation);
    for (KernelProgress& progress : progress_) {
      std::map<Cause, std::size_t> told;  // As they were shrunk, and their findings.
      for (const auto& [cause, candidate] : progress.by_telling()) {
        report_finding(progress, cause, *candidate, evaluator, told);
      }
    }
    report_.place = options_.evaluation.place;
    report_.watch = options_.evaluation.watch;
    report_.unsaved = files_.problem().has_value();
    if (report_.unsaved) report_.errors.push_back(*files_.problem());
    report_.seed = options_.seed;
    report_.interrupted = stop_();
    report_.elapsed_ms = elapsed_ms();
    count_accepted();
    for (KernelProgress& progress : progress_) report_.kernels.push_back(std::move(progress.report()));
    return std::move(report_);
  }

 private:
  base::Status run_cases() {
    const auto is_over = [this] {
      return stop_() || (options_.time_ms != 0 && elapsed_ms() >= options_.time_ms + kGraceMs);
    };
    const auto done =
        crew_.run([this](int examiner) { return next(seats_[static_cast<std::size_t>(examiner)]); },
                  [this](std::uint64_t kernel, const Reply& reply) { return take(kernel, reply); }, is_over);
    for (std::size_t i = 0; i < progress_.size(); ++i) {
      progress_[i].finish();
      tell_failures(i);
      for (const auto& [cause, original] : saved_[i]) {
        if (!progress_[i].failures().contains(cause)) forget(original);
      }
    }
    if (done || done_ == 0) return done;
    report_.errors.push_back(done.error());
    return base::Ok{};
  }

  [[nodiscard]] std::uint64_t elapsed_ms() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count());
  }
  [[nodiscard]] bool time_is_over() const { return options_.time_ms != 0 && elapsed_ms() >= options_.time_ms; }

  /// The kernel that an examiner is at: it stays there, because its worker serves one kernel.
  struct Seat {
    std::size_t kernel = 0;
    std::uint64_t tasks = kTasksInARow;  ///< taken in a row
  };

  /// Kernels take turns, so that a time limit treats them alike.
  std::optional<Task> next(Seat& seat) {
    if (time_is_over()) return std::nullopt;
    // Each examiner gets some of a kernel's cases, where there are enough of them.
    const auto examiners = static_cast<std::uint64_t>(crew_.size());
    const std::uint64_t most = std::clamp<std::uint64_t>(options_.cases / examiners, 32, crew_.task_cases());
    const bool stays = done_ > 0 && (options_.time_ms == 0 || seat.tasks < kTasksInARow);
    for (std::size_t tries = 0; tries <= progress_.size(); ++tries) {
      if (tries > 0 || !stays) {
        turn_ = (turn_ + 1) % progress_.size();
        seat = {turn_, 0};
      }
      auto range = progress_[seat.kernel].next(most);
      if (!range) continue;
      ++seat.tasks;
      return Task{.request = {.kernel = progress_[seat.kernel].kernel().name,
                              .watch = progress_[seat.kernel].accepting().watch(options_.evaluation.watch),
                              .repeat = property::Repeat::Some,
                              .timeout_ms = options_.evaluation.timeout_ms,
                              .source = *std::move(range)},
                  .tag = seat.kernel};
    }
    return std::nullopt;
  }

  bool take(std::uint64_t kernel, const Reply& reply) {
    KernelProgress& progress = progress_[kernel];
    const std::uint64_t failing = progress.report().fail;
    if (reply.verdict.failure && !progress.given_up()) keep_original(kernel, reply);
    progress.add(reply);
    tell_failures(kernel);
    failing_ += progress.report().fail - failing;
    listener_.on_progress(++done_, options_.cases * progress_.size(), failing_);
    return !progress.given_up() && !time_is_over();
  }

  /// A failing case of the smallest number so far, on disk.
  struct Original {
    std::uint64_t index = 0;
    std::string path;
    bool told = false;
  };

  /// Removes a file that nobody was told of. Where it stays, it is a failing case more.
  static void forget(const Original& original) {
    std::error_code ignored;
    if (!original.told && !original.path.empty()) std::filesystem::remove(original.path, ignored);
  }

  /// Puts a failing case on disk, unless one of its cause with a smaller number is there.
  void keep_original(std::size_t kernel, const Reply& reply) {
    const Cause cause = progress_[kernel].cause_of(reply);
    const auto [at, is_new] = saved_[kernel].try_emplace(cause);
    if (!is_new && (at->second.told || at->second.index < reply.index)) return;
    if (!is_new) forget(at->second);
    const operation::Case value = original(kernel, reply.index, reply.history, reply.verdict);
    at->second = {reply.index, files_.save(value, cause, "original"), false};
  }

  [[nodiscard]] operation::Case original(std::size_t kernel, std::uint64_t index, const operation::History& history,
                                         const Verdict& verdict) const {
    operation::Case value = progress_[kernel].source().named(index);
    value.history = history;
    value.found = seen(value.kernel, options_.evaluation.place, verdict);
    return value;
  }

  /// Tells of failures that are the first of their class, whatever comes later.
  void tell_failures(std::size_t kernel) {
    for (const auto& [cause, candidate] : progress_[kernel].failures()) {
      const auto is_told = [&cause = cause](const auto& saved) {
        return saved.first.kind == cause.kind && saved.first.rule == cause.rule && saved.second.told;
      };
      if (std::ranges::any_of(saved_[kernel], is_told)) continue;
      Original& original = saved_[kernel][cause];
      original.told = true;
      listener_.on_failure(progress_[kernel].kernel().name, *candidate.verdict.failure, original.path);
    }
  }

  /// Settles a failure, unless a finding explains it that `told` has.
  void report_finding(KernelProgress& progress, const Cause& met, const Candidate& candidate, Evaluator& evaluator,
                      std::map<Cause, std::size_t>& told) {
    const kernel::Kernel& kernel = progress.kernel();
    std::vector<Finding>& findings = progress.report().findings;
    const auto number = static_cast<std::size_t>(&progress - progress_.data());
    listener_.on_shrinking(kernel.name, *candidate.verdict.failure);
    std::set<Cause> causes;
    for (const auto& [cause, finding] : told) causes.insert(cause);
    Settled settled = settle({original(number, candidate.index, candidate.history, candidate.verdict),
                              candidate.verdict, met.specials, saved_[number][met].path},
                             causes, kernel, progress.accepting(), evaluator, files_, stop_);
    if (settled.problem) note(*settled.problem);
    if (settled.known) {
      findings[told.at(*settled.known)].failing_cases += candidate.count;
      forget(saved_[number][met]);
      return;
    }
    Finding& finding = settled.finding;
    finding.failing_cases = candidate.count;
    const auto same = told.find(settled.cause);
    const auto other = same != told.end() ? findings.begin() + static_cast<std::ptrdiff_t>(same->second)
                                          : std::ranges::find_if(findings, [&](const Finding& each) {
                                              return finding.accepted.has_value() == each.accepted.has_value() &&
                                                     differ_by_poison(finding.shrunk, finding.failure.kind, each.shrunk,
                                                                      each.failure.kind);
                                            });
    if (other == findings.end()) {
      finding.also_at = progress.report().places.beside(finding.failure, finding.watched);
      listener_.on_finding(finding);
      told.emplace(settled.cause, findings.size());
      findings.push_back(std::move(finding));
      return;
    }
    other->failing_cases += candidate.count;
    std::error_code ignored;
    if (finding.case_path != other->case_path) std::filesystem::remove(finding.case_path, ignored);
    forget(saved_[number][met]);
  }

  /// Counts failing cases that are accepted, and finds the entries of the ledger that nothing came of.
  void count_accepted() {
    std::vector<KernelRun> runs;
    for (KernelProgress& progress : progress_) {
      KernelReport& report = progress.report();
      const bool is_whole = !report_.interrupted && report_.errors.empty() && !progress.given_up() && report.error == 0;
      KernelRun& run = runs.emplace_back(
          KernelRun{report.name, report.watched > 0, is_whole && report.decided(), progress.occurred()});
      for (const Finding& finding : report.findings) {
        report.accepted += finding.accepted ? finding.failing_cases : 0;
        run.occurred.emplace(finding.failure.kind, finding.failure.rule);
      }
    }
    report_.ledger.stale = stale_entries(options_.accepted, runs, options_.evaluation.place);
  }

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  const CheckOptions& options_;
  CheckListener& listener_;
  const std::function<bool()>& stop_;
  FindingFiles files_;
  Crew crew_;
  std::vector<KernelProgress> progress_;
  std::vector<std::map<Cause, Original>> saved_;  ///< by kernel
  std::vector<Seat> seats_;                       ///< by examiner
  CheckReport report_;
  std::size_t turn_ = 0;  ///< the kernel that an examiner took last
  std::uint64_t done_ = 0, failing_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

base::Result<CheckReport> check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options,
                                CheckListener& listener, const std::function<bool()>& stop) {
  return Check(kernels, options, listener, stop).run();
}

}  // namespace negzero::campaign
