// Verdicts of given cases on given kernels, in isolated workers, and the shrinking that is made of them.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/duration.hpp>
#include <negzero/campaign/crew.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/packed_verdict.hpp>
#include <negzero/run/deaths.hpp>
#include <negzero/run/watched.hpp>
#include <negzero/shrink/shrink.hpp>

namespace negzero::campaign {

namespace {

using operation::Verdict;
using operation::VerdictKind;
using property::Repeat;
using Clock = std::chrono::steady_clock;
using Stop = std::function<bool()>;

/// A request is the kernel's name, a digit each for Watch and Repeat, and the files of the cases, each behind its
/// length.
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

/// The time limit of one try while a hang is shrunk.
std::uint64_t brisk_ms(const EvaluationOptions& options) {
  constexpr std::uint64_t kShortest = 100, kLongest = 1000;
  return std::min(options.timeout_ms, std::clamp(options.timeout_ms / 10, kShortest, kLongest));
}

using JudgeAll = std::function<std::vector<Verdict>(std::span<const operation::Case>, const kernel::Kernel&,
                                                    run::Executor&, Repeat)>;

/// What is asked of a case, besides the values of one run.
struct Ask {
  Watch watch;
  Repeat repeat;
};

}  // namespace

struct Evaluator::State {
  State(const EvaluationOptions& how, JudgeAll by)
      : options(how), judge(std::move(by)), patient(crew(how.timeout_ms)) {}

  /// Workers with a time limit; they are forked when they first get something to do.
  [[nodiscard]] std::unique_ptr<Crew> crew(std::uint64_t timeout_ms) {
    Crew::Work work;
    work.one = [this](std::string_view request, std::uint64_t index, run::Executor& executor) {
      return std::move(this->work(request, index, index + 1, executor).front());
    };
    work.several = [this](std::string_view request, std::uint64_t begin, std::uint64_t end, run::Executor& executor) {
      return this->work(request, begin, end, executor);
    };
    return std::make_unique<Crew>(options, timeout_ms, std::move(work));
  }

  /// In a worker: item i of a request is its case i.
  std::vector<std::string> work(std::string_view request, std::uint64_t begin, std::uint64_t end,
                                run::Executor& executor) {
    std::vector<std::string> replies(end - begin);
    const std::string_view name = part(request, 0);
    const kernel::Kernel* kernel = kernel::registry().find(name, options.executor);
    const Ask ask{static_cast<Watch>(part(request, 1)[0] - '0'), static_cast<Repeat>(part(request, 1)[1] - '0')};
    const kernel::Kernel* watched = nullptr;
    if (ask.watch != Watch::Never && options.executor == kernel::Executor::Host) {
      watched = kernel::registry().find(name, kernel::Executor::Watched);
    }
    std::vector<operation::Case> cases;
    std::vector<std::size_t> owners;
    for (std::uint64_t index = begin; index < end; ++index) {
      if (kernel == nullptr) {
        replies[index - begin] =
            property::pack(operation::error_verdict(fmt::format("kernel {} is not in the registry", name)));
        continue;
      }
      const std::string_view file = part(request, index + 2);
      auto value = operation::parse_case(std::as_bytes(std::span(file.data(), file.size())));
      if (!value) {
        replies[index - begin] = property::pack(operation::error_verdict(value.error().message));
        continue;
      }
      cases.push_back(*std::move(value));
      owners.push_back(index - begin);
    }
    if (cases.empty()) return replies;
    const bool only_watched = watched != nullptr && ask.watch == Watch::Always;
    std::vector<Verdict> verdicts = judge(cases, only_watched ? *watched : *kernel, executor, ask.repeat);
    for (std::size_t i = 0; watched != nullptr && !only_watched && i < cases.size(); ++i) {
      if (verdicts[i].kind != VerdictKind::Pass && verdicts[i].kind != VerdictKind::Vacuous) continue;
      if (!run::is_small_enough_to_watch(cases[i].operation)) continue;
      std::vector<Verdict> again = judge({&cases[i], 1}, *watched, executor, Repeat::Never);
      if (again.front().kind == VerdictKind::Fail) verdicts[i] = std::move(again.front());
    }
    for (std::size_t i = 0; i < cases.size(); ++i) replies[owners[i]] = property::pack(verdicts[i]);
    return replies;
  }

