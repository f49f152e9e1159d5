// What the documents of the commands are made of alike.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <negzero/campaign/wire.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

/// All of a kernel's findings are one judgement, whose name is the same in every run.
Judgement judgement_of(const KernelEntry& kernel, const std::vector<const FindingEntry*>& found) {
  Judgement judgement{.suite = kernel.operation, .kernel = kernel.name, .name = campaign::kConformance};
  if (kernel.fail > kernel.accepted) {
    judgement.status = Judgement::Status::Failed;
    judgement.message = plural(found.size(), "finding");
    for (const FindingEntry* finding : found) {
      const verdict::Failure& failure = finding->failure;
      judgement.message += fmt::format("; {} by {}: {}", verdict::name(failure.kind), failure.rule, failure.message);
      judgement.text += finding_text(*finding) + "\n";
    }
  } else if (kernel.error > 0) {
    judgement.status = Judgement::Status::Error;
    judgement.message = fmt::format("{}: {}", plural(kernel.error, "error"), kernel.note);
  } else if (!kernel.decided()) {
    judgement.status = Judgement::Status::Skipped;
    judgement.message = kernel.not_judged > 0
                            ? fmt::format("values not judged in {} of {}: no pass. {}", kernel.not_judged,
                                          plural(kernel.cases, "case"), kernel.note)
                            : fmt::format("nothing was decided in {}: {} refused, {} vacuous. {}",
                                          plural(kernel.cases, "case"), kernel.refused, kernel.vacuous, kernel.note);
  } else if (kernel.pass == 0) {
    judgement.status = Judgement::Status::Skipped;
    judgement.message = "no case passed: all that was decided failed as it is accepted";
  }
  return judgement;
}

}  // namespace

std::string shown(const Fact& fact) {
  if (!fact.shown.empty()) return fact.shown;
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, fact.value);
}

std::vector<std::string> problems(const Document& document) {
  std::vector<std::string> all = document.ledger.stale;
  all.insert(all.end(), document.errors.begin(), document.errors.end());
  return all;
}

