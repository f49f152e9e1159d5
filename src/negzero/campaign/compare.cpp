// The loop behind `compare`: generated cases on two kernels, differences counted, shrunk and saved.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/claims.hpp>
#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/finding_files.hpp>
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
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTogether = 256;  // Between two looks at the clock and at Ctrl-C.

base::Status comparable(const kernel::Kernel& first, const kernel::Kernel& second) {
  const std::string a = property::to_string(first), b = property::to_string(second);
  if (&first == &second) {
    return base::usage_error(
        fmt::format("{} would be compared with itself; name two kernels, or one on two executors "
                    "({}@host, {}@watched, {}@cuda)",
                    a, first.name, first.name, first.name));
  }
  if (first.operation != second.operation) {
    return base::usage_error(fmt::format("{} is a {}, {} a {}: only kernels of one operation can be compared", a,
                                         first.operation, b, second.operation));
  }
  const auto &here = first.limits.formats, &there = second.limits.formats;
  const auto shared = [&](const auto& formats) { return std::ranges::find(there, formats) != there.end(); };
  if (!here.empty() && !there.empty() && std::ranges::none_of(here, shared)) {
    return base::usage_error(fmt::format("{} and {} take different formats: nothing would fit both", a, b));
  }
  return base::Ok{};
}

class Compare {
 public:
  Compare(const kernel::Kernel& first, const kernel::Kernel& second, const CompareOptions& options,
          const std::function<bool()>& stop)
      : first_(first),
        second_(second),
        options_(options),
        stop_(stop),
        files_(options.save_dir),
        source_(first, options.seed, options.cases, options.mix),
        evaluator_(unwatched(options.evaluation), compare_claim(first, second)) {}

  base::Result<CompareReport> run(const std::function<void()>& on_start,
                                  const std::function<void(std::uint64_t done)>& on_progress) {
    if (const auto valid = source_.validate(); !valid) return valid.error();
    if (const auto opened = files_.open(); !opened) return opened.error();
    on_start();
    report_.first = property::to_string(first_);
    report_.second = property::to_string(second_);
    report_.seed = options_.seed;
    const auto start = Clock::now();
    while (!stop_()) {
      const auto range = source_.next(kTogether);
      if (!range) break;
      if (const auto compared = take(*range); !compared) return compared.error();
      on_progress(range->end);
    }
    for (auto& [rule, found] : found_) {
      if (const auto finished = finish(std::move(found)); !finished) return finished.error();
    }
    report_.interrupted = stop_();
    report_.elapsed_ms =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count());
    return std::move(report_);
  }

 private:
  /// A side is watched by its own executor, not once more by the evaluator.
  static EvaluationOptions unwatched(EvaluationOptions options) {
    options.watch = Watch::Never;
    return options;
  }
  /// The kernel that the evaluator looks up, by its name: one that has a build for the place of the run.
  [[nodiscard]] const kernel::Kernel& carrier() const {
    return first_.place == options_.evaluation.place ? first_ : second_;
  }

  base::Status take(const GeneratedRange& range) {
    std::vector<operation::Case> cases;
    for (std::uint64_t index = range.begin; index < range.end; ++index) cases.push_back(source_.at(index));
    auto verdicts = evaluator_.evaluate(cases, carrier(), stop_);
    if (!verdicts) return verdicts.error();
    if (stop_()) return base::Ok{};  // Some of them were never run, and nothing tells which.
    for (std::size_t i = 0; i < cases.size(); ++i) count(std::move(cases[i]), std::move((*verdicts)[i]));
    return base::Ok{};
  }

  void count(operation::Case value, Verdict verdict) {
    ++report_.cases;
    switch (verdict.kind) {
      case VerdictKind::Pass:
      case VerdictKind::Vacuous:
        ++report_.identical;
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
        if (is_new) at->second = {std::move(value), std::move(verdict), 0};
        ++at->second.cases;
      }
    }
  }

  struct Found {
    operation::Case value;
    Verdict verdict;
    std::uint64_t cases = 0;
  };

  base::Status finish(Found found) {
    found.value.kernel = first_.name;
    auto shrunk = shrink(evaluator_, std::move(found.value), std::move(found.verdict), carrier(), stop_);
    if (!shrunk) return shrunk.error();
    DifferenceFound difference{
        *shrunk->verdict.failure, std::move(shrunk->value), "", "", shrunk->interrupted, shrunk->cut, found.cases};
    difference.case_text = text_of(difference.shrunk);
    difference.case_path = save(difference);
    for (const kernel::Kernel* side : {&first_, &second_}) {
      if (!options_.evaluation.observe || stop_()) break;
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

  void note(const base::Error& error) {
    if (std::ranges::find(report_.errors, error) == report_.errors.end()) report_.errors.push_back(error);
  }

  const kernel::Kernel &first_, &second_;
  const CompareOptions& options_;
  const std::function<bool()>& stop_;
  FindingFiles files_;
  GeneratedCases source_;
  Evaluator evaluator_;
  std::map<verdict::Rule, Found> found_;  ///< by rule
  CompareReport report_;
};

}  // namespace

std::uint64_t CompareReport::differing() const {
  std::uint64_t sum = 0;
  for (const DifferenceFound& difference : differences) sum += difference.cases;
  return sum;
}

bool CompareReport::wrong() const {
  return std::ranges::any_of(differences, [](const DifferenceFound& difference) {
    return difference.failure.rule != property::kBothPermitted;
  });
}

base::Result<CompareReport> compare(const kernel::Kernel& first, const kernel::Kernel& second,
                                    const CompareOptions& options, const std::function<void()>& on_start,
                                    const std::function<void(std::uint64_t done)>& on_progress,
                                    const std::function<bool()>& stop) {
  if (const auto can = comparable(first, second); !can) return can.error();
  return Compare(first, second, options, stop).run(on_start, on_progress);
}

}  // namespace negzero::campaign
