// Verdicts of given cases on given kernels, in isolated workers, and the shrinking that is made of them.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/duration.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::campaign {

namespace {

using operation::Verdict;
using operation::VerdictKind;
using Clock = std::chrono::steady_clock;
using Stop = std::function<bool()>;

/// A request is the kernel's name, one letter for Watch and the files of the cases, each behind its length.
void append(std::string& request, const void* data, std::size_t bytes) {
  const std::uint64_t length = bytes;
  request.append(reinterpret_cast<const char*>(&length), sizeof length);
  request.append(static_cast<const char*>(data), bytes);
}

std::string_view part(std::string_view request, std::uint64_t number) {
  for (std::size_t at = 0;; --number) {
    std::uint64_t length = 0;
    std::memcpy(&length, request.data() + at, sizeof length);
    if (number == 0) return request.substr(at + sizeof length, length);
    at += sizeof length + length;
  }
}

Verdict error(std::string reason) {
  return Verdict{.kind = VerdictKind::Error, .failure = {}, .reason = std::move(reason)};
}

/// The time limit of one try while a hang is shrunk.
std::uint64_t brisk_ms(const EvaluationOptions& options) {
  constexpr std::uint64_t kShortest = 100, kLongest = 1000;
  return std::min(options.timeout_ms, std::clamp(options.timeout_ms / 10, kShortest, kLongest));
}

run::IsolationOptions isolation_options(const EvaluationOptions& options, std::uint64_t timeout_ms) {
  return {.jobs = std::max(1, options.jobs), .timeout_ms = timeout_ms, .in_process = options.in_process};
}

}  // namespace

struct Evaluator::State {
  State(const EvaluationOptions& how, Judge by)
      : options(how), judge(std::move(by)), patient(isolation(how.timeout_ms)) {}

  /// Workers with a time limit; they are forked when they first get something to do.
  [[nodiscard]] std::unique_ptr<run::Isolation> isolation(std::uint64_t timeout_ms) {
    return std::make_unique<run::Isolation>(
        isolation_options(options, timeout_ms),
        [this](std::string_view request, std::uint64_t index) { return work(request, index); });
  }

  /// In a worker: item i of a request is its case i.
  std::string work(std::string_view request, std::uint64_t index) {
    const std::string_view name = part(request, 0);
    const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Executor::Host);
    if (kernel == nullptr) return property::pack(error(fmt::format("kernel {} is not in the registry", name)));
    const auto watch = static_cast<Watch>(part(request, 1).front() - '0');
    const kernel::Kernel* watched = kernel::registry().find(name, kernel::Executor::Watched);
    if (watch == Watch::Never) watched = nullptr;
    const std::string_view file = part(request, index + 2);
    const auto value = operation::parse_case(std::as_bytes(std::span(file.data(), file.size())));
    if (!value) return property::pack(error(value.error().message));
    if (watched != nullptr && watch == Watch::Always) return property::pack(judge(*value, *watched, executor));
    Verdict verdict = judge(*value, *kernel, executor);
    if (watched != nullptr && (verdict.kind == VerdictKind::Pass || verdict.kind == VerdictKind::Vacuous)) {
      Verdict again = judge(*value, *watched, executor);
      if (again.kind == VerdictKind::Fail) verdict = std::move(again);
    }
    return property::pack(verdict);
  }

  base::Result<std::vector<Verdict>> evaluate(run::Isolation& workers, std::span<const operation::Case> cases,
                                              const kernel::Kernel& kernel, const Stop& stop, Watch watch) const;

  EvaluationOptions options;
  Judge judge;
  run::HostExecutor executor;
  std::unique_ptr<run::Isolation> patient;  ///< the time limit of the options
  std::unique_ptr<run::Isolation> brisk;    ///< a tenth of it; made for the first hang
};

base::Result<std::vector<Verdict>> Evaluator::State::evaluate(run::Isolation& workers,
                                                              std::span<const operation::Case> cases,
                                                              const kernel::Kernel& kernel, const Stop& stop,
                                                              Watch watch) const {
  const auto jobs = static_cast<std::size_t>(std::max(1, options.jobs));
  const std::size_t share = (cases.size() + jobs - 1) / jobs;
  std::size_t next = 0;
  const auto next_task = [&]() -> std::optional<run::Task> {
    if (next >= cases.size()) return std::nullopt;
    run::Task task;
    append(task.request, kernel.name.data(), kernel.name.size());
    const char letter = static_cast<char>('0' + static_cast<int>(watch));
    append(task.request, &letter, 1);
    task.tag = next;
    for (; task.end < share && next < cases.size(); ++task.end, ++next) {
      const std::vector<std::byte> file = operation::write_case(cases[next]);
      append(task.request, file.data(), file.size());
    }
    return task;
  };
  std::vector<Verdict> verdicts(cases.size(), error("not evaluated: stopped"));
  const auto on_event = [&](const run::Event& event) {
    verdicts[event.tag + event.index] =
        event.death ? run::verdict_of_death(*event.death) : property::unpack(event.reply);
    return true;
  };
  const auto never = [] { return false; };
  if (const auto done = workers.run(next_task, on_event, stop ? stop : never); !done) return done.error();
  return verdicts;
}

