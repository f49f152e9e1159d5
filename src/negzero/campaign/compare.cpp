// The loop behind `compare`: generated cases on two kernels, differences counted, shrunk and saved.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/finding_files.hpp>
#include <negzero/campaign/looks.hpp>
#include <negzero/campaign/loop.hpp>
#include <negzero/campaign/requested_cases.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/campaign/source.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/conformance.hpp>

namespace negzero::campaign {

namespace {

using verdict::Verdict;
using verdict::VerdictKind;

/// Cases of a task: they go to an examiner whole, because they are those of the first kernel's limits.
constexpr std::uint64_t kTogether = 32;

/// Whether there are cases for both.
base::Status fit_together(const kernel::Kernel& first, const kernel::Kernel& second) {
  const std::string a = property::to_string(first), b = property::to_string(second);
  if (&first == &second) {
    return base::usage_error(
        fmt::format("{} would be compared with itself; name two kernels, or one on two executors "
                    "({}@host, {}@watched, {}@cuda)",
                    a, first.name, first.name, first.name));
  }
  if (first.operation != second.operation) {
    return base::usage_error(fmt::format("{} is a {}, {} a {}: only kernels of one operation can be compared", a,
                                         operation::name_in(first.operation), b, operation::name_in(second.operation)));
  }
  const auto &here = first.limits.formats, &there = second.limits.formats;
  operation::Operation operation = *operation::operation_named(first.operation), other = operation;
  const auto shared = [&](const auto& formats) {
    operation.set_formats(formats);
    return std::ranges::any_of(there, [&](const auto& accepted) {
      other.set_formats(accepted);
      return other == operation;
    });
  };
  if (!here.empty() && !there.empty() && std::ranges::none_of(here, shared)) {
    return base::usage_error(fmt::format("{} and {} take different formats: nothing would fit both", a, b));
  }
  return base::Ok{};
}

class Compare final : public Source, public Sink {
 public:
  Compare(const kernel::Kernel& first, const kernel::Kernel& second, const CompareOptions& options,
          const std::function<void(std::uint64_t done)>& on_progress, const Stop& stop)
      : first_(first),
        second_(second),
        options_(options),
        on_progress_(on_progress),
        stop_(stop, {.time_ms = options.time_ms, .first_finding = options.first_finding}),
        files_(options.save_dir),
        source_(first, options.seed, options.cases, options.mix),
        evaluator_(unwatched(options.evaluation), compare_claim(first, second)) {}

  base::Result<CompareReport> run(const std::function<void()>& on_start) {
    if (const auto opened = files_.open(); !opened) return opened.error();
    on_start();
    report_.first = property::to_string(first_);
    report_.second = property::to_string(second_);
    report_.seed = options_.seed;
    Loop loop(options_.evaluation);
    if (const auto ran = loop.run(*this, *this, stop_); !ran) return ran.error();
    // Behind a case that was under way at a stop.
    for (auto& [index, verdict] : waiting_) count(index, std::move(verdict));
    for (auto& [rule, found] : found_) {
      if (const auto finished = finish(std::move(found)); !finished) return finished.error();
    }
    report_.interrupted = stop_.is_interrupted();
    report_.elapsed_ms = stop_.elapsed_ms();
    return std::move(report_);
  }

  std::optional<Task> next(int) override {
    const std::uint64_t first = next_;
    WholeCases files;
    for (; next_ < options_.cases && files.size() < kTogether; ++next_) {
      if (made_.empty()) made_ = file_of(source_.at(next_));
      if (!has_room(files, made_.size())) break;
      files.push_back(std::exchange(made_, {}));
    }
    if (files.empty()) return std::nullopt;
    Request request = request_of(carrier(), kToCompare, options_.evaluation);
    request.claim = compare_claim(first_, second_);
    request.source = std::move(files);
    return Task{.request = std::move(request), .tag = first};
  }

  /// Counts verdicts in the order of their cases, whatever order they come in.
  bool take(std::uint64_t tag, const Reply& reply) override {
    waiting_.emplace(tag + reply.index, reply.verdict);
    while (!waiting_.empty() && waiting_.begin()->first == report_.cases) {
      count(report_.cases, std::move(waiting_.extract(waiting_.begin()).mapped()));
    }
    on_progress_(report_.cases + waiting_.size());
    return true;
  }

 private:
  static EvaluationOptions unwatched(EvaluationOptions options) {
    options.watch = kToCompare.watch;
    return options;
  }
  /// The kernel that the evaluator looks up, by its name: one that has a build for the place of the run.
  [[nodiscard]] const kernel::Kernel& carrier() const {
    return first_.place == options_.evaluation.place ? first_ : second_;
  }

