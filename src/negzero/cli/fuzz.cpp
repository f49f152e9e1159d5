// `negzero fuzz`.

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <negzero/campaign/fuzz.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/numbers.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>

namespace negzero::cli {

namespace {

using Clock = std::chrono::steady_clock;

class SearchListener final : public campaign::FuzzListener {
 public:
  SearchListener(const Common& common, const campaign::FuzzOptions& options, std::string banner)
      : common_(common),
        options_(options),
        invocation_(invocation_of(common, std::nullopt)),
        banner_(std::move(banner)) {}

  void on_start(bool resumed) override {
    tell(banner_);
    if (resumed) tell_line(fmt::format("going on with shard {} of {}", options_.shard.to_string(), options_.folder));
  }
  void on_progress(const campaign::FuzzPoint& now, std::uint64_t vacuous,
                   const campaign::BeingShrunk& shrinking) override {
    if (!first_) first_ = {Clock::now(), now.cases};
    if (!progress_.is_due()) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - first_->first).count();
    const auto spent = static_cast<std::uint64_t>(std::chrono::duration<double>(Clock::now() - start_).count() * 1000);
    const double rate = seconds > 0 ? static_cast<double>(now.cases - first_->second) / seconds : 0;
    std::uint64_t left_ms = options_.time_ms - std::min(options_.time_ms, spent);
    if (options_.time_ms == 0 && options_.cases > 0 && rate > 0) {
      const std::uint64_t done = now.cases - first_->second;
      left_ms = static_cast<std::uint64_t>(1000 * static_cast<double>(options_.cases - std::min(options_.cases, done)) /
                                           rate);
    }
    progress_.show(report::fuzz_progress_text(now, vacuous, rate, left_ms) + shrinking_text(shrinking));
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
    const report::FindingEntry entry = report::entry_of(finding, invocation_);
    written_ = print_text(report::finding_text(entry) + "\n") && written_;
  }
  void clear() const { progress_.clear(); }
  [[nodiscard]] bool written() const { return written_; }

 private:
  const Common& common_;
  const campaign::FuzzOptions& options_;
  report::Invocation invocation_;  ///< for findings that are printed while it runs
  std::string banner_;             ///< not before all flags make sense
  Progress progress_;
  std::optional<std::pair<Clock::time_point, std::uint64_t>> first_;
  Clock::time_point start_ = Clock::now();
  bool written_ = true;
};

/// "2/4": the second of four.
base::Result<campaign::Shard> parse_shard(const std::string& text) {
  constexpr std::uint64_t kMost = 100000;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const auto count = parse_number(text.substr(slash + 1), 1, kMost);
    const auto number = count ? parse_number(text.substr(0, slash), 1, *count) : count;
    if (number) return campaign::Shard{static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*count)};
  }
  return base::usage_error(fmt::format("--shard {}: say I/N, as 2/4 for the second of four; I goes from 1 to N", text));
}

/// What the search learns from besides values, where it can.
std::string learning_text(const std::vector<const kernel::Kernel*>& kernels,
                          const campaign::EvaluationOptions& evaluation) {
  const auto watched = static_cast<std::size_t>(std::ranges::count_if(kernels, [](const kernel::Kernel* kernel) {
    const kernel::Kernel* const build = kernel::registry().find(kernel->name, {kernel->place, true});
    return build != nullptr && build->build.coverage;
  }));
  std::string why;
  if (!kernel::kCanBeWatched[evaluation.place]) {
    why = "only the host executor shows it";
  } else if (evaluation.watch == campaign::Watch::Never) {
    why = "only watched runs show it";
  } else if (watched == 0) {
    why = "no kernel here has a watched build";
  }
  if (!why.empty()) return fmt::format("learns from features of values only, not from coverage of code: {}", why);
  std::string text = "learns from features of values and from coverage of code";
  if (watched < kernels.size()) {
    text += fmt::format(" ({} of {} kernels have a watched build, which shows it)", watched, kernels.size());
  }
  return text;
}

int merge(const std::vector<const kernel::Kernel*>& kernels, const campaign::FuzzOptions& options,
          const ReportFlags& reports, const Common& common) {
  const auto merged = campaign::merge(kernels, options, watch_interrupts());
  if (!merged) return fail(merged.error(), common);
  const bool any_failing = std::ranges::any_of(*merged, [](const auto& kernel) { return !kernel.failing.empty(); });
  return finish(report::document_of(*merged, invocation_of(common, std::nullopt)), reports, common,
                {.finding = any_failing});
}

}  // namespace

int fuzz(const FuzzFlags& flags, const Common& common) {
  campaign::FuzzOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  const auto shard = parse_shard(flags.shard);
  if (!shard) return fail(shard.error(), common);
  options.evaluation = *evaluation;
  options.shard = *shard;
  options.folder = flags.folder;
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.seed = seed_or_another(flags.making.seed);
  options.most = flags.most;
  options.first_finding = flags.first_finding;
  auto accepted = accepted_findings(flags.accept, common);
  if (!accepted) return fail(accepted.error(), common);
  options.accepted = *std::move(accepted);
  options.evaluation.observe = draws_matrices(flags.reports);
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);

  const auto kernels = campaign::kernels_matching(flags.globs, options.evaluation.place);
  if (!kernels) return fail(kernels.error(), common);
  const auto mix = mix_of(flags.making, *kernels);
  if (!mix) return fail(mix.error(), common);
  options.mix = *mix;
  if (flags.merge) return merge(*kernels, options, flags.reports, common);
  const std::string_view executor = kernel::name(options.evaluation.place);
  std::string banner = fmt::format("negzero fuzz: {} kernel{} in {}, shard {}, {} executor; {}\n", kernels->size(),
                                   kernels->size() == 1 ? "" : "s", options.folder, options.shard.to_string(), executor,
                                   learning_text(*kernels, options.evaluation));
  for (const std::string& name : campaign::kernels_without_build(flags.globs, options.evaluation.place)) {
    banner += fmt::format("skipped: {} has no build for the {} executor\n", name, executor);
  }
  if (options.time_ms == 0 && options.cases == 0) banner += "no --time and no --cases: until Ctrl-C, which saves all\n";
  SearchListener listener(common, options, std::move(banner));
  const std::function<bool()> stop = watch_interrupts();
  const auto report = campaign::fuzz(*kernels, options, listener, stop);
  listener.clear();
  if (!report) return fail(report.error(), common);

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  outcome.undecided = std::ranges::none_of(report->kernels, &campaign::FuzzedKernel::decided) &&
                      !(flags.allow_not_judged && has_not_judged(report->kernels));
  for (const campaign::FuzzedKernel& kernel : report->kernels) {
    if (kernel.has_new()) outcome.add_finding_of(kernel.name);
    outcome.infrastructure = outcome.infrastructure || kernel.error > 0;
  }
  for (const base::Error& error : report->errors) {
    complain(error);
    outcome.infrastructure = true;
  }
  outcome.finding = complain_of_stale(report->ledger) || outcome.finding;
  outcome.infrastructure = outcome.infrastructure || !listener.written();
  return finish(report::document_of(*report, invocation_of(common, report->seed)), flags.reports, common, outcome);
}

}  // namespace negzero::cli
