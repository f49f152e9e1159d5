// The loop behind `check`: cases of many kernels through isolated workers, failures deduplicated, shrunk and saved.

#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::campaign {

namespace {

using Clock = std::chrono::steady_clock;
using operation::Failure;
using operation::FailureClass;
using operation::Verdict;
using operation::VerdictKind;

constexpr std::uint64_t kBatch = 32;     // Cases of one task: long enough that its request costs nothing.
constexpr std::uint64_t kMaxDeaths = 5;  // Each costs a process, and a hang its whole time limit.
constexpr std::uint64_t kMaxHangs = 5;

/// The first failing case of one class of one kernel.
struct Candidate {
  std::uint64_t index = 0;
  Verdict verdict;
  std::uint64_t count = 0;
};

/// One kernel while it is being checked.
struct Progress {
  const kernel::Kernel* kernel = nullptr;
  generate::Request request;
  std::uint64_t next = 0;
  std::uint64_t deaths = 0, hangs = 0;
  bool given_up = false;
  std::map<FailureClass, Candidate> failures;
  KernelReport report;
};

std::size_t strategy_index(std::string_view name) {
  const auto& all = generate::strategies();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  return all.size();
}

class Check {
 public:
  Check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options, CheckListener& listener,
        const std::function<bool()>& stop)
      : options_(options), listener_(listener), stop_(stop) {
    for (const kernel::Kernel* kernel : kernels) {
      Progress progress;
      progress.kernel = kernel;
      progress.request = {kernel->operation, kernel->limits, kernel->contract, options.weights};
      progress.report.name = kernel->name;
      progress_.push_back(std::move(progress));
    }
  }

  base::Result<CheckReport> run() {
    if (const auto ready = prepare(); !ready) return ready.error();
    const EvaluationOptions& how = options_.evaluation;
    {
      run::Isolation isolation({.jobs = how.jobs, .timeout_ms = how.timeout_ms, .in_process = how.in_process},
                               [this](std::string_view, std::uint64_t item) { return work(item); });
      const auto done =
          isolation.run([this] { return next(); }, [this](const run::Event& e) { return take(e); }, stop_);
      if (!done) return done.error();
    }
    Evaluator evaluator(how);
    for (Progress& progress : progress_) {
      for (const auto& [kind, candidate] : progress.failures) {
        if (const auto found = report_finding(progress, candidate, evaluator); !found) return found.error();
      }
    }
    CheckReport report;
    report.seed = options_.seed;
    report.interrupted = stop_();
    report.elapsed_ms = elapsed_ms();
    for (Progress& progress : progress_) report.kernels.push_back(std::move(progress.report));
    return report;
  }

 private:
  base::Status prepare() {
    for (const Progress& progress : progress_) {
      if (const auto valid = generate::validate(progress.request); !valid) return valid.error();
    }
    return base::Ok{};
  }

