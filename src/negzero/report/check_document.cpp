// What `check` has to tell.

#include <fmt/format.h>

#include <negzero/campaign/wire.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/unwatched.hpp>

namespace negzero::report {

namespace {

KernelEntry kernel_entry(const campaign::CheckReport& report, const campaign::KernelReport& kernel) {
  KernelEntry entry = declared_entry(kernel.name);
  static_cast<campaign::Counts&>(entry) = kernel;
  entry.worst_margin = kernel.worst_margin;
  entry.accepted = kernel.accepted;
  entry.margins = kernel.margins;
  if (!kernel.note.empty()) entry.notes.push_back(kernel.note);
  for (const campaign::NotRun& not_run : report.ledger.not_run) {
    if (not_run.kernel == kernel.name) entry.notes.push_back(not_run_text(not_run));
  }
  if (!kernel.decided()) entry.notes.emplace_back("nothing was decided: this is no pass");
  if (kernel.warnings > 0) {
    entry.notes.push_back(fmt::format("warning: {} ({} with one)", kernel.warning, plural(kernel.warnings, "case")));
  }
  if (const std::string why = why_unwatched(report, kernel); !why.empty()) entry.notes.push_back("warning: " + why);
  if (!kernel.printed.empty()) entry.notes.push_back("it printed: " + kernel.printed);
  return entry;
}

/// All of a kernel's findings are one judgement, whose name is the same in every run.
Judgement judgement_of(const KernelEntry& kernel, const campaign::KernelReport& report, const std::string& command) {
  Judgement judgement;
  judgement.suite = kernel.operation;
  judgement.kernel = kernel.name;
  judgement.name = campaign::kConformance;
  if (report.fails()) {
    judgement.status = Judgement::Status::Failed;
    judgement.message = plural(report.findings.size() - count_accepted(report.findings), "finding");
    for (const campaign::Finding& finding : report.findings) {
      if (finding.accepted) continue;
      judgement.message += fmt::format("; {} by {}: {}", verdict::name(finding.failure.kind), finding.failure.rule,
                                       finding.failure.message);
      judgement.text += finding_text(finding, command) + "\n";
    }
  } else if (kernel.error > 0) {
    judgement.status = Judgement::Status::Error;
    judgement.message = fmt::format("{}: {}", plural(kernel.error, "error"), report.note);
  } else if (!kernel.decided()) {
    judgement.status = Judgement::Status::Skipped;
    judgement.message = fmt::format("nothing was decided in {}: {} refused, {} vacuous. {}",
                                    plural(kernel.cases, "case"), kernel.refused, kernel.vacuous, report.note);
  } else if (kernel.pass == 0) {
    judgement.status = Judgement::Status::Skipped;
    judgement.message = "no case passed: all that was decided failed as it is accepted";
  }
  return judgement;
}

/// One of an accepted finding: it did not pass, and is no failure.
Judgement judgement_of(const KernelEntry& kernel, const campaign::Finding& finding) {
  return {.suite = kernel.operation,
          .kernel = kernel.name,
          .name = fmt::format("{}: {} by {}", campaign::kConformance, verdict::name(finding.failure.kind),
                              finding.failure.rule),
          .status = Judgement::Status::Skipped,
          .message = finding.accepted->to_string()};
}

/// Tells what was not run, and entries that nothing came of.
void add_ledger(const campaign::LedgerOutcome& ledger, Document& document) {
  for (const campaign::NotRun& not_run : ledger.not_run) {
    document.not_run.push_back(fmt::format("{}: {}", not_run.kernel, not_run_text(not_run)));
    if (not_run.watched_only) continue;
    KernelEntry& entry = document.kernels.emplace_back(declared_entry(not_run.kernel));
    entry.notes.push_back(not_run_text(not_run));
    document.judgements.push_back({.suite = entry.operation,
                                   .kernel = entry.name,
                                   .name = campaign::kConformance,
                                   .status = Judgement::Status::Skipped,
                                   .message = not_run_text(not_run)});
  }
  for (const std::string& message : ledger.stale) {
    document.errors.push_back(message);
    document.judgements.push_back({.suite = "negzero",
                                   .kernel = "",
                                   .name = message.substr(0, message.find(" (")),
                                   .status = Judgement::Status::Failed,
                                   .message = message,
                                   .text = message});
  }
}

}  // namespace

Document document_of(const campaign::CheckReport& report, const Invocation& invocation) {
  Document document;
  document.invocation = invocation;
  document.interrupted = report.interrupted;
  campaign::Counts sum;
  for (const campaign::KernelReport& kernel : report.kernels) {
    const KernelEntry& entry = document.kernels.emplace_back(kernel_entry(report, kernel));
    document.judgements.push_back(judgement_of(entry, kernel, invocation.command));
    for (const campaign::Finding& finding : kernel.findings) {
      document.findings.push_back(finding_entry(finding, invocation));
      if (finding.accepted) document.judgements.push_back(judgement_of(entry, finding));
    }
    for (const campaign::Count& count : campaign::kCounts) sum.*count.member += kernel.*count.member;
  }
  for (const std::string& name : report.skipped) {
    Judgement& judgement = document.judgements.emplace_back();
    judgement.suite = declared_entry(name).operation;
    judgement.kernel = name;
    judgement.name = campaign::kConformance;
    judgement.status = Judgement::Status::Skipped;
    judgement.message = fmt::format("no build for the {} executor", kernel::name(report.place));
  }
  add_ledger(report.ledger, document);
  add_errors(report.errors, document);
  const std::size_t accepted = count_accepted(document.findings);
  document.title =
      "negzero check: " + ending(document.findings.size() - accepted, report.decided(), report.interrupted) +
      ledger_ending(accepted, report.ledger);
  document.facts = {{"kernels", std::to_string(report.kernels.size())},
                    {"cases", std::to_string(sum.cases)},
                    {"pass", std::to_string(sum.pass)},
                    {"fail", std::to_string(sum.fail)},
                    {"vacuous", std::to_string(sum.vacuous)},
                    {"refused", std::to_string(sum.refused)},
                    {"errors", std::to_string(sum.error)},
                    {"watched", std::to_string(sum.watched)},
                    {"seed", std::to_string(report.seed)},
                    {"executor", std::string(kernel::name(report.place))},
                    {"time", seconds(report.elapsed_ms)}};
  return document;
}

}  // namespace negzero::report