  /// `singly`: cases that are expected to end their worker had better not run together.
  base::Result<std::vector<Verdict>> evaluate(Crew& workers, std::span<const operation::Case> cases,
                                              const kernel::Kernel& kernel, const Stop& stop, bool singly,
                                              Ask ask) const;

  EvaluationOptions options;
  JudgeAll judge;
  std::unique_ptr<Crew> patient;  ///< the time limit of the options
  std::unique_ptr<Crew> brisk;    ///< a tenth of it; made for the first hang
};

base::Result<std::vector<Verdict>> Evaluator::State::evaluate(Crew& workers, std::span<const operation::Case> cases,
                                                              const kernel::Kernel& kernel, const Stop& stop,
                                                              bool singly, Ask ask) const {
  const auto jobs = static_cast<std::size_t>(Crew::workers(options));
  const std::size_t share = (cases.size() + jobs - 1) / jobs;
  std::size_t next = 0;
  const auto next_task = [&]() -> std::optional<run::Task> {
    if (next >= cases.size()) return std::nullopt;
    run::Task task;
    append(task.request, kernel.name.data(), kernel.name.size());
    const char digits[] = {static_cast<char>('0' + static_cast<int>(ask.watch)),
                           static_cast<char>('0' + static_cast<int>(ask.repeat))};
    append(task.request, digits, sizeof digits);
    task.tag = next;
    task.singly = singly;
    for (; task.end < share && next < cases.size(); ++task.end, ++next) {
      const std::vector<std::byte> file = operation::write_case(cases[next]);
      append(task.request, file.data(), file.size());
    }
    return task;
  };
  std::vector<Verdict> verdicts(cases.size(), operation::error_verdict("not evaluated: stopped"));
  const auto on_event = [&](const run::Event& event) {
    Verdict& verdict = verdicts[event.tag + event.index];
    verdict = event.death ? run::verdict_of_death(*event.death) : property::unpack(event.reply);
    if (event.batch_death && verdict.kind != VerdictKind::Fail)
      verdict = run::verdict_of_batch_death(*event.batch_death);
    return true;
  };
  const auto never = [] { return false; };
  if (const auto done = workers.run(next_task, on_event, stop ? stop : never); !done) return done.error();
  return verdicts;
}

Evaluator::Evaluator(const EvaluationOptions& options, Judge judge)
    : state_(std::make_unique<State>(
          options, [judge = std::move(judge)](std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                              run::Executor& executor, Repeat) {
            std::vector<Verdict> verdicts;
            for (const operation::Case& value : cases) verdicts.push_back(judge(value, kernel, executor));
            return verdicts;
          })) {}
Evaluator::Evaluator(const EvaluationOptions& options)
    : state_(std::make_unique<State>(
          options, [exact = options.exact](std::span<const operation::Case> cases, const kernel::Kernel& kernel,
                                           run::Executor& executor, Repeat repeat) {
            return property::conformance(cases, kernel, executor, {exact, repeat});
          })) {}
Evaluator::~Evaluator() = default;

base::Result<std::vector<Verdict>> Evaluator::evaluate(std::span<const operation::Case> cases,
                                                       const kernel::Kernel& kernel, const Stop& stop,
                                                       std::optional<Watch> watch) {
  return state_->evaluate(*state_->patient, cases, kernel, stop, cases.size() == 1,
                          {watch.value_or(state_->options.watch), Repeat::Always});
}

std::string shrinking_takes(const EvaluationOptions& options, operation::FailureClass kind) {
  const std::string longest = "at most " + base::duration_text(options.shrink_time_ms);
  if (kind != operation::FailureClass::Hang) return longest;
  return fmt::format("{}, {} a try, then runs of {} that confirm it", longest, base::duration_text(brisk_ms(options)),
                     base::duration_text(options.timeout_ms));
}

base::Result<ShrunkCase> Evaluator::shrink(operation::Case value, Verdict verdict, const kernel::Kernel& kernel,
                                           const Stop& stop) {
  const std::uint64_t most_ms = state_->options.shrink_time_ms;
  if (most_ms == 0) {
    return ShrunkCase{.value = std::move(value), .verdict = std::move(verdict), .cut = "not shrunk (--shrink-time 0s)"};
  }
  const operation::FailureClass kind = verdict.failure->kind;
  const bool hang = kind == operation::FailureClass::Hang;
  const bool deadly = hang || kind == operation::FailureClass::Crash;
  Ask ask{run::is_watch_rule(verdict.failure->rule) ? Watch::Always : Watch::Never, Repeat::Never};
  // It may have been the second run that ended the worker.
  if (deadly || kind == operation::FailureClass::NotDeterministic) ask.repeat = Repeat::Always;
  if (hang && state_->brisk == nullptr) {
    state_->brisk = state_->crew(brisk_ms(state_->options));
  }
  Crew& workers = hang ? *state_->brisk : *state_->patient;

  std::optional<base::Error> problem;
  const auto is_stopped = [&] { return stop && stop(); };
  const auto deadline = Clock::now() + std::chrono::milliseconds(most_ms);
  bool is_late = false;
  const auto is_over = [&] {
    is_late = is_late || Clock::now() >= deadline;
    return problem.has_value() || is_stopped() || is_late;
  };
  const auto batch = [&](std::span<const operation::Case> cases) {
    auto verdicts = state_->evaluate(workers, cases, kernel, is_over, deadly, ask);
    if (verdicts) return std::move(*verdicts);
    problem = verdicts.error();
    return std::vector<Verdict>(cases.size(), operation::error_verdict(problem->message));
  };
  // Runs that a rate is counted from. A hang costs its whole time limit.
  const std::size_t repeats = hang ? 2 : 8;
  const auto same_in = [](const std::vector<Verdict>& verdicts, const Verdict& wanted) {
    return std::count_if(verdicts.begin(), verdicts.end(), [&](const Verdict& seen) {
      return seen.kind == VerdictKind::Fail && seen.failure->same_class(*wanted.failure);
    });
  };
  // A worker that somebody else has killed looks like a crash, and nothing would be found in a long time.
  if (kind == operation::FailureClass::Crash) {
    const auto tried = batch(std::vector<operation::Case>(repeats, value));
    if (problem) return *problem;
    if (!is_over() && same_in(tried, verdict) == 0) {
      return ShrunkCase{.value = std::move(value),
                        .verdict = std::move(verdict),
                        .evaluations = static_cast<std::int64_t>(repeats),
                        .hit_rate = 0,
                        .cut = fmt::format("not shrunk: it did not happen again in {} runs", repeats)};
    }
  }
  shrink::Options options;
  options.limits = kernel.limits;
  options.stop = is_over;
  // A hang costs its time limit and a crash its worker, so that no more are tried at once than there are workers.
  if (deadly) options.most_together = static_cast<std::size_t>(Crew::workers(state_->options));
  const operation::Case original = value;
  const Verdict first = verdict;
  shrink::Minimised minimised = shrink::minimise(std::move(value), std::move(verdict), batch, options);
  if (problem) return *problem;

  ShrunkCase result{std::move(minimised.value), std::move(minimised.verdict), minimised.evaluations, 1, is_stopped()};
  if (result.interrupted) {
    result.cut = "shrinking was interrupted";
    return result;
  }
  if (is_late) result.cut = "shrinking stopped after " + base::duration_text(most_ms);
  const auto again =
      state_->evaluate(*state_->patient, std::vector<operation::Case>(repeats, result.value), kernel, stop, true, ask);
  if (!again) return again.error();
  if (is_stopped()) return result;  // The smallest case was reached; only the counting was cut short.
  const auto hits = same_in(*again, result.verdict);
  if (hang && hits == 0) return ShrunkCase{original, first, result.evaluations, 1, false, result.cut};
  // What a hang says names the time limit, which is that of these runs.
  for (std::size_t i = 0; hang && i < repeats; ++i) {
    const Verdict& seen = (*again)[i];
    if (seen.kind == VerdictKind::Fail && seen.failure->same_class(*result.verdict.failure)) result.verdict = seen;
  }
  result.hit_rate = static_cast<double>(hits) / static_cast<double>(repeats);
  return result;
}

}  // namespace negzero::campaign
