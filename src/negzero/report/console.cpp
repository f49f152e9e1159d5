// Reports as lines for a person.

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/unwatched.hpp>

namespace negzero::report {

namespace {

using base::one_line;
using verdict::VerdictKind;

/// The first line of what a kernel printed, for a line of ours.
std::string first_line(std::string_view printed) {
  constexpr std::size_t kMost = 120;
  const std::string_view line = printed.substr(0, printed.find('\n'));
  const bool is_all = line.size() <= kMost && line.size() + 1 >= printed.size();
  return std::string(line.substr(0, kMost)) + (is_all ? "" : " ...");
}

/// What stands in the place of a verdict where a kernel got none.
std::string nothing_decided(const campaign::KernelReport& kernel) {
  if (kernel.cases == 0) return "nothing was decided: no case ran";
  std::string why;
  const auto add = [&](std::uint64_t count, std::string_view word) {
    if (count > 0) why += fmt::format("{}{} {}", why.empty() ? "" : ", ", count, word);
  };
  add(kernel.refused, "refused");
  add(kernel.vacuous, "vacuous");
  add(kernel.error, kernel.error == 1 ? "error" : "errors");
  return fmt::format("nothing was decided in {} ({}): this is no pass", plural(kernel.cases, "case"), why);
}

}  // namespace

std::string counts_text(const campaign::Counts& counts) {
  std::string text = fmt::format("{:>7} cases  {:>7} pass", counts.cases, counts.pass);
  const auto add = [&](std::uint64_t count, std::string_view word) {
    if (count > 0) text += fmt::format("  {} {}", count, word);
  };
  add(counts.fail, "FAIL");
  add(counts.vacuous, "vacuous");
  add(counts.refused, "refused");
  add(counts.error, "error");
  add(counts.watched, "watched");
  add(counts.too_large, "too large to watch");
  return text;
}

std::string finding_text(const campaign::Finding& finding, const std::string& command) {
  const kernel::Kernel* const kernel = kernel::registry().find_anywhere(finding.kernel);
  std::string text;
  if (kernel != nullptr) {
    // A case that could not be saved cannot be replayed by a file.
    const std::string replay = finding.case_path.empty() ? "" : campaign::replay_line(command, finding.case_path, "");
    text = property::counterexample(*kernel, finding.shrunk, finding.failure, replay);
  }
  if (!finding.watched.empty()) text += fmt::format("  watched    {}\n", one_line(finding.watched));
  if (finding.accepted) {
    const auto& [number, reason, link] = *finding.accepted;
    text += fmt::format("  accepted   by entry #{}: {} ({})\n", number, one_line(reason), one_line(link));
  }
  for (const auto& [place, cases] : finding.also_at) {
    text += fmt::format("  also at    {}, in {}\n", place.to_string(), plural(cases, "case"));
  }
  std::vector<std::string> known;
  // A search does not count the cases of a class.
  if (finding.failing_cases > 0) known.push_back(plural(finding.failing_cases, "failing case") + " of this cause");
  if (finding.evaluations > 0) {
    known.push_back("shrunk in " + plural(static_cast<std::uint64_t>(finding.evaluations), "run"));
  }
  if (finding.hit_rate && *finding.hit_rate < 1) {
    known.push_back(fmt::format("fails in {:.0f} % of runs", 100 * *finding.hit_rate));
  }
  text += fmt::format("  as found   {}", finding.original_path.empty() ? "not saved" : one_line(finding.original_path));
  text += known.empty() ? "\n" : fmt::format(" ({})\n", fmt::join(known, "; "));
  // From a bound of a sum to an exact one is the usual way down.
  const bool is_state = finding.failure.kind == verdict::FailureClass::Stateful;  // Another rule, of the same cause.
  if (!is_state && finding.original_rule.family() != finding.failure.rule.family()) {
    text += fmt::format("  note       the case as found fails by {}, the shrunk one by {}: perhaps another cause\n",
                        finding.original_rule, finding.failure.rule);
  }
  if (!finding.cut.empty()) {
    const std::string go_on = campaign::shrink_line(command, finding.case_path, "");
    text += fmt::format("  smaller    {}{}\n", finding.cut, finding.case_path.empty() ? "" : "; to go on: " + go_on);
  }
  return text;
}

std::string not_run_lines(const campaign::LedgerOutcome& ledger) {
  std::string text;
  for (const campaign::NotRun& each : ledger.not_run) {
    text += fmt::format("{}  {}\n", one_line(each.kernel), one_line(not_run_text(each)));
  }
  return text;
}

std::string check_text(const campaign::CheckReport& report) {
  std::size_t width = 0;
  for (const auto& kernel : report.kernels) width = std::max(width, kernel.name.size());
  std::string text;
  std::map<std::string, std::uint64_t> mix;
  std::uint64_t cases = 0, vacuous = 0, findings = 0, accepted = 0, undecided = 0, errors = 0, blind_cases = 0;
  double blind = 0;
  for (const auto& kernel : report.kernels) {
    text += fmt::format("{:<{}}  {}", kernel.name, width, counts_text(kernel));
    if (kernel.accepted > 0) text += fmt::format("  {} accepted", kernel.accepted);
    text += kernel.pass > 0 ? fmt::format("  worst margin {:.3f}\n", kernel.worst_margin) : "\n";
    if (!kernel.note.empty()) text += fmt::format("{:<{}}  note: {}\n", "", width, one_line(kernel.note));
    if (!kernel.printed.empty()) text += fmt::format("{:<{}}  it printed: {}\n", "", width, first_line(kernel.printed));
    if (kernel.warnings > 0) {
      const std::string more = kernel.warnings > 1 ? fmt::format(" (a warning at {} cases)", kernel.warnings) : "";
      text += fmt::format("{:<{}}  warning: {}{}\n", "", width, one_line(kernel.warning), more);
    }
    if (!kernel.decided()) text += fmt::format("{:<{}}  warning: {}\n", "", width, nothing_decided(kernel));
    if (const std::string why = why_unwatched(report, kernel); !why.empty()) {
      text += fmt::format("{:<{}}  warning: {}\n", "", width, why);
    }
    for (const auto& [name, count] : kernel.strategies) mix[name] += count;
    cases += kernel.cases;
    vacuous += kernel.vacuous;
    blind += kernel.blind;
    blind_cases += kernel.blind_cases;
    accepted += count_accepted(kernel.findings);
    findings += kernel.findings.size() - count_accepted(kernel.findings);
    errors += kernel.error;
    undecided += kernel.decided() ? 0 : 1;
  }
  text += not_run_lines(report.ledger) + "\nstrategies: ";
  for (auto at = mix.begin(); at != mix.end(); ++at) {
    text += fmt::format("{}{} {}", at == mix.begin() ? "" : ", ", at->first, at->second);
  }
  text += fmt::format("\n{}, {}, seed {}, {} executor, {:.1f} s: ", plural(report.kernels.size(), "kernel"),
                      plural(cases, "case"), report.seed, kernel::name(report.place),
                      static_cast<double>(report.elapsed_ms) / 1000);
  text += ending(findings, report.decided() || !report.kernels.empty(), false);
  text += ledger_ending(accepted, report.ledger);
  if (vacuous > 0) text += fmt::format(", {} vacuous", percent(vacuous, cases));
  if (blind_cases > 0)
    text += fmt::format(", {:.0f} % of lost terms would pass", 100 * blind / static_cast<double>(blind_cases));
  if (errors > 0) text += fmt::format(", {} of ours (see the notes)", plural(errors, "error"));
  if (undecided > 0) text += fmt::format(", {} with nothing decided", plural(undecided, "kernel"));
  if (2 * vacuous > cases) text += "\nmost cases were vacuous: this run says little about these kernels";
  if (report.unsaved) text += "\nnot everything could be saved: what is above is all there is of it";
  if (report.interrupted) {
    text += report.unsaved ? "\ninterrupted" : "\ninterrupted: what was found until then is saved";
  }
  return text + "\n";
}

std::string item_text(const campaign::ReplayItem& item) {
  using campaign::ReplayStatus;
  const ReplayStatus status = item.status();
  std::string_view word;
  std::string what;
  switch (status) {
    case ReplayStatus::AsExpected:
      word = "ok";
      what = verdict::name(item.verdict.kind);
      if (const auto& failure = item.verdict.failure) {
        what += fmt::format(" ({}, {})", verdict::name(failure->kind), failure->rule);
      }
      what += item.recorded ? "" : item.expected ? ", as expected" : "";
      if (!item.verdict.failure && !item.verdict.warning.empty()) what += "; warning: " + item.verdict.warning;
      break;
    case ReplayStatus::Different:
      word = "FAIL";
      what = item.difference();
      break;
    case ReplayStatus::Undecided:
      word = "none";
      what = fmt::format("nothing was decided: {}", verdict::name(item.verdict.kind));
      if (!item.verdict.reason.empty()) what += ": " + item.verdict.reason;
      break;
    case ReplayStatus::Error:
      word = "ERROR";
      what = item.verdict.reason;
      break;
    case ReplayStatus::Skipped:
      word = "skip";
      what = item.skipped;
      break;
  }
  // Said once for all of them, in the summary.
  if (status == ReplayStatus::Skipped && item.kernel.empty()) return "";
  std::string text =
      fmt::format("{:<5} {}  {}: {}\n", word, one_line(item.path), one_line(item.kernel), one_line(what));
  if (status == ReplayStatus::Different) text += item.counterexample;
  return text;
}

std::string replay_text(const campaign::ReplayReport& report) {
  using campaign::ReplayStatus;
  std::map<ReplayStatus, std::uint64_t> counts;
  std::uint64_t expected = 0, not_expected = 0, pass = 0, failing = 0, recorded = 0, others = 0;
  for (const campaign::ReplayItem& item : report.items) {
    const ReplayStatus status = item.status();
    ++counts[status];
    others += status == ReplayStatus::Skipped && item.kernel.empty() ? 1 : 0;
    // A case that expects nothing, such as a finding, is simply right or wrong now.
    if (status == ReplayStatus::AsExpected) ++(item.recorded ? recorded : item.expected ? expected : pass);
    if (status == ReplayStatus::Different) ++(item.expected ? not_expected : failing);
  }
  const std::uint64_t decided = expected + not_expected + pass + failing + recorded;
  std::string text;
  for (const campaign::Recorded& entry : report.recorded) {
    text += fmt::format("recorded in {}: {} on {}: {}\n", one_line(entry.path), one_line(entry.now.kernel),
                        entry.now.executor, one_line(campaign::describe(entry.now)));
  }
  text += decided == 0 ? "nothing was decided" : plural(decided, "verdict") + ": ";
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

}  // namespace negzero::report
