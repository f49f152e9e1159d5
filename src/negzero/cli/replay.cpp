// `negzero replay`.

#include <fmt/format.h>

#include <negzero/campaign/replay.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/report_files.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/report/console.hpp>

namespace negzero::cli {

int replay(const ReplayFlags& flags, const Common& common) {
  campaign::ReplayOptions options;
  const auto evaluation = evaluation_options(flags.running);
  if (!evaluation) return fail(evaluation.error(), common);
  options.evaluation = *evaluation;
  options.kernels = flags.kernels;
  options.record = flags.record;
  options.save_outputs = flags.save_outputs;
  options.command = common.command;
  const auto files = campaign::case_files(flags.paths, flags.list);
  if (!files) return fail(files.error(), common);

  const std::function<bool()> stop = watch_interrupts();
  options.evaluation.observe = draws_matrices(flags.reports);
  if (const auto writable = check_reports(flags.reports); !writable) return fail(writable.error(), common);

  Outcome outcome;
  const report::Invocation invocation = invocation_of(common, std::nullopt);
  const auto on_item = [&](const campaign::ReplayItem& item) {
    if (common.json) return;
    const std::string text = report::item_text(report::judgement_of(item, invocation));
    if (!text.empty() && !print_text(text)) outcome.infrastructure = true;
  };
  const auto report = campaign::replay(*files, options, on_item, stop);
  if (!report) return fail(report.error(), common);
  for (const base::Error& error : report->errors) {
    complain(error);
    outcome.add(error.kind);
  }
  using campaign::ReplayStatus;
  std::size_t decided = 0;
  for (const campaign::ReplayItem& item : report->items) {
    const ReplayStatus status = item.status();
    if (status == ReplayStatus::Different) outcome.add_finding_of(item.kernel);
    outcome.infrastructure = outcome.infrastructure || status == ReplayStatus::Error;
    const bool is_enough = flags.allow_not_judged && item.verdict.kind == verdict::VerdictKind::NotJudged;
    const bool is_decided = status == ReplayStatus::AsExpected || status == ReplayStatus::Different;
    decided += is_decided || (is_enough && status == ReplayStatus::Undecided) ? 1 : 0;
  }
  outcome.interrupted = report->interrupted;
  outcome.undecided = decided == 0;
  for (const campaign::Recorded& entry : report->recorded) {
    if (entry.now.verdict != verdict::VerdictKind::Fail || entry.now.kernel.starts_with("faulty.")) continue;
    tell_line(fmt::format("warning: {} now expects {} to fail: `replay` is content with it until it passes", entry.path,
                          entry.now.kernel));
  }
  return finish(report::document_of(*report, invocation_of(common, std::nullopt)), flags.reports, common, outcome);
}

}  // namespace negzero::cli
