// `negzero report`.

#include <fmt/format.h>

#include <negzero/campaign/survey.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/making_cases.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/document.hpp>

namespace negzero::cli {

int report_campaign(const CampaignFlags& flags, const Common& common) {
  auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  evaluation->observe = draws_matrices(flags.reports);
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);

  Progress progress;
  const auto on_run = [&](std::size_t done, std::size_t of) {
    if (progress.is_due()) progress.show(fmt::format("{} of {} findings run again", done, of));
  };
  const auto survey = campaign::survey(flags.folder, *evaluation, on_run, watch_interrupts());
  progress.clear();
  if (!survey) return fail(survey.error(), common);

  Outcome outcome;
  outcome.interrupted = survey->interrupted;
  outcome.finding = !survey->findings.empty();
  outcome.undecided = !survey->decided() && !(flags.allow_not_judged && has_not_judged(survey->state.kernels));
  outcome.infrastructure = survey->counts().error > 0;
  for (const base::Error& error : survey->errors) {
    complain(error);
    outcome.add(error.kind);
  }
  return finish(report::document_of(*survey, invocation_of(common, std::nullopt)), flags.reports, common, outcome);
}

}  // namespace negzero::cli