Evaluator::Evaluator(const EvaluationOptions& options, Judge judge)
    : state_(std::make_unique<State>(options, std::move(judge))) {}
Evaluator::Evaluator(const EvaluationOptions& options)
    : Evaluator(options, [oracle = oracle::Options{.exact = options.exact}](
                             const operation::Case& value, const kernel::Kernel& kernel, run::HostExecutor& executor) {
        return property::conformance(value, kernel, executor, oracle);
      }) {}
Evaluator::~Evaluator() = default;

base::Result<std::vector<Verdict>> Evaluator::evaluate(std::span<const operation::Case> cases,
                                                       const kernel::Kernel& kernel, const Stop& stop,
                                                       std::optional<Watch> watch) {
  return state_->evaluate(*state_->patient, cases, kernel, stop, watch.value_or(state_->options.watch));
}

std::string shrinking_takes(const EvaluationOptions& options, operation::FailureClass kind) {
  const std::string longest = "at most " + base::duration_text(options.shrink_time_ms);
  if (kind != operation::FailureClass::Hang) return longest;
  return fmt::format("{}, {} a try, then runs of {} that confirm it", longest, base::duration_text(brisk_ms(options)),
                     base::duration_text(options.timeout_ms));
}

base::Result<ShrunkCase> Evaluator::shrink(operation::Case value, Verdict verdict, const kernel::Kernel& kernel,
                                           const Stop& stop) {
  const Watch watch = run::is_watch_rule(verdict.failure->rule) ? Watch::Always : Watch::Never;
  const bool hang = verdict.failure->kind == operation::FailureClass::Hang;
  if (hang && state_->brisk == nullptr) {
    state_->brisk = state_->isolation(brisk_ms(state_->options));
  }
  run::Isolation& workers = hang ? *state_->brisk : *state_->patient;

  std::optional<base::Error> problem;
  const auto is_stopped = [&] { return stop && stop(); };
  const auto deadline = Clock::now() + std::chrono::milliseconds(state_->options.shrink_time_ms);
  const auto is_over = [&] { return problem.has_value() || is_stopped() || Clock::now() >= deadline; };
  const auto batch = [&](std::span<const operation::Case> cases) {
    auto verdicts = state_->evaluate(workers, cases, kernel, is_over, watch);
    if (verdicts) return std::move(*verdicts);
    problem = verdicts.error();
    return std::vector<Verdict>(cases.size(), error(problem->message));
  };
  shrink::Options options;
  options.limits = kernel.limits;
  options.stop = is_over;
  const operation::Case original = value;
  const Verdict first = verdict;
  shrink::Minimised minimised = shrink::minimise(std::move(value), std::move(verdict), batch, options);
  if (problem) return *problem;

  ShrunkCase result{std::move(minimised.value), std::move(minimised.verdict), minimised.evaluations, 1, is_stopped()};
  if (result.interrupted) return result;
  // Runs that the hit rate is counted from. A hang costs its whole time limit.
  const std::size_t repeats = hang ? 2 : 8;
  const auto again =
      state_->evaluate(*state_->patient, std::vector<operation::Case>(repeats, result.value), kernel, stop, watch);
  if (!again) return again.error();
  if (is_stopped()) return result;  // The smallest case was reached; only the counting was cut short.
  const auto hits = std::count_if(again->begin(), again->end(), [&](const Verdict& seen) {
    return seen.kind == VerdictKind::Fail && seen.failure->same_class(*result.verdict.failure);
  });
  if (hang && hits == 0) return ShrunkCase{original, first, result.evaluations, 1, false};
  // What a hang says names the time limit, which is that of these runs.
  for (std::size_t i = 0; hang && i < repeats; ++i) {
    const Verdict& seen = (*again)[i];
    if (seen.kind == VerdictKind::Fail && seen.failure->same_class(*result.verdict.failure)) result.verdict = seen;
  }
  result.hit_rate = static_cast<double>(hits) / static_cast<double>(repeats);
  return result;
}

}  // namespace negzero::campaign
