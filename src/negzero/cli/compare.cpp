// `negzero compare`.

#include <array>

#include <fmt/format.h>

#include <negzero/campaign/compare.hpp>
#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/document.hpp>

namespace negzero::cli {

namespace {

/// A kernel as a person names it here: "gemm.tiled.f32@cuda", or without an executor, which --executor then says.
struct Named {
  std::string kernel;
  std::string executor;  ///< empty where not named
};

base::Result<Named> parse_name(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return Named{text, ""};
  Named named{text.substr(0, at), text.substr(at + 1)};
  if (!kernel::where_named(named.executor)) {
    return base::usage_error(fmt::format("{}: the executor after @ is host, watched or cuda", text));
  }
  return named;
}

/// Where the workers run: on a GPU as soon as one of the two kernels does.
std::string executor_of_workers(const std::array<Named, 2>& names, const std::string& flag) {
  if (names[0].executor == "cuda" || names[1].executor == "cuda") return "cuda";
  return names[0].executor.empty() || names[1].executor.empty() ? flag : "host";
}

}  // namespace

int compare(const CompareFlags& flags, const Common& common) {
  std::array<Named, 2> names;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto named = parse_name(flags.kernels[i]);
    if (!named) return fail(named.error(), common);
    names[i] = *named;
  }
  if (flags.running.watch != "auto") {
    return fail(base::usage_error("--watch does not apply to compare: name the side to be watched KERNEL@watched"),
                common);
  }
  Running running = flags.running;
  running.executor = executor_of_workers(names, running.executor);
  const auto evaluation = evaluation_options(running);
  if (!evaluation) return fail(evaluation.error(), common);
  std::array<const kernel::Kernel*, 2> kernels{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& word = names[i].executor.empty() ? flags.running.executor : names[i].executor;
    const auto kernel = campaign::kernel_named(names[i].kernel, kernel::where_named(word).value_or(evaluation->place));
    if (!kernel) return fail(kernel.error(), common);
    kernels[i] = *kernel;
  }

  campaign::CompareOptions options;
  options.evaluation = *evaluation;
  options.cases = flags.cases;
  options.time_ms = flags.time_ms;
  options.bitwise = flags.bitwise;
  options.first_finding = flags.first_finding;
  options.seed = seed_or_another(flags.making.seed);
  options.save_dir = flags.save;
  const auto mix = mix_of(flags.making, kernels);
  if (!mix) return fail(mix.error(), common);
  options.mix = *mix;
  options.evaluation.observe = draws_matrices(flags.reports);
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);
  Progress progress;
  const std::function<bool()> stop = watch_interrupts();
  const auto report = campaign::compare(
      *kernels[0], *kernels[1], options,
      [&] { tell(fmt::format("negzero compare: {} cases, seed {}\n", options.cases, options.seed)); },
      [&](std::uint64_t done) {
        if (progress.is_due()) progress.show(fmt::format("{} of {} cases", done, options.cases));
      },
      stop);
  progress.clear();
  if (!report) return fail(report.error(), common);

  Outcome outcome;
  outcome.interrupted = report->interrupted;
  outcome.finding = report->wrong() || (flags.bitwise && report->differing() > 0);
  outcome.infrastructure = report->error > 0 || !report->errors.empty();
  outcome.undecided = report->identical + report->differing() == 0;
  for (const base::Error& error : report->errors) complain(error);
  return finish(report::document_of(*report, invocation_of(common, options.seed), flags.bitwise), flags.reports, common,
                outcome);
}

}  // namespace negzero::cli
