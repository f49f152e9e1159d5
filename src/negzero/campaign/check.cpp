// The campaign behind `check`: cases of many kernels, failures told apart, shrunk and saved.

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/flights.hpp>
#include <negzero/campaign/kernel_progress.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/loop.hpp>
#include <negzero/campaign/settlers.hpp>
#include <negzero/property/steps.hpp>

namespace negzero::campaign {

namespace {

using verdict::Verdict;

/// Tasks of one kernel that an examiner takes in a row where time is limited.
constexpr std::uint64_t kTasksInARow = 16;

/// A failing case of the smallest number so far, on disk.
struct Original {
  std::uint64_t index = 0;
  std::string path;
  bool told = false;
};

/// Removes a file unless its failure was told. Where it stays, it is a failing case more.
void forget(const Original& original) {
  std::error_code ignored;
  if (!original.told && !original.path.empty()) std::filesystem::remove(original.path, ignored);
}

/// A kernel, from its first case to its last finding.
struct Checked {
  KernelProgress progress;
  std::map<Cause, Original> saved{};
  std::optional<std::deque<std::pair<Cause, const Candidate*>>> failures{};  ///< to be settled, once all are known
  std::optional<std::pair<Cause, const Candidate*>> settling{};
  std::map<Cause, std::size_t> told{};  ///< causes, as they were shrunk, and their findings
  [[nodiscard]] bool is_settled() const { return failures && failures->empty() && !settling; }
};

class Check final : public Source, public Sink {
 public:
  Check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options, CheckListener& listener,
        const Stop& stop)
      : options_(options),
        listener_(listener),
        stop_(stop, {.time_ms = options.time_ms, .first_finding = options.first_finding}),
        files_(options.save_dir),
        loop_(options.evaluation),
        settlers_(options.evaluation, loop_, files_) {
    for (const kernel::Kernel* kernel :
         without_quarantined(kernels, options.accepted, options.evaluation, report_.ledger)) {
      kernels_.push_back(
          {KernelProgress(GeneratedCases(*kernel, options.seed, options.cases, options.mix),
                          Accepting(options.accepted.ledger, *kernel, options.evaluation, options.accepted.texts))});
    }
    seats_.resize(static_cast<std::size_t>(loop_.size()));
  }

  base::Result<CheckReport> run() {
    if (const auto valid = generate::validate(options_.mix.weights); !valid) return valid.error();
    for (Checked& each : kernels_) {
      const auto valid = each.progress.source().validate();
      if (valid) continue;
      note(base::usage_error(fmt::format("kernel {}: {}", each.progress.kernel().name, valid.error().message)));
      each.progress.give_up("no case can be made: " + valid.error().message);
    }
    // The other kernels' cases are worth having all the same.
    const auto given_up = [](const Checked& each) { return each.progress.given_up(); };
    if (std::ranges::all_of(kernels_, given_up) && !kernels_.empty()) return report_.errors.front();
    if (const auto opened = files_.open(); !opened) return opened.error();
    listener_.on_start();
    const auto ran = kernels_.empty() ? base::Status(base::Ok{}) : loop_.run(*this, *this, stop_);
    if (!ran && done_ == 0) return ran.error();
    if (!ran) note(ran.error());
    has_ended_ = true;
    if (stop_.is_interrupted()) settlers_.stop();
    while (settle(std::chrono::milliseconds(50))) {
    }
    return finished();
  }

  // Source: kernels take turns, so that a time limit treats them alike.

