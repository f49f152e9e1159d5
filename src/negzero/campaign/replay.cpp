// The loop behind `replay`: case files against what they expect.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/replay.hpp>
#include <negzero/property/counterexample.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;
using operation::VerdictKind;

constexpr std::string_view kExecutor = "host";

std::string describe(VerdictKind kind, const std::optional<operation::FailureClass>& failure_class,
                     const std::string& rule) {
  std::string text(operation::name(kind));
  if (failure_class) text += fmt::format(" ({})", operation::name(*failure_class));
  if (!rule.empty()) text += fmt::format(" by {}", rule);
  return text;
}

/// One kernel to run a case on, and what to expect of it.
struct Job {
  std::string kernel;
  std::optional<Expectation> expected;
  std::string skipped;
};

class Replay {
 public:
  Replay(const ReplayOptions& options, const std::function<void(const ReplayItem&)>& on_item,
         const std::function<bool()>& stop)
      : options_(options), on_item_(on_item), stop_(stop), evaluator_(options.evaluation) {}

  base::Status file(const std::string& path) {
    auto value = operation::load_case(path);
    if (!value) {
      report_.errors.push_back(value.error());
      return base::Ok{};
    }
    std::vector<Expectation> seen;
    for (const Job& job : jobs(path, *value)) {
      if (stop_()) return base::Ok{};
      if (const auto done = one(path, *value, job, seen); !done) return done;
    }
    if (!options_.record || seen.empty()) return base::Ok{};
    value->expect = std::move(seen);
    return operation::save_case(path, *value);
  }

  ReplayReport take() {
    report_.interrupted = stop_();
    return std::move(report_);
  }

 private:
  std::vector<Job> jobs(const std::string& path, const operation::Case& value) {
    std::vector<Job> result;
    if (options_.kernels.empty() && !value.expect.empty()) {
      for (const Expectation& expected : value.expect) {
        const bool here = expected.executor == kExecutor || expected.executor == "*";
        result.push_back(
            {expected.kernel, expected,
             here ? "" : fmt::format("expects the {} executor, this is {}", expected.executor, kExecutor)});
      }
      return result;
    }
    std::vector<std::string> globs = options_.kernels;
    if (globs.empty() && !value.kernel.empty()) globs.push_back(value.kernel);
    if (globs.empty()) {
      report_.errors.push_back(
          base::usage_error(fmt::format("{}: the case names no kernel; say which with --kernel GLOB", path)));
      return result;
    }
    const std::string operation = operation::name(value.operation);
    for (const kernel::Kernel* kernel : kernel::registry().match(globs, kernel::Executor::Host)) {
      if (kernel->operation == operation) result.push_back({kernel->name, std::nullopt, ""});
    }
    if (result.empty()) {
      report_.errors.push_back(base::usage_error(fmt::format(
          "{}: no {} kernel matches {}; `negzero list kernels` shows them", path, operation, fmt::join(globs, " "))));
    }
    return result;
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
      const kernel::Kernel* kernel = kernel::registry().find(job.kernel, kernel::Executor::Host);
      if (kernel == nullptr) {
        report_.errors.push_back(base::usage_error(
            fmt::format("{}: kernel {} is not known; the closest are {}", path, job.kernel,
                        fmt::join(kernel::registry().closest(job.kernel, kernel::Executor::Host), ", "))));
        return base::Ok{};
      }
      auto verdicts = evaluator_.evaluate({&value, 1}, *kernel, stop_);
      if (!verdicts) return verdicts.error();
      if (stop_()) return base::Ok{};
      item.verdict = std::move(verdicts->front());
      Expectation record{job.kernel, std::string(kExecutor), item.verdict.kind, std::nullopt, ""};
      if (const auto& failure = item.verdict.failure) {
        item.counterexample = property::counterexample(*kernel, value, *failure,
                                                       fmt::format("negzero replay {} --kernel {}", path, job.kernel));
        record.failure_class = failure->kind;
        record.rule = failure->rule;
      }
      seen.push_back(std::move(record));
      if (options_.record) item.expected = seen.back();
    }
    on_item_(item);
    report_.items.push_back(std::move(item));
    return base::Ok{};
  }

  const ReplayOptions& options_;
  const std::function<void(const ReplayItem&)>& on_item_;
  const std::function<bool()>& stop_;
  Evaluator evaluator_;
  ReplayReport report_;
};

}  // namespace

bool ReplayItem::as_expected() const { return difference().empty(); }

std::string ReplayItem::difference() const {
  if (!skipped.empty()) return "";
  const VerdictKind wanted = expected ? expected->verdict : VerdictKind::Pass;
  const auto& failure = verdict.failure;
  const bool same = verdict.kind == wanted &&
                    (!expected || !expected->failure_class || (failure && failure->kind == *expected->failure_class)) &&
                    (!expected || expected->rule.empty() || (failure && failure->rule == expected->rule));
  if (same) return "";
  std::string text =
      fmt::format("expected {}, got {}",
                  expected ? describe(wanted, expected->failure_class, expected->rule) : describe(wanted, {}, ""),
                  failure ? describe(verdict.kind, failure->kind, failure->rule) : describe(verdict.kind, {}, ""));
  if (failure) text += ": " + failure->message;
  if (!verdict.reason.empty()) text += ": " + verdict.reason;
  return text;
}

base::Result<std::vector<std::string>> case_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      if (!fs::exists(path, code)) {
        return base::usage_error(
            fmt::format("{}: there is no such file or directory; name a case file or a folder of them", path));
      }
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (fs::recursive_directory_iterator at(path, code), end; !code && at != end; at.increment(code)) {
      if (at->path().extension() == ".safetensors") files.push_back(at->path().string());
    }
    if (code) return base::infrastructure_error(fmt::format("{}: cannot be read: {}", path, code.message()));
    if (files.size() == before) {
      return base::usage_error(fmt::format("{}: no *.safetensors below this folder; name one that holds cases", path));
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

base::Result<ReplayReport> replay(const std::vector<std::string>& files, const ReplayOptions& options,
                                  const std::function<void(const ReplayItem&)>& on_item,
                                  const std::function<bool()>& stop) {
  Replay replay(options, on_item, stop);
  for (const std::string& file : files) {
    if (stop()) break;
    if (const auto done = replay.file(file); !done) return done.error();
  }
  return replay.take();
}

}  // namespace negzero::campaign
