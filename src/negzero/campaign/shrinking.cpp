// Shrinks a failing case in three steps: does it come again, what is the smallest like it, how often does that one
// fail.

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/base/duration.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/property/statefulness.hpp>
#include <negzero/protocol/fault.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::campaign {

namespace {

using operation::Case;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;
using Clock = std::chrono::steady_clock;

/// Runs that a rate is counted from, each in a process of its own: on a GPU the driver makes their contexts one at a
/// time, a fifth of a second each. A hang costs its whole time limit.
constexpr kernel::AtPlace<std::size_t> kRuns{.host = 8, .device = 4};
constexpr std::size_t kHangRuns = 2;
/// The part of the time that is kept for counting.
constexpr std::uint64_t kCountingPart = 5;

/// The time limit of one try while a hang is shrunk.
std::uint64_t brisk_ms(const EvaluationOptions& options) {
  constexpr std::uint64_t kShortest = 100, kLongest = 1000;
  return std::min(options.timeout_ms, std::clamp(options.timeout_ms / 10, kShortest, kLongest));
}

class Shrinking {
 public:
  Shrinking(Evaluator& evaluator, Case value, Verdict verdict, const kernel::Kernel& kernel, const Stop& stop,
            const Aims& aims)
      : evaluator_(evaluator),
        kernel_(kernel),
        stop_(stop),
        aims_(aims),
        original_(value),
        first_(verdict),
        result_{.value = std::move(value), .verdict = std::move(verdict)},
        how_(asking_for(*first_.failure)),
        is_hang_(first_.failure->kind == FailureClass::Hang),
        is_deadly_(is_hang_ || first_.failure->kind == FailureClass::Crash) {}

  base::Result<ShrunkCase> run() {
    if (aims_.is_likely_spared && original_.history.empty() && !is_deadly_) {
      minimise_and_count();
      const bool fails_alone = !result_.hit_rate || *result_.hit_rate > 0;
      if (fails_alone || problem_ || is_stopped()) return finished();
      start_over();
    }
    if (!is_hang_ && original_.history.empty() && !comes_again() && !find_history()) return finished();
    minimise_and_count();
    // One process runs many candidates, and what a kernel keeps from one may be what fails the next: smaller in vain.
    const bool fails_alone = !result_.hit_rate || *result_.hit_rate > 0 || of_original_.hits == 0;
    if (!fails_alone && result_.value.history.empty() && !is_stopped()) {
      start_over();
      how_.fresh = true;
      minimise_and_count();
    }
    return finished();
  }

 private:
  [[nodiscard]] bool is_stopped() const { return stop_ && stop_(); }
  [[nodiscard]] bool is_late(std::uint64_t ms) const { return Clock::now() - start_ >= std::chrono::milliseconds(ms); }
  [[nodiscard]] std::uint64_t all_ms() const { return evaluator_.options().shrink_time_ms; }
  /// A hang that is not confirmed was shrunk for nothing: its runs get more of the time.
  [[nodiscard]] std::uint64_t counting_ms() const {
    const std::uint64_t confirming = is_hang_ ? kHangRuns * evaluator_.options().timeout_ms : 0;
    return std::max(all_ms() / kCountingPart, std::min(all_ms() / 2, confirming));
  }
  [[nodiscard]] std::uint64_t shrink_ms() const { return all_ms() - counting_ms(); }
  [[nodiscard]] std::size_t runs() const { return is_hang_ ? kHangRuns : kRuns[kernel_.place]; }
  void start_over() {
    result_.value = original_;
    result_.verdict = first_;
    result_.hit_rate.reset();
  }
  base::Result<ShrunkCase> finished() {
    if (problem_) return *problem_;
    return std::move(result_);
  }

  std::vector<Verdict> evaluate(std::span<const Case> cases, const Asking& how, std::uint64_t until_ms) {
    const auto is_over = [&] { return is_stopped() || is_late(until_ms); };
    auto verdicts = evaluator_.evaluate(cases, kernel_, is_over, how);
    if (verdicts) return *std::move(verdicts);
    problem_ = verdicts.error();
    return std::vector<Verdict>(cases.size(), verdict::error_verdict(problem_->message));
  }
  [[nodiscard]] bool is_kept(const Verdict& seen) const {
    return !aims_.keeps || seen.kind != VerdictKind::Fail || aims_.keeps(*seen.failure);
  }
  [[nodiscard]] bool is_same(const Verdict& seen, const Verdict& wanted) const {
    return seen.kind == VerdictKind::Fail && seen.failure->same_way(*wanted.failure) && is_kept(seen);
  }

  /// Runs of one case, each in a fresh process.
  struct Tally {
    std::size_t tried = 0, ran = 0, hits = 0;
  };
  /// Adds that many runs of a case to its tally.
  void run_fresh(const Case& value, std::size_t times, std::uint64_t until_ms, Tally& tally) {
    Asking fresh = how_;
    fresh.fresh = true;
    tally.tried += times;
    for (const Verdict& verdict : evaluate(std::vector<Case>(times, value), fresh, until_ms)) {
      tally.ran += verdict.kind == VerdictKind::Error ? 0 : 1;
      if (!is_same(verdict, result_.verdict)) continue;
      ++tally.hits;
      // What a hang says names the time limit, which is that of these runs.
      if (is_hang_) result_.verdict = verdict;
    }
  }

