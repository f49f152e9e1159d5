// `negzero check`.

#include <chrono>
#include <cstdio>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/campaign/check.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// Progress on standard error: a line rewritten on a terminal, a line every ten seconds elsewhere.
class ConsoleListener final : public campaign::CheckListener {
 public:
  explicit ConsoleListener(bool print_findings) : print_findings_(print_findings) {}

  void on_progress(std::uint64_t done, std::uint64_t total, std::uint64_t failing) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10))) return;
    last_ = now;
    // A run limited by time has no total worth printing.
    const std::string of = total < (std::uint64_t{1} << 39) ? fmt::format(" of {}", total) : "";
    fmt::print(stderr, "{}{}{} cases, {} failing{}", terminal_ ? "\r" : "", done, of, failing,
               terminal_ ? "\033[K" : "\n");
    std::fflush(stderr);
  }
  void on_shrinking(const std::string& kernel, const operation::Failure& failure) override {
    clear();
    fmt::print(stderr, "shrinking {} ({})\n", kernel, operation::name(failure.kind));
  }
  void on_finding(const campaign::Finding& finding) override {
    if (print_findings_) written_ = print(report::finding_text(finding) + "\n") && written_;
  }
  void clear() const {
    if (terminal_) fmt::print(stderr, "\r\033[K");
  }
  [[nodiscard]] bool written() const { return written_; }

 private:
  bool print_findings_;
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool written_ = true;
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

}  // namespace

int check(const CheckFlags& flags, const Common& common) {
  campaign::CheckOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error());
  const auto weights = parse_weights(flags.weights);
  if (!weights) return fail(weights.error());
  options.evaluation = *evaluation;
  options.weights = *weights;
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.seed = flags.seed != 0 ? flags.seed : std::random_device{}() | std::uint64_t{1};
  options.save_dir = flags.save;

  const auto kernels = kernel::registry().match(flags.globs, kernel::Executor::Host);
  for (const std::string& glob : flags.globs) {
    if (!kernel::registry().match(std::span(&glob, 1), kernel::Executor::Host).empty()) continue;
    std::string closest;
    for (const std::string& name : kernel::registry().closest(glob, kernel::Executor::Host)) closest += " " + name;
    fmt::print(stderr, "negzero: no kernel matches '{}'; the closest are:{}\n", glob, closest);
    return kUndecided;
  }
  if (kernels.empty()) {
    fmt::print(stderr, "negzero: this program has no kernels\n");
    return kUndecided;
  }
  fmt::print(stderr, "negzero check: {} kernels, seed {}, host executor, {} worker{}\n", kernels.size(), options.seed,
             options.evaluation.jobs, options.evaluation.jobs == 1 ? "" : "s");
  ConsoleListener listener(!common.json);
  const std::function<bool()> stop = watch_interrupts();
  const auto report = campaign::check(kernels, options, listener, stop);
  listener.clear();
  if (!report) return fail(report.error());

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  for (const campaign::KernelReport& kernel : report->kernels) {
    outcome.finding = outcome.finding || kernel.fail > 0;
    outcome.infrastructure = outcome.infrastructure || kernel.error > 0;
    outcome.undecided = outcome.undecided || !kernel.decided();
  }
  const bool written = print(common.json ? report::check_json(*report) : report::check_text(*report));
  if (!written || !listener.written()) outcome.infrastructure = true;
  return outcome.code();
}

}  // namespace negzero::cli
