// `negzero check`.

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/duration.hpp>
#include <negzero/campaign/check.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/campaign/replay.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/exporting.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>

namespace negzero::cli {

namespace {

/// "1200 of 4000 cases (gemm.tiled.f32), 310/s, 3 failing, 9 s left; shrinking gemm.mine.f32, 31 s left".
std::string progress_text(const campaign::CheckPoint& now, std::uint64_t time_ms) {
  // A run limited by time has no total worth printing.
  const bool has_total = now.total < (std::uint64_t{1} << 39);
  std::string text = fmt::format("{}{} cases", now.done, has_total ? fmt::format(" of {}", now.total) : "");
  if (!now.kernel.empty()) text += fmt::format(" ({})", now.kernel);
  const double rate =
      1000.0 * static_cast<double>(now.done) / static_cast<double>(std::max<std::uint64_t>(1, now.elapsed_ms));
  const bool is_done = now.done == now.total || (time_ms != 0 && now.elapsed_ms >= time_ms);
  // Before the first case processes start, which takes some frameworks seconds.
  if (!is_done) text += now.done == 0 ? ", starting" : fmt::format(", {:.0f}/s", rate);
  text += fmt::format(", {} failing", now.failing);
  std::uint64_t left_ms = time_ms == 0 || is_done ? 0 : time_ms - now.elapsed_ms;
  if (has_total && !is_done && rate > 0) {
    const auto by_cases = static_cast<std::uint64_t>(1000 * static_cast<double>(now.total - now.done) / rate);
    left_ms = left_ms == 0 ? by_cases : std::min(left_ms, by_cases);
  }
  if (left_ms >= 1000) text += fmt::format(", {} left", base::duration_text(left_ms / 1000 * 1000));
  return text + shrinking_text(now.shrinking);
}

class ConsoleListener final : public campaign::CheckListener {
 public:
  ConsoleListener(const Common& common, const campaign::CheckOptions& options, std::string banner)
      : common_(common),
        options_(options),
        invocation_(invocation_of(common, std::nullopt)),
        banner_(std::move(banner)) {}

  void on_start() override { tell(banner_); }
  void on_progress(const campaign::CheckPoint& now) override {
    if (progress_.is_due()) progress_.show(progress_text(now, options_.time_ms));
  }
  void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) override {
    clear();
    tell_failure(kernel, failure, path);
  }
  void on_shrinking(const std::string& kernel, const verdict::Failure& failure) override {
    clear();
    tell_shrinking(kernel, failure, options_.evaluation);
  }
  void on_finding(const campaign::Finding& finding) override {
    clear();
    if (common_.json) return;
    report::FindingEntry entry = report::entry_of(finding, invocation_);
    entry.code = short_code(finding.shrunk, finding.kernel, finding.failure, options_.evaluation, common_);
    written_ = print_text(report::finding_text(entry) + "\n") && written_;
  }
  void clear() const { progress_.clear(); }
  [[nodiscard]] bool written() const { return written_; }

