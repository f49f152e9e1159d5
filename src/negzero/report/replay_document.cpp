// What `replay` has to tell.

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

using campaign::ReplayStatus;

/// What happened, in words that need not be compared with anything.
std::string outcome_of(const campaign::ReplayItem& item, ReplayStatus status) {
  const verdict::Verdict& verdict = item.verdict;
  std::string text(verdict::name(verdict.kind));
  switch (status) {
    case ReplayStatus::AsExpected:
      if (const auto& failure = verdict.failure) {
        text += fmt::format(" ({}, {})", verdict::name(failure->kind), failure->rule);
      }
      text += item.recorded ? "" : item.expected ? ", as expected" : "";
      if (!verdict.failure && !verdict.warning.empty()) text += "; warning: " + verdict.warning;
      for (const std::string& race : verdict.by_value) text += "; warning: " + race;
      return text;
    case ReplayStatus::Different:
      return item.difference();
    case ReplayStatus::Undecided:
      return fmt::format("nothing was decided: {}{}{}", text, verdict.reason.empty() ? "" : ": ", verdict.reason);
    case ReplayStatus::Error:
      return verdict.reason;
    case ReplayStatus::Skipped:
      break;
  }
  return item.skipped;
}

/// What is not as expected, with its place in source.
FindingEntry entry_of(const campaign::ReplayItem& item, const Invocation& invocation) {
  // A fault that is expected and passes is a finding without a failure.
  const verdict::Failure failure =
      item.verdict.failure.value_or(verdict::Failure{.rule = "replay.expected", .message = item.difference()});
  FindingEntry entry = failure_entry(item.kernel, failure, item.watched, invocation.sources);
  entry.operation = item.operation;
  if (!item.verdict.failure) entry.heading = fmt::format("{}: {}", item.kernel, item.difference());
  if (item.verdict.failure && item.expected) entry.notes = {item.difference()};
  entry.counterexample = item.counterexample;
  entry.case_path = item.path;
  entry.replay = campaign::replay_line(invocation.command, item.path, item.kernel, true);
  entry.observations = item.observations;
  return entry;
}

/// Cases whose values nothing judges, of those where nothing was decided.
std::uint64_t not_judged(const campaign::ReplayReport& report) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      report.items, [](const auto& item) { return item.verdict.kind == verdict::VerdictKind::NotJudged; }));
}

/// How many cases came to what, in words.
std::string closing(const campaign::ReplayReport& report, std::map<ReplayStatus, std::uint64_t> counts) {
  std::uint64_t expected = 0, not_expected = 0, pass = 0, failing = 0, recorded = 0, others = 0;
  for (const campaign::ReplayItem& item : report.items) {
    const ReplayStatus status = item.status();
    others += status == ReplayStatus::Skipped && item.kernel.empty() ? 1 : 0;
    // A case that expects nothing, such as a finding, is simply right or wrong now.
    if (status == ReplayStatus::AsExpected) ++(item.recorded ? recorded : item.expected ? expected : pass);
    if (status == ReplayStatus::Different) ++(item.expected ? not_expected : failing);
  }
  const std::uint64_t decided = expected + not_expected + pass + failing + recorded;
  std::string text = decided == 0 ? "nothing was decided" : plural(decided, "verdict") + ": ";
  bool first = true;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", first ? "" : ", ", count, what);
    first = false;
  };
  add(pass, "pass");
  add(failing, "FAIL");
  add(expected, "as expected");
  add(recorded, "to be expected from now on");
  add(not_expected, "not as expected");
  if (counts[ReplayStatus::Undecided] > 0) {
    text += fmt::format(", {} where nothing was decided", plural(counts[ReplayStatus::Undecided], "case"));
    if (const std::uint64_t count = not_judged(report)) text += fmt::format(" (values not judged in {})", count);
  }
  const std::uint64_t skipped = counts[ReplayStatus::Skipped] - others;
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (others > 0) {
    text +=
        fmt::format(", {} skipped whose operation none of the kernels asked for implements", plural(others, "case"));
  }
  const std::uint64_t errors = counts[ReplayStatus::Error] + report.errors.size();
  if (errors > 0) text += fmt::format(", {}", plural(errors, "error"));
  if (report.interrupted) text += " (interrupted)";
  return text + "\n";
}

}  // namespace

Judgement judgement_of(const campaign::ReplayItem& item, const Invocation& invocation) {
  const ReplayStatus status = item.status();
  const std::string outcome = outcome_of(item, status);
  Judgement judgement{.suite = item.operation, .kernel = item.kernel, .name = item.path, .message = outcome};
  using enum Judgement::Status;
  constexpr Judgement::Status kStatuses[] = {Passed, Failed, Skipped, Error, Skipped};
  judgement.status = kStatuses[static_cast<std::size_t>(status)];
  if (status == ReplayStatus::AsExpected) judgement.message.clear();
  if (status == ReplayStatus::Different) judgement.text = finding_text(entry_of(item, invocation));
  if (status == ReplayStatus::Undecided) {
    judgement.message =
        fmt::format("nothing was decided: {} {}", verdict::name(item.verdict.kind), item.verdict.reason);
  }
  judgement.replayed = {.status = status,
                        .verdict = item.verdict,
                        .expected = item.expected ? item.expected->verdict : verdict::VerdictKind::Pass,
                        .skipped = item.skipped,
                        .outputs = item.outputs,
                        .outcome = outcome};
  return judgement;
}

Document document_of(const campaign::ReplayReport& report, const Invocation& invocation) {
  Document document{.invocation = invocation,
                    .lists = {List::Results, List::Recorded, List::Errors},
                    .recorded = report.recorded,
                    .interrupted = report.interrupted,
                    .told = true};
  std::map<ReplayStatus, std::uint64_t> counts;
  for (const campaign::ReplayItem& item : report.items) {
    const Judgement& judgement = document.judgements.emplace_back(judgement_of(item, invocation));
    ++counts[judgement.replayed->status];
    if (judgement.status == Judgement::Status::Failed) {
      FindingEntry& entry = document.findings.emplace_back(entry_of(item, invocation));
      if (entry.counterexample.empty()) entry.counterexample = item_text(judgement);
    }
  }
  add_errors(report.errors, document);
  const std::uint64_t decided = counts[ReplayStatus::AsExpected] + counts[ReplayStatus::Different];
  document.title = "negzero replay: " + ending(document.findings.size(), decided > 0, report.interrupted);
  document.facts = {{"", "as expected", counts[ReplayStatus::AsExpected]},
                    {"", "not as expected", counts[ReplayStatus::Different]},
                    {"", "nothing decided", counts[ReplayStatus::Undecided]},
                    {"", "of these, values not judged", not_judged(report)},
                    {"", "skipped", counts[ReplayStatus::Skipped]},
                    {"", "errors", counts[ReplayStatus::Error] + report.errors.size()},
                    {"executor", "executor", std::string(kernel::name(report.place))},
                    {"interrupted", "", report.interrupted}};
  document.closing = closing(report, counts);
  return document;
}

}  // namespace negzero::report
