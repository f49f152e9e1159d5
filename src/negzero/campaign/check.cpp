// The loop behind `check`: cases of many kernels through isolated workers, failures deduplicated, shrunk and saved.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/kernel_progress.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/packed_verdict.hpp>
#include <negzero/run/deaths.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/tensor/writable.hpp>

namespace negzero::campaign {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using operation::Failure;
using operation::Verdict;
using operation::VerdictKind;

constexpr int kIndexBits = 40;  // An item is numbered kernel * 2^40 + index.

std::uint64_t index_of(std::uint64_t item) { return item & ((std::uint64_t{1} << kIndexBits) - 1); }

/// Candidates with the most telling failure first: what the watch saw and how a run ended explain wrong values, and
/// hardly ever the other way round.
std::vector<const Candidate*> by_telling(const std::map<operation::FailureClass, Candidate>& failures) {
  using enum operation::FailureClass;
  constexpr operation::FailureClass kOrder[] = {HostAccess,         DataRace,          OutOfBoundsAccess,
                                                UninitialisedRead,  ForbiddenRead,     Crash,
                                                DivergentBarrier,   ReadBeforeWait,    Hang,
                                                ChangedEnvironment, UnwrittenOutput,   RefusedLegalRequest,
                                                WrongValue,         WrongSpecialValue, WrongZeroSign,
                                                NotDeterministic};
  const auto place = [&](const Candidate* candidate) {
    return std::ranges::find(kOrder, candidate->verdict.failure->kind) - std::begin(kOrder);
  };
  std::vector<const Candidate*> result;
  for (const auto& [kind, candidate] : failures) result.push_back(&candidate);
  std::ranges::stable_sort(result, {}, place);
  return result;
}

class Check {
 public:
  Check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options, CheckListener& listener,
        const std::function<bool()>& stop)
      : options_(options), listener_(listener), stop_(stop) {
    for (const kernel::Kernel* kernel : kernels) progress_.emplace_back(*kernel, options.weights, options.cases);
  }

  base::Result<CheckReport> run() {
    if (const auto valid = generate::validate(options_.weights); !valid) return valid.error();
    for (KernelProgress& progress : progress_) {
      const auto valid = generate::validate(progress.request());
      if (valid) continue;
      note(base::usage_error(fmt::format("kernel {}: {}", progress.kernel().name, valid.error().message)));
      progress.give_up("no case can be made: " + valid.error().message);
    }
    // The other kernels' cases are worth having all the same.
    if (std::ranges::all_of(progress_, &KernelProgress::given_up) && !progress_.empty()) return report_.errors.front();
    if (const auto writable = tensor::check_writable_directory(save_dir()); !writable) {
      return base::infrastructure_error("--save " + writable.error().message);
    }
    listener_.on_start();
    if (const auto done = run_cases(); !done) return done.error();
    Evaluator evaluator(options_.evaluation);
    for (KernelProgress& progress : progress_) {
      for (const Candidate* candidate : by_telling(progress.failures())) {
        report_finding(progress, *candidate, evaluator);
      }
    }
    report_.executor = options_.evaluation.executor;
    note_unsaved();
    report_.seed = options_.seed;
    report_.interrupted = stop_();
    report_.elapsed_ms = elapsed_ms();
    for (KernelProgress& progress : progress_) report_.kernels.push_back(std::move(progress.report()));
    return std::move(report_);
  }

 private:
  base::Status run_cases() {
    Crew::Work how;
    how.one = [this](std::string_view, std::uint64_t item, run::Executor& executor) {
      return std::move(work(item, item + 1, executor).front());
    };
    how.several = [this](std::string_view, std::uint64_t begin, std::uint64_t end, run::Executor& executor) {
      return work(begin, end, executor);
    };
    Crew crew(options_.evaluation, options_.evaluation.timeout_ms, std::move(how));
    const auto done =
        crew.run([this] { return next(); }, [this](const run::Event& event) { return take(event); }, stop_);
    for (KernelProgress& progress : progress_) progress.finish();
    if (done || done_ == 0) return done;
    report_.errors.push_back(done.error());
    return base::Ok{};
  }

