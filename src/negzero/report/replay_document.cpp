// What `replay` has to tell.

#include <map>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

Document document_of(const campaign::ReplayReport& report, const Invocation& invocation) {
  using campaign::ReplayStatus;
  Document document;
  document.invocation = invocation;
  document.interrupted = report.interrupted;
  std::map<ReplayStatus, std::uint64_t> counts;
  for (const campaign::ReplayItem& item : report.items) {
    const ReplayStatus status = item.status();
    ++counts[status];
    Judgement judgement;
    judgement.suite = item.operation;
    judgement.kernel = item.kernel;
    judgement.name = item.path;
    switch (status) {
      case ReplayStatus::AsExpected:
        break;
      case ReplayStatus::Skipped:
        judgement.status = Judgement::Status::Skipped;
        judgement.message = item.skipped;
        break;
      case ReplayStatus::Undecided:
        judgement.status = Judgement::Status::Skipped;
        judgement.message =
            fmt::format("nothing was decided: {} {}", verdict::name(item.verdict.kind), item.verdict.reason);
        break;
      case ReplayStatus::Error:
        judgement.status = Judgement::Status::Error;
        judgement.message = item.verdict.reason;
        break;
      case ReplayStatus::Different: {
        judgement.status = Judgement::Status::Failed;
        judgement.message = item.difference();
        judgement.text = item.counterexample;
        // A fault that is expected and passes is a finding without a failure.
        const verdict::Failure failure =
            item.verdict.failure.value_or(verdict::Failure{.rule = "replay.expected", .message = item.difference()});
        FindingEntry entry = failure_entry(item.kernel, failure, item.watched, invocation.sources);
        entry.operation = item.operation;
        if (!item.verdict.failure) entry.heading = fmt::format("{}: {}", item.kernel, item.difference());
        if (item.verdict.failure && item.expected) entry.facts = {item.difference()};
        entry.text = item.counterexample.empty() ? item_text(item) : item.counterexample;
        entry.case_path = item.path;
        entry.replay = campaign::replay_line(invocation.command, item.path, item.kernel);
        entry.observations = item.observations;
        document.findings.push_back(std::move(entry));
        break;
      }
    }
    document.judgements.push_back(std::move(judgement));
  }
  add_errors(report.errors, document);
  const std::uint64_t decided = counts[ReplayStatus::AsExpected] + counts[ReplayStatus::Different];
  document.title = "negzero replay: " + ending(document.findings.size(), decided > 0, report.interrupted);
  document.facts = {{"as expected", std::to_string(counts[ReplayStatus::AsExpected])},
                    {"not as expected", std::to_string(counts[ReplayStatus::Different])},
                    {"nothing decided", std::to_string(counts[ReplayStatus::Undecided])},
                    {"skipped", std::to_string(counts[ReplayStatus::Skipped])},
                    {"errors", std::to_string(counts[ReplayStatus::Error] + report.errors.size())},
                    {"executor", std::string(kernel::name(report.place))}};
  return document;
}

}  // namespace negzero::report
