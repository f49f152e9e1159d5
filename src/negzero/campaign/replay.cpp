// The loop behind `replay`: case files against what they expect.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/property/counterexample.hpp>

namespace negzero::campaign {

namespace {

using operation::Expectation;
using operation::VerdictKind;

std::string describe(VerdictKind kind, const std::optional<operation::FailureClass>& failure_class,
                     const std::string& rule) {
  std::string text(operation::name(kind));
  if (failure_class) text += fmt::format(" ({})", operation::name(*failure_class));
  if (!rule.empty()) text += fmt::format(" by {}", rule);
  return text;
}

bool is_for(kernel::Executor executor, const Expectation& expected) {
  return expected.executor == kernel::name(executor) || expected.executor == "*";
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
    for (Expectation& now : seen) {
      const auto before = std::ranges::find_if(
          value->expect, [&](const Expectation& e) { return e.kernel == now.kernel && is_for(executor(), e); });
      if (before != value->expect.end()) {
        *before = std::move(now);
      } else {
        value->expect.push_back(std::move(now));
      }
    }
    return operation::save_case(path, *value);
  }

  ReplayReport take() {
    report_.executor = executor();
    report_.interrupted = stop_();
    return std::move(report_);
  }

 private:
  [[nodiscard]] kernel::Executor executor() const { return options_.evaluation.executor; }

  std::vector<Job> jobs(const std::string& path, const operation::Case& value) {
    std::vector<Job> result;
    if (options_.kernels.empty() && !value.expect.empty()) {
      for (const Expectation& expected : value.expect) {
        result.push_back({expected.kernel, expected,
                          is_for(executor(), expected) ? ""
                                                       : fmt::format("expects the {} executor, this is {}",
                                                                     expected.executor, kernel::name(executor()))});
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
    const auto kernels = kernels_matching(globs, executor());
    if (!kernels) {
      report_.errors.push_back(base::usage_error(fmt::format("{}: {}", path, kernels.error().message)));
      return result;
    }
    const std::string operation = operation::name(value.operation);
    for (const kernel::Kernel* kernel : *kernels) {
      if (kernel->operation == operation) result.push_back({kernel->name, std::nullopt, ""});
    }
    if (result.empty()) {
      report_.errors.push_back(base::usage_error(
          fmt::format("{}: none of the kernels that match {} implements {}; `negzero list kernels` shows them", path,
                      fmt::join(globs, " "), operation)));
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
      const auto kernel = kernel_named(job.kernel, executor());
      if (!kernel) {
        report_.errors.push_back(base::usage_error(fmt::format("{}: {}", path, kernel.error().message)));
        return base::Ok{};
      }
      auto verdicts = evaluator_.evaluate({&value, 1}, **kernel, stop_);
      if (!verdicts) return verdicts.error();
      if (stop_()) return base::Ok{};
      item.verdict = std::move(verdicts->front());
      Expectation record{job.kernel, std::string(kernel::name(executor())), item.verdict.kind, std::nullopt, ""};
      if (const auto& failure = item.verdict.failure) {
        item.counterexample =
            property::counterexample(**kernel, value, *failure, replay_line(options_.command, path, job.kernel));
        record.failure_class = failure->kind;
        record.rule = failure->rule;
      }
      // An error is no property of the kernel.
      if (options_.record && item.verdict.kind != VerdictKind::Error) {
        seen.push_back(record);
        item.expected = std::move(record);
      }
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

std::string_view name(ReplayStatus status) noexcept {
  constexpr std::string_view kNames[] = {"as_expected", "different", "undecided", "error", "skipped"};
  return kNames[static_cast<std::size_t>(status)];
}

ReplayStatus ReplayItem::status() const {
  if (!skipped.empty()) return ReplayStatus::Skipped;
  if (verdict.kind == VerdictKind::Error) return ReplayStatus::Error;
  if (difference().empty()) return ReplayStatus::AsExpected;
  const bool nothing = verdict.kind == VerdictKind::Vacuous || verdict.kind == VerdictKind::Refused;
  return nothing && !expected ? ReplayStatus::Undecided : ReplayStatus::Different;
}

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

std::string replay_line(const std::string& command, const std::string& path, const std::string& kernel) {
  const auto quoted = [](const std::string& text) {
    const std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
  };
  return fmt::format("{} replay {}{}", quoted(command), quoted(path), kernel.empty() ? "" : " --kernel " + kernel);
}

base::Result<std::vector<std::string>> case_files(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code code;
    const fs::file_status status = fs::status(path, code);
    if (status.type() == fs::file_type::none) {
      return base::infrastructure_error(fmt::format("{}: cannot be read: {}", path, code.message()));
    }
    if (!fs::is_directory(status)) {
      if (!fs::exists(status)) {
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