  /// Whether the failure comes again in fresh processes: shrinking what does not would find nothing for a long time.
  bool comes_again() {
    const auto jobs = static_cast<std::size_t>(std::max(1, evaluator_.options().jobs));
    while (of_original_.tried < runs()) {
      // Mostly the first one fails, and a process for each of several costs, on a GPU, a fifth of a second.
      const std::size_t together = of_original_.tried == 0 ? 1 : std::min(jobs, runs() - of_original_.tried);
      run_fresh(original_, together, shrink_ms(), of_original_);
      if (of_original_.hits > 0 || problem_ || is_stopped() || is_late(shrink_ms())) return true;
    }
    result_.evaluations = static_cast<std::int64_t>(runs());
    result_.hit_rate = 0;
    result_.cut = fmt::format("not shrunk: it did not happen again in {} runs", runs());
    return false;
  }

  /// Whether it comes again behind other launches: then that is what is wrong.
  bool find_history() {
    std::vector<Case> behind;
    for (const operation::History& history : property::usual_histories()) {
      behind.push_back(original_);
      behind.back().history = history;
    }
    const auto tried = evaluate(behind, kBehindLaunches, shrink_ms());
    for (std::size_t i = 0; i < tried.size(); ++i) {
      if (tried[i].kind != VerdictKind::Fail || tried[i].failure->kind != FailureClass::Stateful) continue;
      result_ = {.value = behind[i], .verdict = tried[i], .evaluations = result_.evaluations};
      how_ = kBehindLaunches;
      is_deadly_ = false;
      return true;
    }
    return false;
  }

  void minimise_and_count() {
    minimise();
    if (problem_) return;
    result_.interrupted = is_stopped();
    if (result_.interrupted) {
      result_.cut = "shrinking was interrupted";
      return;
    }
    if (is_late(shrink_ms())) {
      result_.cut = "shrinking stopped after " + base::duration_text(evaluator_.options().shrink_time_ms);
    }
    is_spared_ = aims_.spares && aims_.spares(result_.value, *result_.verdict.failure);
    if (!is_spared_) count_hits();
  }

  void minimise() {
    Asking how = how_;
    if (is_hang_) how.timeout_ms = brisk_ms(evaluator_.options());
    shrink::Options options;
    options.limits = kernel_.limits;
    options.wants = aims_.wants;
    options.stop = [this] { return problem_ || is_stopped() || is_late(shrink_ms()); };
    // A hang costs its time limit and a crash its worker, so that no more are tried at once than there are examiners.
    if (is_deadly_) options.most_together = static_cast<std::size_t>(std::max(1, evaluator_.options().jobs));
    const auto batch = [&](std::span<const Case> cases) {
      std::vector<Verdict> verdicts = evaluate(cases, how, shrink_ms());
      for (Verdict& verdict : verdicts) {
        if (!is_kept(verdict)) verdict = {.kind = VerdictKind::Vacuous, .reason = "it fails by another rule"};
      }
      return verdicts;
    };
    shrink::Minimised minimised =
        shrink::minimise(std::move(result_.value), std::move(result_.verdict), batch, options);
    result_.value = std::move(minimised.value);
    result_.verdict = std::move(minimised.verdict);
    result_.evaluations += minimised.evaluations;
  }

  void count_hits() {
    // What is as it was has been run some times already.
    Tally tally = result_.value == original_ ? of_original_ : Tally{};
    run_fresh(result_.value, runs() - tally.tried, all_ms(), tally);
    if (is_hang_ && tally.hits == 0) {
      // Nothing has hung for as long as the options allow, be it for want of time to try.
      start_over();
      return;
    }
    if (tally.ran > 0) result_.hit_rate = static_cast<double>(tally.hits) / static_cast<double>(tally.ran);
  }

  Evaluator& evaluator_;
  const kernel::Kernel& kernel_;
  const Stop& stop_;
  const Aims& aims_;
  const Clock::time_point start_ = Clock::now();
  Case original_;
  Verdict first_;
  ShrunkCase result_;
  Asking how_;
  bool is_hang_, is_deadly_;
  bool is_spared_ = false;
  Tally of_original_;
  std::optional<base::Error> problem_;
};

}  // namespace

std::string shrinking_takes(const EvaluationOptions& options, FailureClass kind) {
  const std::string longest = "at most " + base::duration_text(options.shrink_time_ms);
  if (kind != FailureClass::Hang) return longest;
  return fmt::format("{}, {} a try, then runs of {} that confirm it", longest, base::duration_text(brisk_ms(options)),
                     base::duration_text(options.timeout_ms));
}

base::Result<ShrunkCase> shrink(Evaluator& evaluator, Case value, Verdict verdict, const kernel::Kernel& kernel,
                                const Stop& stop, const Aims& aims) {
  if (evaluator.options().shrink_time_ms > 0) {
    return Shrinking(evaluator, std::move(value), std::move(verdict), kernel, stop, aims).run();
  }
  return ShrunkCase{.value = std::move(value), .verdict = std::move(verdict), .cut = "not shrunk (--shrink-time 0s)"};
}

}  // namespace negzero::campaign