  [[nodiscard]] std::uint64_t elapsed_ms() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_).count());
  }
  [[nodiscard]] bool time_is_over() const { return options_.time_ms != 0 && elapsed_ms() >= options_.time_ms; }

  /// Kernels take turns, so that a time limit treats them alike.
  std::optional<run::Task> next() {
    if (time_is_over()) return std::nullopt;
    // Each worker gets some of a kernel's cases, where there are enough of them.
    const auto workers = static_cast<std::uint64_t>(Crew::workers(options_.evaluation));
    const std::uint64_t items =
        std::clamp<std::uint64_t>(options_.cases / workers, 32, Crew::task_items(options_.evaluation));
    for (std::size_t tries = 0; tries < progress_.size(); ++tries) {
      turn_ = (turn_ + 1) % progress_.size();
      const auto batch = progress_[turn_].next(items);
      if (!batch) continue;
      const std::uint64_t base = static_cast<std::uint64_t>(turn_) << kIndexBits;
      return run::Task{{}, base + batch->begin, base + batch->end, turn_};
    }
    return std::nullopt;
  }

  /// In a worker: makes cases of one kernel, runs and judges them. An answer: the strategy's name and a zero, 'w' where
  /// the case was watched, then the verdict.
  std::vector<std::string> work(std::uint64_t begin, std::uint64_t end, run::Executor& executor) {
    const KernelProgress& progress = progress_[begin >> kIndexBits];
    std::vector<operation::Case> cases;
    std::vector<Verdict> verdicts;
    std::vector<bool> watched(end - begin, false);
    try {
      for (std::uint64_t item = begin; item < end; ++item) {
        cases.push_back(generate::make_case(progress.request(), options_.seed, index_of(item)));
      }
      const std::string& exact = options_.evaluation.exact;
      if (options_.evaluation.executor == kernel::Executor::Host) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
          const kernel::Kernel* const build = watched_build(progress.kernel(), cases[i].operation, index_of(begin + i));
          watched[i] = build != nullptr;
          verdicts.push_back(watched[i] ? property::conformance(cases[i], *build, executor, {.exact = exact})
                                        : property::conformance(cases[i], progress.kernel(), executor,
                                                                {exact, property::Repeat::Some}));
        }
      } else {
        verdicts = property::conformance(cases, progress.kernel(), executor, {exact, property::Repeat::Some});
      }
    } catch (const std::exception& exception) {
      cases.resize(end - begin);
      verdicts.assign(end - begin, operation::error_verdict(exception.what()));
    }
    std::vector<std::string> answers;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      answers.push_back(cases[i].strategy + '\0' + (watched[i] ? 'w' : '-') + property::pack(verdicts[i]));
    }
    return answers;
  }

  /// The watched build, where it is to run case `index`: one case in twenty, the same ones for a seed; never a large
  /// case.
  const kernel::Kernel* watched_build(const kernel::Kernel& kernel, const operation::Operation& operation,
                                      std::uint64_t index) const {
    constexpr std::uint64_t kOneIn = 20;
    const Watch watch = options_.evaluation.watch;
    if (watch == Watch::Never || !run::is_small_enough_to_watch(operation)) return nullptr;
    if (watch == Watch::Auto && base::mix64(options_.seed ^ base::mix64(index)) % kOneIn != 0) return nullptr;
    return kernel::registry().find(kernel.name, kernel::Executor::Watched);
  }

  bool take(const run::Event& event) {
    KernelProgress& progress = progress_[event.tag];
    const std::uint64_t index = index_of(event.index), failing = progress.report().fail;
    CaseResult result;
    if (event.death) {
      result = {generate::draw(progress.request(), options_.seed, index).strategy, run::verdict_of_death(*event.death),
                false, true};
    } else {
      const std::size_t end = std::min(event.reply.find('\0'), event.reply.size());
      const std::string_view rest = std::string_view(event.reply).substr(std::min(end + 1, event.reply.size()));
      result = {event.reply.substr(0, end), property::unpack(rest.substr(std::min<std::size_t>(1, rest.size()))),
                rest.starts_with('w'), false};
    }
    if (event.batch_death && result.verdict.kind != VerdictKind::Fail) {
      result.verdict = run::verdict_of_batch_death(*event.batch_death);
    }
    progress.add(index, std::move(result));
    failing_ += progress.report().fail - failing;
    listener_.on_progress(++done_, options_.cases * progress_.size(), failing_);
    return !progress.given_up() && !time_is_over();
  }

  void report_finding(KernelProgress& progress, const Candidate& candidate, Evaluator& evaluator) {
    const kernel::Kernel& kernel = progress.kernel();
    operation::Case original = generate::make_case(progress.request(), options_.seed, candidate.index);
    original.kernel = kernel.name;
    original.contract = contract::to_json(kernel.contract);
    original.found = seen(kernel.name, options_.evaluation.executor, candidate.verdict);
    Finding finding;
    finding.kernel = kernel.name;
    finding.failing_cases = candidate.count;
    listener_.on_shrinking(finding.kernel, *candidate.verdict.failure);
    // Before anything else is tried, the failure is on disk.
    finding.original_path = save(kernel.name, *candidate.verdict.failure, original, "original");
    auto shrunk = evaluator.shrink(original, candidate.verdict, kernel, stop_);
    if (!shrunk) {
      // It stays a finding, although nobody can make it smaller any more.
      note(shrunk.error());
      shrunk = ShrunkCase{std::move(original), candidate.verdict, 0, 1};
    }
    finding.original_rule = candidate.verdict.failure->rule;
    finding.failure = *shrunk->verdict.failure;
    finding.shrunk = std::move(shrunk->value);
    finding.shrunk.found = seen(kernel.name, options_.evaluation.executor, shrunk->verdict);
    finding.hit_rate = shrunk->hit_rate;
    finding.evaluations = shrunk->evaluations;
    finding.interrupted = shrunk->interrupted;
    finding.cut = shrunk->cut;
    const bool is_shrunk = options_.evaluation.shrink_time_ms > 0;
    finding.case_path =
        is_shrunk ? save(kernel.name, finding.failure, finding.shrunk, finding.cut.empty() ? "case" : "partial")
                  : finding.original_path;
    finding.watched = watched_message(evaluator, options_.evaluation, finding.shrunk, kernel, finding.failure, stop_);
    listener_.on_finding(finding);
    progress.report().findings.push_back(std::move(finding));
  }

  /// Writes DIR/<kernel>.<class>.<hash of the content>.<what>.safetensors, so that the same finding is the same file in
  /// every run. Returns the path, or nothing after counting the failure: a full disk must not cost the report.
  std::string save(const std::string& kernel, const Failure& failure, const operation::Case& value,
                   std::string_view what) {
    const std::string directory = save_dir();
    std::error_code code;
    fs::create_directories(directory, code);  // Where this fails, so does the writing below, which says it better.
    std::uint64_t hash = 0;
    for (const std::byte b : operation::write_case(value)) hash = base::mix64(hash ^ static_cast<std::uint64_t>(b));
    std::string path = fmt::format("{}/{}.{}.{:08x}.{}.safetensors", directory, kernel, operation::name(failure.kind),
                                   hash >> 32, what);
    const auto saved = operation::save_case(path, value);
    if (saved) return path;
    if (unsaved_++ == 0) first_unsaved_ = saved.error().message;
    return "";
  }

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  /// One error for all files: what keeps one from being written mostly keeps the others too.
  void note_unsaved() {
    report_.unsaved = unsaved_ > 0;
    if (unsaved_ == 0) return;
    std::string others;
    if (unsaved_ > 1) others = fmt::format("; {} more of this run could not be written either", unsaved_ - 1);
    report_.errors.push_back(base::infrastructure_error(first_unsaved_ + others));
  }

  [[nodiscard]] std::string save_dir() const { return options_.save_dir.empty() ? "." : options_.save_dir; }

  const CheckOptions& options_;
  CheckListener& listener_;
  const std::function<bool()>& stop_;
  std::vector<KernelProgress> progress_;
  CheckReport report_;
  std::size_t turn_ = 0;
  std::uint64_t done_ = 0, failing_ = 0;
  std::uint64_t unsaved_ = 0;
  std::string first_unsaved_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

base::Result<CheckReport> check(const std::vector<const kernel::Kernel*>& kernels, const CheckOptions& options,
                                CheckListener& listener, const std::function<bool()>& stop) {
  return Check(kernels, options, listener, stop).run();
}

}  // namespace negzero::campaign