  [[nodiscard]] std::uint64_t elapsed_ms() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count());
  }

  /// Kernels take turns, so that a time limit treats them alike. An item is numbered kernel * 2^40 + index.
  std::optional<run::Task> next() {
    if (options_.time_ms != 0 && elapsed_ms() >= options_.time_ms) return std::nullopt;
    for (std::size_t tries = 0; tries < progress_.size(); ++tries) {
      turn_ = (turn_ + 1) % progress_.size();
      Progress& progress = progress_[turn_];
      if (progress.given_up || progress.next >= options_.cases) continue;
      const std::uint64_t begin = progress.next;
      progress.next = std::min(options_.cases, begin + kBatch);
      const std::uint64_t base = static_cast<std::uint64_t>(turn_) << kIndexBits;
      return run::Task{{}, base + begin, base + progress.next, turn_};
    }
    return std::nullopt;
  }

  /// In a worker: makes a case, runs and judges it. The answer: the strategy's number, then the verdict.
  std::string work(std::uint64_t item) {
    const Progress& progress = progress_[item >> kIndexBits];
    std::string answer(1, static_cast<char>(generate::strategies().size()));
    try {
      const operation::Case value =
          generate::make_case(progress.request, options_.seed, item & ((std::uint64_t{1} << kIndexBits) - 1));
      answer[0] = static_cast<char>(strategy_index(value.strategy));
      answer += property::pack(
          property::conformance(value, *progress.kernel, executor_, {.exact = options_.evaluation.exact}));
    } catch (const std::exception& exception) {
      answer += property::pack(Verdict{.kind = VerdictKind::Error, .failure = {}, .reason = exception.what()});
    }
    return answer;
  }

  bool take(const run::Event& event) {
    Progress& progress = progress_[event.tag];
    const std::uint64_t index = event.index & ((std::uint64_t{1} << kIndexBits) - 1);
    Verdict verdict{.kind = VerdictKind::Fail, .failure = {}, .reason = {}};
    std::size_t strategy;
    if (event.death) {
      verdict.failure = run::failure_of_death(*event.death);
      strategy = strategy_index(generate::draw(progress.request, options_.seed, index).strategy);
      ++progress.deaths;
    } else {
      strategy = static_cast<unsigned char>(event.reply[0]);
      verdict = property::unpack(std::string_view(event.reply).substr(1));
    }
    count(progress, index, strategy, std::move(verdict));
    ++done_;
    listener_.on_progress(done_, options_.cases * progress_.size(), failing_);
    return !progress.given_up;
  }

  void count(Progress& progress, std::uint64_t index, std::size_t strategy, Verdict verdict) {
    KernelReport& report = progress.report;
    ++report.cases;
    if (strategy < generate::strategies().size()) {
      ++report.strategies[std::string(generate::strategies()[strategy].name)];
    }
    switch (verdict.kind) {
      case VerdictKind::Pass:
        ++report.pass;
        report.worst_margin = std::max(report.worst_margin, verdict.margin);
        return;
      case VerdictKind::Vacuous:
        ++report.vacuous;
        return;
      case VerdictKind::Refused:
        ++report.refused;
        return;
      case VerdictKind::Error:
        ++report.error;
        if (report.note.empty()) report.note = fmt::format("case {}: {}", index, verdict.reason);
        return;
      case VerdictKind::Fail:
        break;
    }
    ++report.fail;
    ++failing_;
    const FailureClass kind = verdict.failure->kind;
    if (kind == FailureClass::Hang) ++progress.hangs;
    if (!progress.given_up && (progress.deaths >= kMaxDeaths || progress.hangs >= kMaxHangs)) {
      progress.given_up = true;
      report.note = fmt::format("given up after {} cases: {} crashes and {} hangs are enough", report.cases,
                                progress.deaths, progress.hangs);
    }
    const auto [at, is_new] = progress.failures.try_emplace(kind, Candidate{index, verdict, 0});
    ++at->second.count;
    if (!is_new && index < at->second.index) {
      at->second.index = index;
      at->second.verdict = std::move(verdict);
    }
  }

  base::Status report_finding(Progress& progress, const Candidate& candidate, Evaluator& evaluator) {
    operation::Case original = generate::make_case(progress.request, options_.seed, candidate.index);
    original.kernel = progress.kernel->name;
    original.contract = contract::to_json(progress.kernel->contract);
    Finding finding;
    finding.kernel = progress.kernel->name;
    finding.failing_cases = candidate.count;
    listener_.on_shrinking(finding.kernel, *candidate.verdict.failure);
    finding.original_path = path_for(finding.kernel, *candidate.verdict.failure, original, "original");
    // Before anything else is tried, the failure is on disk.
    if (const auto saved = save(finding.original_path, original); !saved) return saved.error();
    auto shrunk = evaluator.shrink(original, candidate.verdict, *progress.kernel, stop_);
    if (!shrunk) return shrunk.error();
    finding.failure = *shrunk->verdict.failure;
    finding.shrunk = std::move(shrunk->value);
    finding.hit_rate = shrunk->hit_rate;
    finding.evaluations = shrunk->evaluations;
    finding.case_path = path_for(finding.kernel, finding.failure, finding.shrunk, "case");
    if (const auto saved = save(finding.case_path, finding.shrunk); !saved) return saved.error();
    listener_.on_finding(finding);
    progress.report.findings.push_back(std::move(finding));
    return base::Ok{};
  }

  /// DIR/<kernel>.<class>.<hash of the content>.<what>.safetensors: the same finding is the same file in every run.
  [[nodiscard]] std::string path_for(const std::string& kernel, const Failure& failure, const operation::Case& value,
                                     std::string_view what) const {
    std::uint64_t hash = 0;
    for (const std::byte b : operation::write_case(value)) hash = base::mix64(hash ^ static_cast<std::uint64_t>(b));
    return fmt::format("{}/{}.{}.{:08x}.{}.safetensors", options_.save_dir, kernel, operation::name(failure.kind),
                       hash >> 32, what);
  }

  base::Status save(const std::string& path, const operation::Case& value) const {
    std::error_code code;
    std::filesystem::create_directories(options_.save_dir, code);
    if (code) {
      return base::infrastructure_error(
          fmt::format("--save {}: cannot make the directory ({}); name one that can be written", options_.save_dir,
                      code.message()));
    }
    return operation::save_case(path, value);
  }

  static constexpr int kIndexBits = 40;

  const CheckOptions& options_;
  CheckListener& listener_;
  const std::function<bool()>& stop_;
  std::vector<Progress> progress_;
  run::HostExecutor executor_;  // Used in the workers: each has its own copy from the fork.
  std::size_t turn_ = 0;
  std::uint64_t done_ = 0, failing_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

base::Result<CheckReport> check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options,
                                CheckListener& listener, const std::function<bool()>& stop) {
  return Check(kernels, options, listener, stop).run();
}

}  // namespace negzero::campaign
