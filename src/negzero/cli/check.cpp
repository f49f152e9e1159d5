// `negzero check`.

#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>

namespace negzero::cli {

namespace {

class ConsoleListener final : public campaign::CheckListener {
 public:
  ConsoleListener(const Common& common, const campaign::EvaluationOptions& evaluation, std::string banner)
      : common_(common),
        evaluation_(evaluation),
        invocation_(invocation_of(common, std::nullopt)),
        banner_(std::move(banner)) {}

  void on_start() override { tell(banner_); }
  void on_progress(std::uint64_t done, std::uint64_t total, std::uint64_t failing) override {
    if (!progress_.is_due()) return;
    // A run limited by time has no total worth printing.
    const std::string of = total < (std::uint64_t{1} << 39) ? fmt::format(" of {}", total) : "";
    progress_.show(fmt::format("{}{} cases, {} failing", done, of, failing));
  }
  void on_failure(const std::string& kernel, const verdict::Failure& failure, const std::string& path) override {
    clear();
    tell_failure(kernel, failure, path);
  }
  void on_shrinking(const std::string& kernel, const verdict::Failure& failure) override {
    clear();
    tell_shrinking(kernel, failure, evaluation_);
  }
  void on_finding(const campaign::Finding& finding) override {
    if (common_.json) return;
    const report::FindingEntry entry = report::entry_of(finding, invocation_);
    written_ = print_text(report::finding_text(entry) + "\n") && written_;
  }
  void clear() const { progress_.clear(); }
  [[nodiscard]] bool written() const { return written_; }

 private:
  const Common& common_;
  const campaign::EvaluationOptions& evaluation_;
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

}  // namespace

int check(const CheckFlags& flags, const Common& common) {
  campaign::CheckOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  const auto weights = parse_weights(flags.weights);
  if (!weights) return fail(weights.error(), common);
  options.evaluation = *evaluation;
  options.weights = *weights;
  const auto extents = parse_extents(flags.extents);
  if (!extents) return fail(extents.error(), common);
  options.extents = *extents;
  options.finite = flags.finite;
  auto accepted = accepted_findings(flags.accept);
  if (!accepted) return fail(accepted.error(), common);
  options.accepted = *std::move(accepted);
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.seed = seed_or_another(flags.seed);
  options.save_dir = flags.save;
  options.evaluation.observe = draws_matrices(flags.reports);

  const auto kernels = campaign::kernels_matching(flags.globs, options.evaluation.place);
  if (!kernels) return fail(kernels.error(), common);
  if (const auto valid = check_extents(options.extents, *kernels); !valid) return fail(valid.error(), common);
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);
  const std::vector<std::string> skipped = campaign::kernels_without_build(flags.globs, options.evaluation.place);
  const std::string_view executor = kernel::name(options.evaluation.place);
  std::string banner =
      fmt::format("negzero check: {} kernel{}, seed {}, {} executor, {}\n", kernels->size(),
                  kernels->size() == 1 ? "" : "s", options.seed, executor, workers_text(options.evaluation));
  for (const std::string& name : skipped) {
    banner += fmt::format("skipped: {} has no build for the {} executor\n", name, executor);
  }
  ConsoleListener listener(common, options.evaluation, std::move(banner));
  const std::function<bool()> stop = watch_interrupts();
  auto report = campaign::check(*kernels, options, listener, stop);
  listener.clear();
  if (!report) return fail(report.error(), common);
  report->skipped = skipped;

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  outcome.undecided = !report->decided();
  for (const campaign::KernelReport& kernel : report->kernels) {
    outcome.finding = outcome.finding || kernel.fails();
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
