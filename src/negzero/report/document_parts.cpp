// What the documents of the commands are made of alike.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

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
    entry.operation = known->operation;
    entry.about = known->about;
    entry.contract = contract::describe(known->contract);
  }
  return entry;
}

FindingEntry failure_entry(const std::string& kernel, const verdict::Failure& failure, const std::string& watched,
                           const Sources& sources) {
  FindingEntry entry;
  entry.kernel = kernel;
  entry.failure = failure;
  entry.watched = watched;
  entry.heading = fmt::format("{}: {}", kernel, verdict::name(failure.kind));
  entry.places = places_in(failure.message + "\n" + watched);
  if (const kernel::Kernel* known = kernel::registry().find_anywhere(kernel)) {
    entry.operation = known->operation;
    entry.registration = place_of(known->file, known->line, sources);
    locate(entry.places, known->file, sources);
  }
  return entry;
}

FindingEntry finding_entry(const campaign::Finding& finding, const Invocation& invocation) {
  FindingEntry entry = failure_entry(finding.kernel, finding.failure, finding.watched, invocation.sources);
  entry.text = finding_text(finding, invocation.command);
  entry.case_path = finding.case_path;
  if (!finding.case_path.empty()) {
    entry.replay = campaign::replay_line(invocation.command, finding.case_path, "");
  }
  if (const kernel::Kernel* known = kernel::registry().find_anywhere(finding.kernel)) {
    const auto contract = property::contract_of(finding.shrunk, *known);
    entry.case_text = judgement::describe(finding.shrunk, contract ? &*contract : nullptr, "");
  }
  if (finding.failing_cases > 0) {
    entry.facts.push_back(fmt::format("{} of this cause.", plural(finding.failing_cases, "failing case")));
  }
  for (const auto& [place, cases] : finding.also_at) {
    entry.facts.push_back(fmt::format("Also at {}, in {}.", place.to_string(), plural(cases, "case")));
  }
  if (finding.evaluations > 0) {
    entry.facts.push_back(fmt::format("Shrunk in {}.", plural(static_cast<std::uint64_t>(finding.evaluations), "run")));
  }
  if (finding.hit_rate) {
    entry.facts.push_back(fmt::format("Fails in {:.0f} % of runs, each in a fresh process.", 100 * *finding.hit_rate));
  }
  if (!finding.cut.empty()) entry.facts.push_back("There may be smaller cases: " + finding.cut + ".");
  if (finding.accepted) {
    entry.heading += ", accepted";
    entry.facts.push_back("It is " + finding.accepted->to_string() + ".");
  }
  entry.accepted = finding.accepted;
  entry.observations = finding.observations;
  return entry;
}

void add_errors(const std::vector<base::Error>& errors, Document& document) {
  for (const base::Error& error : errors) {
    document.errors.push_back(error.message);
    Judgement& judgement = document.judgements.emplace_back();
    judgement.suite = "negzero";
    judgement.name = judgement.message = error.message;
    judgement.status = Judgement::Status::Error;
  }
}

std::string ending(std::size_t findings, bool decided, bool interrupted) {
  std::string text = findings > 0 ? plural(findings, "finding") : decided ? "no finding" : "nothing was decided";
  return text + (interrupted ? ", interrupted" : "");
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
