// `negzero check`.

#include <chrono>
#include <cstdlib>
#include <map>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/campaign/check.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// Progress on standard error: a line rewritten on a terminal; elsewhere a line after two seconds, then every ten.
class ConsoleListener final : public campaign::CheckListener {
 public:
  ConsoleListener(const Common& common, const campaign::EvaluationOptions& evaluation)
      : common_(common), evaluation_(evaluation) {}

  void on_progress(std::uint64_t done, std::uint64_t total, std::uint64_t failing) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval_) return;
    last_ = now;
    if (!terminal_) interval_ = std::chrono::seconds(10);
    // A run limited by time has no total worth printing.
    const std::string of = total < (std::uint64_t{1} << 39) ? fmt::format(" of {}", total) : "";
    tell(fmt::format("{}{}{} cases, {} failing{}", terminal_ ? "\r" : "", done, of, failing,
                     terminal_ ? "\033[K" : "\n"));
  }
  void on_shrinking(const std::string& kernel, const operation::Failure& failure) override {
    clear();
    tell(fmt::format("shrinking {} ({}), {}\n", kernel, operation::name(failure.kind),
                     campaign::shrinking_takes(evaluation_, failure.kind)));
  }
  void on_finding(const campaign::Finding& finding) override {
    if (!common_.json) written_ = print_text(report::finding_text(finding, common_.command) + "\n") && written_;
  }
  void clear() const {
    if (terminal_) tell("\r\033[K");
  }
  [[nodiscard]] bool written() const { return written_; }

 private:
  const Common& common_;
  const campaign::EvaluationOptions& evaluation_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool written_ = true;
  std::chrono::milliseconds interval_{terminal_ ? 200 : 2000};
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

base::Result<std::map<std::string, double>> parse_weights(const std::vector<std::string>& texts) {
  std::map<std::string, double> weights;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    char* end = nullptr;
    const double weight = equals == std::string::npos ? -1 : std::strtod(text.c_str() + equals + 1, &end);
    if (equals == std::string::npos || end == text.c_str() + equals + 1 || *end != '\0' || !(weight >= 0)) {
      return base::usage_error(fmt::format("--weight {}: write STRATEGY=WEIGHT with a weight of at least 0", text));
    }
    weights[text.substr(0, equals)] = weight;
  }
  return weights;
}

/// "4 workers", "16 threads on 1 GPU".
std::string workers_text(const campaign::EvaluationOptions& how) {
  const auto count = [](std::size_t number, const char* word) {
    return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s");
  };
  const std::string jobs = count(static_cast<std::size_t>(how.jobs), how.gpus.empty() ? "worker" : "thread");
  return how.gpus.empty() ? jobs : fmt::format("{} on {}", jobs, count(how.gpus.size(), "GPU"));
}

std::uint64_t pick_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) | 1;  // Never 0, which would pick another one.
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
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.seed = flags.seed != 0 ? flags.seed : pick_seed();
  options.save_dir = flags.save;

  const auto kernels = campaign::kernels_matching(flags.globs, options.evaluation.executor);
  if (!kernels) return fail(kernels.error(), common);
  const std::vector<std::string> skipped = campaign::kernels_without_build(flags.globs, options.evaluation.executor);
  tell(fmt::format("negzero check: {} kernel{}, seed {}, {} executor, {}\n", kernels->size(),
                   kernels->size() == 1 ? "" : "s", options.seed, kernel::name(options.evaluation.executor),
                   workers_text(options.evaluation)));
  for (const std::string& name : skipped) {
    tell(
        fmt::format("skipped: {} has no build for the {} executor\n", name, kernel::name(options.evaluation.executor)));
  }
  ConsoleListener listener(common, options.evaluation);
  const std::function<bool()> stop = watch_interrupts();
  auto report = campaign::check(*kernels, options, listener, stop);
  listener.clear();
  if (!report) return fail(report.error(), common);
  report->skipped = skipped;

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  for (const campaign::KernelReport& kernel : report->kernels) {
    outcome.finding = outcome.finding || kernel.fail > 0;
    outcome.infrastructure = outcome.infrastructure || kernel.error > 0;
    outcome.undecided = outcome.undecided || !kernel.decided();
  }
  for (const base::Error& error : report->errors) {
    complain(error);
    outcome.infrastructure = true;
  }
  const bool written =
      common.json ? print_document(report::check_json(*report)) : print_text(report::check_text(*report));
  if (!written || !listener.written()) outcome.infrastructure = true;
  return outcome.code();
}

}  // namespace negzero::cli