  void count(std::uint64_t index, Verdict verdict) {
    ++report_.cases;
    switch (verdict.kind) {
      case VerdictKind::Pass:
      case VerdictKind::Vacuous:
      case VerdictKind::NotJudged:
        ++report_.identical;
        // Other vacuous cases have equal results, of an interpreter in the GPU's place.
        report_.without_results += verdict.reason == property::kNoResults ? 1 : 0;
        return;
      case VerdictKind::Refused:
        if (report_.refused++ == 0) report_.refusal = verdict.reason;
        return;
      case VerdictKind::Error:
        ++report_.error;
        note(base::infrastructure_error(verdict.reason));
        return;
      case VerdictKind::Fail: {
        const verdict::Rule rule = verdict.failure->rule;
        const auto [at, is_new] = found_.try_emplace(rule);
        if (is_new) at->second = {index, std::move(verdict), 0};
        if (rule != property::kBothPermitted || options_.bitwise) stop_.found();
        ++at->second.cases;
      }
    }
  }

  /// The first case with a difference of one kind.
  struct Found {
    std::uint64_t index = 0;
    Verdict verdict;
    std::uint64_t cases = 0;
  };

  base::Status finish(Found found) {
    operation::Case value = source_.at(found.index);
    value.kernel = first_.name;
    auto shrunk = shrink(evaluator_, std::move(value), std::move(found.verdict), carrier(), is_stopped());
    if (!shrunk) return shrunk.error();
    DifferenceFound difference{
        *shrunk->verdict.failure, std::move(shrunk->value), "", "", shrunk->interrupted, shrunk->cut, found.cases};
    difference.case_text = text_of(difference.shrunk);
    difference.case_path = save(difference);
    for (const kernel::Kernel* side : {&first_, &second_}) {
      if (!options_.evaluation.observe || stop_.is_interrupted()) break;
      difference.observations.push_back(observe(difference.shrunk, *side, difference.failure, options_.evaluation));
    }
    report_.differences.push_back(std::move(difference));
    return base::Ok{};
  }

  /// Where the two contracts differ in what may be read, the kernels see different memory.
  [[nodiscard]] std::string text_of(const operation::Case& value) const {
    const auto seen_by = [&](const kernel::Kernel& kernel) {
      const auto contract = property::contract_of(value, kernel);
      return judgement::describe(value, contract ? &*contract : nullptr, "  ");
    };
    const std::string first = seen_by(first_), second = seen_by(second_);
    if (first == second) return first;
    return fmt::format("  for {}:\n{}\n  for {}:\n{}", report_.first, first, report_.second, second);
  }

  std::string save(const DifferenceFound& difference) {
    std::error_code code;
    std::filesystem::create_directories(files_.directory(), code);  // Where this fails, so does the writing below.
    const std::string path = fmt::format("{}/{}.{}.{}.{}.safetensors", files_.directory(), difference.failure.rule,
                                         report_.first, report_.second, difference.cut.empty() ? "case" : "partial");
    const auto saved = case_file::save(path, difference.shrunk);
    if (saved) return path;
    note(saved.error());
    return "";
  }

  [[nodiscard]] Stop is_stopped() const {
    return [this] { return stop_.is_interrupted(); };
  }

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  const kernel::Kernel &first_, &second_;
  const CompareOptions& options_;
  const std::function<void(std::uint64_t done)>& on_progress_;
  StopCondition stop_;
  FindingFiles files_;
  GeneratedCases source_;
  Evaluator evaluator_;
  std::map<std::uint64_t, Verdict> waiting_;  ///< by number: until those of all cases before are there
  std::map<verdict::Rule, Found> found_;      ///< by rule
  std::uint64_t next_ = 0;                    ///< case to hand out
  std::string made_;                          ///< its file, where the task before had no room for it
  CompareReport report_;
};

}  // namespace

base::Status comparable(const kernel::Kernel& first, const kernel::Kernel& second, const CompareOptions& options) {
  if (const auto fit = fit_together(first, second); !fit) return fit.error();
  return GeneratedCases(first, options.seed, options.cases, options.mix).validate();
}

base::Result<CompareReport> compare(const kernel::Kernel& first, const kernel::Kernel& second,
                                    const CompareOptions& options, const std::function<void()>& on_start,
                                    const std::function<void(std::uint64_t done)>& on_progress,
                                    const std::function<bool()>& stop) {
  if (const auto can = comparable(first, second, options); !can) return can.error();
  return Compare(first, second, options, on_progress, stop).run(on_start);
}

}  // namespace negzero::campaign