 private:
  const Common& common_;
  const campaign::CheckOptions& options_;
  report::Invocation invocation_;  ///< for findings that are printed while it runs
  std::string banner_;             ///< not before all flags make sense
  Progress progress_;
  bool written_ = true;
};

/// "4 workers", "16 threads on 1 GPU".
std::string workers_text(const campaign::EvaluationOptions& how) {
  const auto count = [](std::size_t number, const char* word) {
    return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
  };
  const std::string jobs = count(static_cast<std::size_t>(how.jobs), how.gpus.empty() ? "worker" : "thread");
  return how.gpus.empty() ? jobs : fmt::format("{} on {}", jobs, count(how.gpus.size(), "GPU"));
}

/// The shrunk cases of earlier findings of these kernels in a folder.
std::vector<std::string> old_findings(const std::string& folder, const std::vector<const kernel::Kernel*>& kernels) {
  std::vector<std::string> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    const auto is_of = [&](const kernel::Kernel* kernel) { return name.starts_with(kernel->name + "."); };
    if (name.ends_with(".case.safetensors") && std::ranges::any_of(kernels, is_of))
      files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

/// Runs those first, of kernels that come from a file which its author changes between two checks. Says how many are
/// gone; returns the kernels of which one is still there.
std::vector<std::string> with_old_findings(const std::string& folder, const std::vector<const kernel::Kernel*>& kernels,
                                           const campaign::EvaluationOptions& evaluation,
                                           const std::function<bool()>& stop) {
  const std::vector<std::string> files = old_findings(folder, kernels);
  if (files.empty()) return {};
  const auto replayed = campaign::replay(
      files, {.evaluation = evaluation}, [](const campaign::ReplayItem&) {}, stop);
  if (!replayed) return {};
  std::vector<std::string> left, of;
  std::size_t gone = 0;
  for (const campaign::ReplayItem& item : replayed->items) {
    if (item.status() == campaign::ReplayStatus::AsExpected) ++gone;
    if (item.status() != campaign::ReplayStatus::Different) continue;
    left.push_back(item.path);
    of.push_back(item.kernel);
  }
  tell_line(fmt::format("{} of {} old finding{} of {} gone", gone, files.size(), files.size() == 1 ? "" : "s", folder) +
            (left.empty() ? "" : fmt::format("; still there: {}", fmt::join(left, ", "))));
  return of;
}

}  // namespace

int check(const CheckFlags& flags, const Common& common) {
  campaign::CheckOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  options.evaluation = *evaluation;
  auto accepted = accepted_findings(flags.accept, common);
  if (!accepted) return fail(accepted.error(), common);
  options.accepted = *std::move(accepted);
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.seed = seed_or_another(flags.making.seed);
  options.save_dir = flags.save;
  options.first_finding = flags.first_finding;
  options.evaluation.observe = draws_matrices(flags.reports);

  const auto kernels = campaign::kernels_matching(flags.globs, options.evaluation.place);
  if (!kernels) return fail(kernels.error(), common);
  const auto mix = mix_of(flags.making, *kernels);
  if (!mix) return fail(mix.error(), common);
  options.mix = *mix;
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);
  const std::vector<std::string> skipped = campaign::kernels_without_build(flags.globs, options.evaluation.place);
  const std::string_view executor = kernel::name(options.evaluation.place);
  std::string banner =
      fmt::format("negzero check: {} kernel{}, seed {}, {} executor, {}\n", kernels->size(),
                  kernels->size() == 1 ? "" : "s", options.seed, executor, workers_text(options.evaluation));
  for (const std::string& name : skipped) {
    banner += fmt::format("skipped: {} has no build for the {} executor\n", name, executor);
  }
  ConsoleListener listener(common, options, std::move(banner));
  const std::function<bool()> stop = watch_interrupts();
  const bool is_from_file = has_cuda_file(common.kernels);
  std::vector<std::string> with_old;
  if (is_from_file) with_old = with_old_findings(flags.save, *kernels, options.evaluation, stop);
  auto report = campaign::check(*kernels, options, listener, stop);
  listener.clear();
  if (!report) return fail(report.error(), common);
  report->skipped = skipped;

  Outcome outcome;
  if (options.accepted.ledger.entries().empty()) {  // What a ledger accepts is decided below.
    for (const std::string& kernel : with_old) outcome.add_finding_of(kernel);
  }
  outcome.interrupted = report->interrupted;
  outcome.undecided = !report->decided() && !(flags.allow_not_judged && has_not_judged(report->kernels));
  for (const campaign::KernelReport& kernel : report->kernels) {
    if (kernel.fails()) outcome.add_finding_of(kernel.name);
    outcome.infrastructure = outcome.infrastructure || kernel.error > 0;
  }
  for (const base::Error& error : report->errors) {
    complain(error);
    outcome.infrastructure = true;
  }
  outcome.finding = complain_of_stale(report->ledger) || outcome.finding;
  for (const std::string& left_out : kernel::registry().errors()) {
    report->errors.push_back(base::infrastructure_error(left_out));
  }
  outcome.infrastructure = outcome.infrastructure || !listener.written();
  return finish(report::document_of(*report, invocation_of(common, options.seed)), flags.reports, common, outcome);
}

}  // namespace negzero::cli