std::string plural(std::uint64_t count, std::string_view word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string seconds(std::uint64_t ms) { return fmt::format("{:.1f} s", static_cast<double>(ms) / 1000); }

std::string long_time(std::uint64_t ms) {
  const std::uint64_t s = ms / 1000;
  if (s < 60) return seconds(ms);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

std::string features_text(std::uint64_t features, std::uint64_t code_blocks) {
  if (code_blocks == 0) return fmt::format("{} features of values only", features);
  return fmt::format("{} features, {} code blocks", features, code_blocks);
}

std::string code_blocks_text(std::uint64_t code_blocks) {
  return code_blocks == 0 ? "none: features are of values only" : std::to_string(code_blocks);
}

KernelEntry declared_entry(const std::string& name) {
  KernelEntry entry;
  entry.name = name;
  if (const kernel::Kernel* known = kernel::registry().find_anywhere(name)) {
    entry.operation = operation::name_in(known->operation);
    entry.about = known->about;
    entry.contract = kernel::declared_text(*known);
    entry.values_only = known->build.values_only;
    entry.interpreter = kernel::interpreter_text(known->build);
    if (!entry.interpreter.empty()) entry.notes.push_back(entry.interpreter);
    if (entry.values_only) {
      entry.notes.emplace_back(
          "values only: its worker shows no order of threads, no races, no reads that are not permitted, and perhaps "
          "neither what it leaves unwritten nor what it writes elsewhere");
    }
  }
  return entry;
}

KernelEntry counted_entry(const std::string& name, const campaign::Counts& counts, const std::string& note,
                          const campaign::LedgerOutcome& ledger) {
  KernelEntry entry = declared_entry(name);
  static_cast<campaign::Counts&>(entry) = counts;
  entry.ran = true;
  entry.note = note;
  if (!note.empty()) entry.notes.push_back(note);
  for (const campaign::NotRun& not_run : ledger.not_run) {
    if (not_run.kernel == name) entry.notes.push_back(not_run_text(not_run));
  }
  if (!entry.decided()) entry.notes.push_back(entry.undecided = "nothing was decided: this is no pass");
  return entry;
}

void judge_kernels(Document& document) {
  for (const KernelEntry& kernel : document.kernels) {
    std::vector<const FindingEntry*> found, accepted;
    for (const FindingEntry& finding : document.findings) {
      if (finding.kernel == kernel.name) (finding.accepted ? accepted : found).push_back(&finding);
    }
    document.judgements.push_back(judgement_of(kernel, found));
    for (const FindingEntry* finding : accepted) {
      const verdict::Failure& failure = finding->failure;
      document.judgements.push_back(
          {.suite = kernel.operation,
           .kernel = kernel.name,
           .name = fmt::format("{}: {} by {}", campaign::kConformance, verdict::name(failure.kind), failure.rule),
           .status = Judgement::Status::Skipped,
           .message = finding->accepted->to_string()});
    }
  }
}

void add_ledger(const campaign::LedgerOutcome& ledger, Document& document) {
  document.ledger = ledger;
  for (const campaign::NotRun& not_run : ledger.not_run) {
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
    document.judgements.push_back({.suite = "negzero",
                                   .kernel = "",
                                   .name = message.substr(0, message.find(" (")),
                                   .status = Judgement::Status::Failed,
                                   .message = message,
                                   .text = message});
  }
}

void add_errors(const std::vector<base::Error>& errors, Document& document) {
  for (const base::Error& error : errors) {
    document.errors.push_back(error.message);
    document.judgements.push_back({.suite = "negzero",
                                   .kernel = "",
                                   .name = error.message,
                                   .status = Judgement::Status::Error,
                                   .message = error.message});
  }
}

void add_count_facts(Document& document) {
  campaign::Counts sum;
  std::uint64_t ran = 0;
  for (const KernelEntry& kernel : document.kernels) {
    ran += kernel.ran ? 1 : 0;
    for (const campaign::Count& count : campaign::kCounts) sum.*count.member += kernel.*count.member;
  }
  const Fact facts[] = {{"", "kernels", ran},
                        {"", "cases", sum.cases},
                        {"", "pass", sum.pass},
                        {"", "fail", sum.fail},
                        {"", "values not judged", sum.not_judged},
                        {"", "vacuous", sum.vacuous},
                        {"", "refused", sum.refused},
                        {"", "errors", sum.error},
                        {"", "watched", sum.watched}};
  document.facts.insert(document.facts.end(), std::begin(facts), std::end(facts));
}

std::size_t count_accepted(const Document& document) {
  return static_cast<std::size_t>(
      std::ranges::count_if(document.findings, [](const FindingEntry& each) { return each.accepted.has_value(); }));
}

std::string ending(std::size_t findings, bool decided, bool interrupted) {
  std::string text = findings > 0 ? plural(findings, "finding") : decided ? "no finding" : "nothing was decided";
  return text + (interrupted ? ", interrupted" : "");
}

std::string guess_ending(const Document& document) {
  std::size_t findings = 0, guessed = 0;
  for (const FindingEntry& each : document.findings) {
    if (each.accepted) continue;
    ++findings;
    guessed += each.guessed.empty() ? 0 : 1;
  }
  if (guessed == 0) return "";
  if (guessed < findings) return fmt::format(", {} of them resting on a guess", guessed);
  return findings == 1 ? ", resting on a guess" : ", all of them resting on guesses";
}

std::string not_run_text(const campaign::NotRun& kernel) {
  return fmt::format("not run{}: {}", kernel.watched_only ? " watched" : "", kernel.accepted.to_string());
}

std::string ledger_ending(std::size_t accepted, const campaign::LedgerOutcome& ledger) {
  std::string text;
  if (accepted > 0) text += ", " + plural(accepted, "accepted finding");
  const auto is_whole = [](const campaign::NotRun& kernel) { return !kernel.watched_only; };
  const auto not_run = static_cast<std::uint64_t>(std::ranges::count_if(ledger.not_run, is_whole));
  if (not_run > 0) text += fmt::format(", {} not run", plural(not_run, "kernel"));
  if (!ledger.stale.empty())
    text += fmt::format(", {} that did not occur", plural(ledger.stale.size(), "accepted finding"));
  return text;
}

}  // namespace negzero::report