  std::optional<Task> next(int examiner) override {
    Seat& seat = seats_[static_cast<std::size_t>(examiner)];
    // Each examiner gets some of a kernel's cases, where there are enough of them.
    const auto examiners = static_cast<std::uint64_t>(loop_.size());
    const std::uint64_t most = std::clamp<std::uint64_t>(options_.cases / examiners, 32, loop_.task_cases());
    const bool stays = done_ > 0 && (options_.time_ms == 0 || seat.tasks < kTasksInARow);
    for (std::size_t tries = 0; tries <= kernels_.size(); ++tries) {
      if (tries > 0 || !stays) {
        seat = {turn_, 0};
        turn_ = (turn_ + 1) % kernels_.size();
      }
      KernelProgress& progress = kernels_[seat.kernel].progress;
      auto range = progress.next(most);
      if (!range) continue;
      ++seat.tasks;
      const std::uint64_t cases = range->end - range->begin;
      return Task{
          .request = {.kernel = progress.kernel().name,
                      .watch = watch_unless(progress.accepting().not_watched().has_value(), options_.evaluation.watch),
                      .repeat = property::Repeat::Some,
                      .timeout_ms = options_.evaluation.timeout_ms,
                      .source = *std::move(range)},
          .tag = *flights_.begin(seat.kernel, cases)};
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_open() const override { return !std::ranges::all_of(kernels_, &Checked::is_settled); }

  // Sink.

  bool take(std::uint64_t tag, const Reply& reply) override {
    Checked& checked = kernels_[flights_.at(tag)];
    KernelProgress& progress = checked.progress;
    const std::uint64_t failing = progress.report().fail;
    if (reply.verdict.failure && !progress.given_up()) keep_original(checked, reply);
    progress.add(reply);
    tell_failures(checked);
    failing_ += progress.report().fail - failing;
    ++done_;
    at_ = &progress.kernel();
    const bool goes_on = !progress.given_up() && !stop_.is_over();
    flights_.answered(tag, goes_on);
    tell_progress();
    return goes_on;
  }

  void pass_time() override {
    if (stop_.is_interrupted()) settlers_.stop();
    (void)settle({});
    tell_progress();
  }

 private:
  /// The kernel that an examiner is at: it stays there, because its worker serves one kernel.
  struct Seat {
    std::size_t kernel = 0;
    std::uint64_t tasks = kTasksInARow;  ///< taken in a row
  };

  void tell_progress() {
    listener_.on_progress({.elapsed_ms = stop_.elapsed_ms(),
                           .done = done_,
                           .total = options_.cases * kernels_.size(),
                           .failing = failing_,
                           .kernel = at_ == nullptr ? std::string_view() : at_->name,
                           .shrinking = settlers_.under_way()});
  }

  /// Puts a failing case on disk, unless one of its cause with a smaller number is there.
  void keep_original(Checked& checked, const Reply& reply) {
    const Cause cause = checked.progress.cause_of(reply);
    const auto [at, is_new] = checked.saved.try_emplace(cause);
    if (!is_new && (at->second.told || at->second.index < reply.index)) return;
    if (!is_new) forget(at->second);
    const operation::Case value = original(checked, {reply.index, reply.history, reply.launch, reply.verdict});
    at->second = {reply.index, files_.save(value, cause, "original"), false};
  }

  [[nodiscard]] operation::Case original(const Checked& checked, const Candidate& candidate) const {
    operation::Case value = checked.progress.source().named(candidate.index);
    if (candidate.launch) value = property::case_of(value, *candidate.launch, checked.progress.kernel());
    value.history = candidate.history;
    value.found = seen(value.kernel, options_.evaluation.place, candidate.verdict);
    return value;
  }

  /// Reports failures that are the first of their class, whatever comes later.
  void tell_failures(Checked& checked) {
    for (const auto& [cause, candidate] : checked.progress.failures()) {
      const auto is_told = [&cause = cause](const auto& saved) {
        return saved.first.kind == cause.kind && saved.first.rule == cause.rule && saved.first.at == cause.at &&
               saved.second.told;
      };
      if (std::ranges::any_of(checked.saved, is_told)) continue;
      Original& original = checked.saved[cause];
      original.told = true;
      listener_.on_failure(checked.progress.kernel().name, *candidate.verdict.failure, original.path);
      if (!options_.first_finding || checked.progress.accepting().accepts(cause)) continue;
      if (!stop_.is_over()) only_ = &checked;
      stop_.found();
    }
  }

  /// Whether no more cases of a kernel come.
  [[nodiscard]] bool is_complete(const Checked& checked) const {
    const KernelProgress& progress = checked.progress;
    if (progress.given_up() || progress.is_counted() || has_ended_ || stop_.ends_cases()) return true;
    return stop_.is_over() && flights_.size() == 0;
  }

  /// Takes what has been settled, after `longest` at the latest, and begins with more. False where nothing is left.
  bool settle(std::chrono::milliseconds longest) {
    while (auto settled = settlers_.take(longest)) take_settled(kernels_[settled->first], std::move(settled->second));
    bool is_left = false;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      Checked& checked = kernels_[i];
      if (!checked.failures && is_complete(checked)) know_failures(checked);
      if (!checked.failures || checked.is_settled()) continue;
      is_left = true;
      if (!checked.settling && settlers_.has_room()) begin_settling(i);
    }
    say_findings();
    return is_left;
  }

  void know_failures(Checked& checked) {
    checked.progress.finish();
    tell_failures(checked);
    for (const auto& [cause, original] : checked.saved) {
      if (!checked.progress.failures().contains(cause)) forget(original);
    }
    const auto failures = checked.progress.by_telling();
    checked.failures.emplace(failures.begin(), failures.end());
    // The files of all others are there, and were told of.
    if (only_ != nullptr && only_ != &checked) checked.failures->clear();
  }

  void begin_settling(std::size_t number) {
    Checked& checked = kernels_[number];
    checked.settling = checked.failures->front();
    checked.failures->pop_front();
    const auto& [met, candidate] = *checked.settling;
    const kernel::Kernel& kernel = checked.progress.kernel();
    listener_.on_shrinking(kernel.name, *candidate->verdict.failure);
    std::set<Cause> causes;
    for (const auto& [cause, finding] : checked.told) causes.insert(cause);
    settlers_.begin(number, {original(checked, *candidate), candidate->verdict, met.specials, checked.saved[met].path},
                    std::move(causes), kernel, checked.progress.accepting());
  }

  /// Makes a finding of a settled failure, unless another one explains it.
  void take_settled(Checked& checked, Settled settled) {
    const auto [met, candidate] = *std::exchange(checked.settling, std::nullopt);
    std::vector<Finding>& findings = checked.progress.report().findings;
    if (settled.problem) note(*settled.problem);
    Finding& finding = settled.finding;
    const auto same = checked.told.find(settled.known.value_or(settled.cause));
    const auto other =
        same != checked.told.end()
            ? findings.begin() + static_cast<std::ptrdiff_t>(same->second)
            : std::ranges::find_if(findings, [&](const Finding& each) {
                return finding.accepted.has_value() == each.accepted.has_value() &&
                       differ_by_poison(finding.shrunk, finding.failure.kind, each.shrunk, each.failure.kind);
              });
    if (other != findings.end()) {
      other->failing_cases += candidate->count;
      std::error_code ignored;
      if (!settled.known && finding.case_path != other->case_path) {
        std::filesystem::remove(finding.case_path, ignored);
      }
      forget(checked.saved[met]);
      return;
    }
    finding.failing_cases = candidate->count;
    finding.also_at = checked.progress.report().places.beside(finding.failure, finding.watched);
    if (only_ != nullptr && !finding.accepted) checked.failures->clear();
    checked.told.emplace(settled.cause, findings.size());
    findings.push_back(std::move(finding));
  }

  /// Says findings in the order of their kernels: those of a kernel once all its failures are settled, because each may
  /// be one more of a finding before.
  void say_findings() {
    while (said_ < kernels_.size() && kernels_[said_].is_settled()) {
      for (const Finding& finding : kernels_[said_++].progress.report().findings) listener_.on_finding(finding);
    }
  }

  CheckReport finished() {
    report_.place = options_.evaluation.place;
    report_.watch = options_.evaluation.watch;
    report_.unsaved = files_.problem().has_value();
    if (report_.unsaved) report_.errors.push_back(*files_.problem());
    report_.seed = options_.seed;
    report_.interrupted = stop_.is_interrupted();
    report_.elapsed_ms = stop_.elapsed_ms();
    count_accepted();
    for (Checked& each : kernels_) report_.kernels.push_back(std::move(each.progress.report()));
    return std::move(report_);
  }

  /// Counts failing cases that are accepted, and finds the entries of the ledger that nothing came of.
  void count_accepted() {
    std::vector<KernelRun> runs;
    for (Checked& each : kernels_) {
      KernelReport& report = each.progress.report();
      const bool is_whole = stop_.reason() != StopCondition::Reason::Interrupted && only_ == nullptr &&
                            report_.errors.empty() && !each.progress.given_up() && report.error == 0;
      KernelRun& run = runs.emplace_back(KernelRun{report.name, report.watched > 0,
                                                   is_whole && (report.decided() || report.not_judged > 0),
                                                   each.progress.occurred()});
      for (const Finding& finding : report.findings) {
        report.accepted += finding.accepted ? finding.failing_cases : 0;
        run.occurred.insert(each.progress.accepting().occurrence(finding.failure, finding.watched));
      }
    }
    report_.ledger.stale = stale_entries(options_.accepted, runs, options_.evaluation.place);
  }

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  const CheckOptions& options_;
  CheckListener& listener_;
  StopCondition stop_;
  FindingFiles files_;
  Loop loop_;
  std::deque<Checked> kernels_;
  Settlers settlers_;
  Flights<std::size_t> flights_;  ///< kernels by number
  std::vector<Seat> seats_;       ///< by examiner
  CheckReport report_;
  std::size_t turn_ = 0;                ///< the kernel that an examiner takes next
  const kernel::Kernel* at_ = nullptr;  ///< of the last reply
  const Checked* only_ = nullptr;       ///< where the first finding ends all: the one whose failure did
  bool has_ended_ = false;              ///< no more cases come of any kernel
  std::uint64_t done_ = 0, failing_ = 0;
  std::size_t said_ = 0;  ///< kernels whose findings the listener knows
};

}  // namespace

base::Result<CheckReport> check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options,
                                CheckListener& listener, const Stop& stop) {
  return Check(kernels, options, listener, stop).run();
}

}  // namespace negzero::campaign
