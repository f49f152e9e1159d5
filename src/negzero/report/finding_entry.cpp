// A failure and a finding of a search as entries of a document.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

/// What a search knows of a finding, a sentence each.
std::vector<std::string> notes_of(const campaign::Finding& finding) {
  std::vector<std::string> notes;
  if (finding.failing_cases > 0) {
    notes.push_back(fmt::format("{} of this cause.", plural(finding.failing_cases, "failing case")));
  }
  for (const auto& [place, cases] : finding.also_at) {
    notes.push_back(fmt::format("Also at {}, in {}.", place.to_string(), plural(cases, "case")));
  }
  if (finding.evaluations > 0) {
    notes.push_back(fmt::format("Shrunk in {}.", plural(static_cast<std::uint64_t>(finding.evaluations), "run")));
  }
  if (finding.hit_rate) {
    notes.push_back(fmt::format("Fails in {:.0f} % of runs, each in a fresh process.", 100 * *finding.hit_rate));
  }
  if (!finding.cut.empty()) notes.push_back("There may be smaller cases: " + finding.cut + ".");
  if (finding.accepted) notes.push_back("It is " + finding.accepted->to_string() + ".");
  return notes;
}

/// Places with the files that they are in.
std::vector<std::pair<SourcePlace, std::uint64_t>> located(const campaign::PlaceCounts& counts,
                                                           const std::string& kernel, const Sources& sources) {
  std::vector<SourcePlace> places;
  for (const auto& [place, cases] : counts) places.push_back({place});
  if (const kernel::Kernel* const known = kernel::registry().find_anywhere(kernel)) {
    locate(places, known->file, sources);
  }
  std::vector<std::pair<SourcePlace, std::uint64_t>> result;
  for (SourcePlace& place : places) {
    const std::uint64_t cases = counts.at(place);
    result.emplace_back(std::move(place), cases);
  }
  return result;
}

/// Whether a file that holds the case alone can show the failure: not a claim that another case breaks, and of a kernel
/// in Python, of whose results the file has those of one run, no second run that differs.
bool code_shows(const verdict::Failure& failure, const kernel::Kernel* kernel) {
  if (failure.rule.family() == "meta") return false;
  const bool is_in_python = kernel != nullptr && kernel->file.ends_with(".py");
  return !is_in_python || failure.kind != verdict::FailureClass::NotDeterministic;
}

}  // namespace

FindingEntry failure_entry(const std::string& kernel, const verdict::Failure& failure, const std::string& watched,
                           const Sources& sources) {
  FindingEntry entry;
  entry.kernel = kernel;
  entry.failure = failure;
  entry.watched = watched;
  entry.heading = fmt::format("{}: {}", kernel, verdict::name(failure.kind));
  entry.places = places_in(failure.message + "\n" + watched);
  if (const kernel::Kernel* known = kernel::registry().find_anywhere(kernel)) {
    entry.operation = operation::name_in(known->operation);
    entry.registration = place_of(known->file, known->line, sources);
    entry.guessed = known->guessed;
    locate(entry.places, known->file, sources);
  }
  return entry;
}

FindingEntry entry_of(const campaign::Finding& finding, const Invocation& invocation) {
  FindingEntry entry = failure_entry(finding.kernel, finding.failure, finding.watched, invocation.sources);
  entry.configuration = finding.shrunk.configuration;
  entry.case_path = finding.case_path;
  if (!finding.case_path.empty()) {
    entry.replay = campaign::replay_line(invocation.command, finding.case_path, finding.kernel);
    if (code_shows(finding.failure, kernel::registry().find_anywhere(finding.kernel))) {
      entry.as_code = campaign::export_line(invocation.command, finding.case_path, finding.kernel);
    }
    entry.go_on = campaign::shrink_line(invocation.command, finding.case_path, finding.kernel);
  }
  if (const kernel::Kernel* known = kernel::registry().find_anywhere(finding.kernel)) {
    const auto contract = property::contract_of(finding.shrunk, *known);
    entry.case_text = judgement::describe(finding.shrunk, contract ? &*contract : nullptr, "");
    entry.counterexample = property::counterexample(*known, finding.shrunk, finding.failure, entry.replay);
  }
  entry.interrupted = finding.interrupted;
  entry.cut = finding.cut;
  entry.accepted = finding.accepted;
  if (finding.accepted) entry.heading += ", accepted";
  entry.search = {.original_path = finding.original_path,
                  .original_rule = finding.original_rule,
                  .hit_rate = finding.hit_rate,
                  .failing_cases = finding.failing_cases,
                  .also_at = located(finding.also_at, finding.kernel, invocation.sources),
                  .evaluations = finding.evaluations};
  entry.notes = notes_of(finding);
  entry.observations = finding.observations;
  return entry;
}

}  // namespace negzero::report
