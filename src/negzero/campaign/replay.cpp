// The loop behind `replay`: case files against what they expect.

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/case_file/case_file.hpp>
#include <negzero/property/counterexample.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;
using verdict::VerdictKind;

bool is_for(kernel::Place place, const Expectation& expected) {
  const auto where = kernel::where_named(expected.executor);
  return expected.executor == "*" || (where && where->place == place);
}

/// One kernel to run a case on, and what to expect of it.
struct Job {
  std::string kernel;
  std::optional<Expectation> expected;
  std::string skipped;
};

/// A kernel that files name and nobody knows.
struct Unknown {
  std::string first_file, last_file;
  std::size_t files = 0;
  std::size_t error = 0;  ///< which error of the report it is
};

class Replay {
 public:
  Replay(const ReplayOptions& options, const std::function<void(const ReplayItem&)>& on_item,
         const std::function<bool()>& stop)
      : options_(options),
        on_item_(on_item),
        stop_(stop),
        evaluator_(options.evaluation),
        outputs_(options.save_outputs) {}

  /// The kernels of the command line, looked up once for all files.
  base::Status start() {
    if (options_.kernels.empty()) return base::Ok{};
    auto kernels = kernels_matching(options_.kernels, place());
    if (!kernels) return kernels.error();
    chosen_ = *std::move(kernels);
    return base::Ok{};
  }

  base::Status file(const std::string& path) {
    auto value = load_case(path);
    if (!value) {
      report_.errors.push_back(value.error());
      return base::Ok{};
    }
    // Kernels that are asked for are judged by what they declare now: the mend may have been one of the contract.
    if (!options_.kernels.empty()) value->contract.clear();
    std::vector<Expectation> seen;
    for (const Job& job : jobs(path, *value)) {
      if (stop_()) return base::Ok{};
      if (const auto done = one(path, *value, job, seen); !done) return done;
    }
    if (!options_.record || seen.empty()) return base::Ok{};
    for (const Expectation& now : seen) record(now, value->expect);
    if (const auto saved = case_file::save(path, *value); !saved) {
      report_.errors.push_back(saved.error());
      return base::Ok{};
    }
    for (Expectation& now : seen) report_.recorded.push_back({path, std::move(now)});
    return base::Ok{};
  }

  ReplayReport take() {
    report_.place = place();
    for (const auto& [message, unknown] : unknown_) {
      const std::string others =
          unknown.files > 1 ? fmt::format(" (and {} more of these files)", unknown.files - 1) : "";
      report_.errors[unknown.error].message = fmt::format("{}{}: {}", unknown.first_file, others, message);
    }
    report_.interrupted = stop_();
    return std::move(report_);
  }

 private:
  /// Puts what happened in the place of what was expected of the same kernel here. A kernel that was asked for by name
  /// ran both plainly and watched, unless a flag said otherwise; else one of the two keeps its expectation.
  void record(const Expectation& now, std::vector<Expectation>& expect) const {
    const bool both = !options_.kernels.empty() && options_.evaluation.watch == Watch::Auto;
    const auto replaced = [&](const Expectation& e) {
      const bool alike = both || (e.executor == "watched") == (now.executor == "watched");
      return e.kernel == now.kernel && alike && is_for(place(), e);
    };
    const auto at = std::ranges::find_if(expect, replaced);
    const auto place = at - expect.begin();
    std::erase_if(expect, replaced);
    expect.insert(expect.begin() + place, now);
  }
  /// Why an expectation is none of this run: nothing where it is.
  [[nodiscard]] std::string why_skipped(const Expectation& expected) const {
    if (!is_for(place(), expected)) {
      return fmt::format("expects the {} executor, this is {}", expected.executor, kernel::name(place()));
    }
    // The sanitizers' preset has no watched kernels. A kernel that nobody knows is told elsewhere.
    const kernel::Registry& registry = kernel::registry();
    const bool known = registry.find(expected.kernel, place()) != nullptr;
    const bool has_watched = registry.find(expected.kernel, {place(), true}) != nullptr;
    if (expected.executor == "watched" && known && !has_watched) return "expects a watched run, this build has none";
    return "";
  }
  [[nodiscard]] Watch watch_of(const Job& job) const { return watch_for(job.expected, options_.evaluation.watch); }
  /// What a case without expectations was found by is looked for as it was found.
  base::Result<verdict::Verdict> verdict_of(const operation::Case& value, const kernel::Kernel& kernel,
                                            const Job& job) {
    const auto known = job.expected ? std::nullopt : known_failure(value, job.kernel, place());
    return look_for(known, evaluator_, value, kernel, watch_of(job), stop_);
  }
  [[nodiscard]] kernel::Place place() const { return options_.evaluation.place; }

