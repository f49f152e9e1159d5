// `negzero compare`.

#include <array>

#include <fmt/format.h>

#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/comparison.hpp>

namespace negzero::cli {

namespace {

/// A kernel as a person names it here: "gemm.tiled.f32" on the executor of --executor, "gemm.tiled.f32@cuda" on its
/// own.
struct Named {
  std::string kernel, executor;
};

base::Result<Named> parse_name(const std::string& text, const std::string& executor) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return Named{text, executor};
  Named named{text.substr(0, at), text.substr(at + 1)};
  if (named.executor != "host" && named.executor != "cuda") {
    return base::usage_error(fmt::format("{}: the executor after @ is host or cuda", text));
  }
  return named;
}

}  // namespace

int compare(const CompareFlags& flags, const Common& common) {
  std::array<Named, 2> names;
  bool on_gpu = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto named = parse_name(flags.kernels[i], flags.running.executor);
    if (!named) return fail(named.error(), common);
    names[i] = *named;
    on_gpu = on_gpu || names[i].executor == "cuda";
  }
  Running running = flags.running;
  // A kernel that names no executor goes where --executor says; the workers need a GPU as soon as one of the two does.
  const bool all_named = names[0].executor != running.executor && names[1].executor != running.executor;
  if (on_gpu || all_named) running.executor = on_gpu ? "cuda" : "host";
  const auto evaluation = evaluation_options(running);
  if (!evaluation) return fail(evaluation.error(), common);
  std::array<const kernel::Kernel*, 2> kernels{};
  for (std::size_t i = 0; i < 2; ++i) {
    const kernel::Executor executor = names[i].executor == "host"   ? kernel::Executor::Host
                                      : names[i].executor == "cuda" ? kernel::Executor::Cuda
                                                                    : evaluation->executor;
    const auto kernel = campaign::kernel_named(names[i].kernel, executor);
    if (!kernel) return fail(kernel.error(), common);
    kernels[i] = *kernel;
  }

  campaign::CompareOptions options;
  options.evaluation = *evaluation;
  options.cases = flags.cases;
  options.seed = pick_seed(flags.seed);
  options.save_dir = flags.save;
  const auto weights = parse_weights(flags.weights);
  if (!weights) return fail(weights.error(), common);
  options.weights = *weights;
  tell(fmt::format("negzero compare: {} cases, seed {}\n", options.cases, options.seed));
  Progress progress;
  const std::function<bool()> stop = watch_interrupts();
  const auto report = campaign::compare(
      *kernels[0], *kernels[1], options,
      [&](std::uint64_t done) { progress.show(fmt::format("{} of {} cases", done, options.cases)); }, stop);
  progress.clear();
  if (!report) return fail(report.error(), common);

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  outcome.finding = report->wrong() || (flags.bitwise && report->differing() > 0);
  outcome.infrastructure = report->error > 0 || !report->errors.empty();
  outcome.undecided = report->identical + report->differing() == 0;
  for (const base::Error& error : report->errors) complain(error);
  const bool written = common.json ? print_document(report::compare_json(*report))
                                   : print_text(report::compare_text(*report, common.command));
  outcome.infrastructure = outcome.infrastructure || !written;
  return outcome.code();
}

}  // namespace negzero::cli
