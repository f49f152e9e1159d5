// Verdicts of given cases on given kernels, in isolated workers.

#include <cstring>
#include <optional>

#include <negzero/campaign/evaluate.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::campaign {

namespace {

using operation::Verdict;
using operation::VerdictKind;

/// A request is the kernel's name and the files of the cases, each behind its length.
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

}  // namespace

struct Evaluator::State {
  State(const EvaluationOptions& options, Judge how)
      : jobs(std::max(1, options.jobs)),
        judge(std::move(how)),
        isolation({.jobs = jobs, .timeout_ms = options.timeout_ms, .in_process = options.in_process},
                  [this](std::string_view request, std::uint64_t index) { return work(request, index); }) {}

  /// In a worker: item i of a request is its case i.
  std::string work(std::string_view request, std::uint64_t index) {
    const kernel::Kernel* kernel = kernel::registry().find(part(request, 0), kernel::Executor::Host);
    const std::string_view file = part(request, index + 1);
    const auto value = operation::parse_case(std::as_bytes(std::span(file.data(), file.size())));
    if (!value) return property::pack(error(value.error().message));
    return property::pack(judge(*value, *kernel, executor));
  }

  int jobs;
  Judge judge;
  run::HostExecutor executor;
  run::Isolation isolation;
};

Evaluator::Evaluator(const EvaluationOptions& options, Judge judge)
    : state_(std::make_unique<State>(options, std::move(judge))) {}
Evaluator::Evaluator(const EvaluationOptions& options)
    : Evaluator(options, [oracle = oracle::Options{.exact = options.exact}](
                             const operation::Case& value, const kernel::Kernel& kernel, run::HostExecutor& executor) {
        return property::conformance(value, kernel, executor, oracle);
      }) {}
Evaluator::~Evaluator() = default;

base::Result<std::vector<Verdict>> Evaluator::evaluate(std::span<const operation::Case> cases,
                                                       const kernel::Kernel& kernel,
                                                       const std::function<bool()>& stop) {
  const std::size_t share =
      (cases.size() + static_cast<std::size_t>(state_->jobs) - 1) / static_cast<std::size_t>(state_->jobs);
  std::size_t next = 0;
  const auto next_task = [&]() -> std::optional<run::Task> {
    if (next >= cases.size()) return std::nullopt;
    run::Task task;
    append(task.request, kernel.name.data(), kernel.name.size());
    task.tag = next;
    for (; task.end < share && next < cases.size(); ++task.end, ++next) {
      const std::vector<std::byte> file = operation::write_case(cases[next]);
      append(task.request, file.data(), file.size());
    }
    return task;
  };
  std::vector<Verdict> verdicts(cases.size(), error("not evaluated: stopped"));
  const auto on_event = [&](const run::Event& event) {
    Verdict& verdict = verdicts[event.tag + event.index];
    verdict = event.death
                  ? Verdict{.kind = VerdictKind::Fail, .failure = run::failure_of_death(*event.death), .reason = {}}
                  : property::unpack(event.reply);
    return true;
  };
  const auto never = [] { return false; };
  if (const auto done = state_->isolation.run(next_task, on_event, stop ? stop : never); !done) return done.error();
  return verdicts;
}

base::Result<ShrunkCase> Evaluator::shrink(operation::Case value, Verdict verdict, const kernel::Kernel& kernel,
                                           const std::function<bool()>& stop) {
  constexpr int kRepeats = 8;  // Runs of the shrunk case that the hit rate is counted from.
  std::optional<base::Error> problem;
  const auto batch = [&](std::span<const operation::Case> cases) {
    auto verdicts = evaluate(cases, kernel, stop);
    if (verdicts) return std::move(*verdicts);
    problem = verdicts.error();
    return std::vector<Verdict>(cases.size(), error(problem->message));
  };
  shrink::Options options;
  options.limits = kernel.limits;
  options.stop = [&] { return problem.has_value() || (stop && stop()); };
  shrink::Minimised minimised = shrink::minimise(std::move(value), std::move(verdict), batch, options);
  if (problem) return *problem;

  ShrunkCase result{std::move(minimised.value), std::move(minimised.verdict), minimised.evaluations, 1};
  if (stop && stop()) return result;
  const std::vector<operation::Case> repeats(kRepeats, result.value);
  const std::vector<Verdict> again = batch(repeats);
  if (problem) return *problem;
  int hits = 0;
  for (const Verdict& seen : again) {
    hits += seen.kind == VerdictKind::Fail && seen.failure->same_class(*result.verdict.failure) ? 1 : 0;
  }
  result.hit_rate = static_cast<double>(hits) / kRepeats;
  return result;
}

}  // namespace negzero::campaign