  std::vector<Job> jobs(const std::string& path, const operation::Case& value) {
    std::vector<Job> result;
    const std::string operation = operation::name(value.operation);
    if (!options_.kernels.empty()) {
      for (const kernel::Kernel* kernel : chosen_) {
        if (kernel->operation == operation) result.push_back({kernel->name, std::nullopt, ""});
      }
      if (result.empty()) {
        result.push_back({"", std::nullopt, fmt::format("none of the kernels asked for implements {}", operation)});
      }
      return result;
    }
    if (!value.expect.empty()) {
      for (const Expectation& expected : value.expect) {
        result.push_back({expected.kernel, expected, why_skipped(expected)});
      }
      return result;
    }
    if (value.kernel.empty()) {
      report_.errors.push_back(
          base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel GLOB", path)));
      return result;
    }
    const auto kernels = kernels_matching({value.kernel}, place());
    if (!kernels) {
      note_unknown(path, kernels.error().message);
      return result;
    }
    for (const kernel::Kernel* kernel : *kernels) {
      if (kernel->operation == operation) result.push_back({kernel->name, std::nullopt, ""});
    }
    if (result.empty()) {
      report_.errors.push_back(base::usage_error(
          fmt::format("{}: the case is a {}, which none of the kernels that match its metadata kernel = {} implements; "
                      "say which with --kernel GLOB",
                      path, operation, value.kernel)));
    }
    return result;
  }

  /// A corpus names the same few kernels in many files: each that is not known is said once.
  void note_unknown(const std::string& path, const std::string& message) {
    Unknown& unknown = unknown_[message];
    if (unknown.last_file == path) return;  // Expected on several executors.
    unknown.last_file = path;
    if (unknown.files++ > 0) return;
    unknown.first_file = path;
    unknown.error = report_.errors.size();
    report_.errors.push_back(base::usage_error(message));
  }

  base::Status one(const std::string& path, const operation::Case& value, const Job& job,
                   std::vector<Expectation>& seen) {
    ReplayItem item;
    item.path = path;
    item.operation = operation::name(value.operation);
    item.kernel = job.kernel;
    item.expected = job.expected;
    item.skipped = job.skipped;
    if (item.skipped.empty()) {
      const auto kernel = kernel_named(job.kernel, place());
      if (!kernel) {
        note_unknown(path, kernel.error().message);
        return base::Ok{};
      }
      auto verdict = verdict_of(value, **kernel, job);
      if (!verdict) return verdict.error();
      if (stop_()) return base::Ok{};
      item.verdict = *std::move(verdict);
      if (const auto& failure = item.verdict.failure) {
        item.counterexample =
            property::counterexample(**kernel, value, *failure, replay_line(options_.command, path, job.kernel, true));
      }
      if (item.status() == ReplayStatus::Different && item.verdict.failure) {
        const verdict::Failure& failure = *item.verdict.failure;
        const EvaluationOptions& how = options_.evaluation;
        item.watched = watched_message(evaluator_, how, value, **kernel, failure, stop_);
        if (!item.watched.empty()) item.counterexample += fmt::format("  watched    {}\n", item.watched);
        if (how.observe && !stop_()) item.observations = {observe(value, **kernel, failure, how)};
      }
      if (!options_.save_outputs.empty()) save_outputs(path, value, **kernel, item);
      // An error is no property of the kernel.
      if (options_.record && item.verdict.kind != VerdictKind::Error) {
        Expectation now = campaign::seen(job.kernel, place(), item.verdict);
        if (job.expected) now.executor = kernel::name(place());
        if (watch_of(job) == Watch::Always) now.executor = "watched";
        seen.push_back(now);
        item.expected = std::move(now);
        item.recorded = true;
      }
    }
    on_item_(item);
    report_.items.push_back(std::move(item));
    return base::Ok{};
  }

  void save_outputs(const std::string& path, const operation::Case& value, const kernel::Kernel& kernel,
                    ReplayItem& item) {
    const auto saved = outputs_.save(path, value, kernel, options_.evaluation);
    if (saved) {
      item.outputs = *saved;
    } else {
      report_.errors.push_back(saved.error());
    }
  }

  const ReplayOptions& options_;
  const std::function<void(const ReplayItem&)>& on_item_;
  const std::function<bool()>& stop_;
  Evaluator evaluator_;
  OutputFiles outputs_;
  std::vector<const kernel::Kernel*> chosen_;  ///< by ReplayOptions::kernels
  std::map<std::string, Unknown> unknown_;     ///< by message
  ReplayReport report_;
};

}  // namespace

base::Result<ReplayReport> replay(const std::vector<std::string>& files, const ReplayOptions& options,
                                  const std::function<void(const ReplayItem&)>& on_item,
                                  const std::function<bool()>& stop) {
  Replay replay(options, on_item, stop);
  if (const auto started = replay.start(); !started) return started.error();
  for (const std::string& file : files) {
    if (stop()) break;
    if (const auto done = replay.file(file); !done) return done.error();
  }
  return replay.take();
}

}  // namespace negzero::campaign
