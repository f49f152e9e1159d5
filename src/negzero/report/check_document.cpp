// What `check` has to tell.

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/wire.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/options.hpp>
#include <negzero/report/shapes.hpp>

namespace negzero::report {

namespace {

/// Why `--watch always` watched none of the cases of a kernel that ended, as one sentence; empty where it was not asked
/// for, or watched one. Such a run says nothing of races and bad accesses, and would look as if it did.
std::string why_unwatched(const campaign::CheckReport& report, const campaign::KernelReport& kernel) {
  const bool any_ended = kernel.pass + kernel.not_judged + kernel.vacuous + kernel.fail > 0;
  if (report.watch != campaign::Watch::Always || kernel.watched > 0 || !any_ended) return "";
  const std::string what = "--watch always watched no case: ";
  if (!kernel::kCanBeWatched[report.place]) return what + "only the host executor can; add --executor host";
  if (kernel::registry().find(kernel.name, {report.place, true}) == nullptr) {
    return what + "the kernel has no watched build";
  }
  return what +
         "each has more than 2^19 products, elements or updates, or ended its worker; `replay --watch always` watches "
         "a case of any size";
}

/// Of a kernel whose operation is declared.
constexpr const char* kNotJudged =
    "values not judged: its operation has no definition, so memory, races, hangs and what its contract claims were "
    "looked at and the numbers were not; this is no pass";

/// That a kernel got no verdict, and what its cases came to instead.
std::string nothing_decided(const campaign::KernelReport& kernel) {
  if (kernel.cases == 0) return "nothing was decided: no case ran";
  if (kernel.not_judged == kernel.cases) return kNotJudged;
  std::string why;
  const auto add = [&](std::uint64_t count, std::string_view word) {
    if (count > 0) why += fmt::format("{}{} {}", why.empty() ? "" : ", ", count, word);
  };
  add(kernel.refused, "refused");
  add(kernel.not_judged, "values not judged");
  add(kernel.vacuous, "vacuous");
  add(kernel.error, kernel.error == 1 ? "error" : "errors");
  return fmt::format("nothing was decided in {} ({}): this is no pass", plural(kernel.cases, "case"), why);
}

KernelEntry kernel_entry(const campaign::CheckReport& report, const campaign::KernelReport& kernel) {
  KernelEntry entry = counted_entry(kernel.name, kernel, kernel.note, report.ledger);
  entry.worst_margin = kernel.worst_margin;
  entry.accepted = kernel.accepted;
  entry.options = kernel.options;
  const auto improbable = kernel.random_errors.improbable();
  if (!kernel.decided()) entry.undecided = nothing_decided(kernel);
  entry.checked = {.unwatched = why_unwatched(report, kernel),
                   .warned = kernel.warned,
                   .warnings = kernel.warnings,
                   .printed = kernel.printed,
                   .blind = kernel.blind,
                   .random_errors = kernel.random_errors.all(),
                   .improbable = improbable ? to_string(*improbable) : "",
                   .strategies = kernel.strategies,
                   .shapes = kernel.shapes,
                   .margins = kernel.margins};
  for (const std::string& warning : kernel.warned) entry.notes.push_back("warning: " + warning);
  if (kernel.warnings > 0) entry.notes.back() += fmt::format(" ({} with one)", plural(kernel.warnings, "case"));
  if (improbable) entry.notes.push_back("warning: " + entry.checked->improbable);
  if (!entry.checked->unwatched.empty()) entry.notes.push_back("warning: " + entry.checked->unwatched);
  if (!kernel.printed.empty()) entry.notes.push_back("it printed: " + base::quoted(kernel.printed, 4096));
  return entry;
}

/// ", 31 % of terms could be dropped unnoticed": of many, those of each strategy too, the blindest first.
std::string blind_text(const std::map<std::string, campaign::BlindCases>& by_strategy) {
  constexpr double kMany = 0.25;
  campaign::BlindCases all;
  for (const auto& [name, blind] : by_strategy) all.add(blind);
  if (all.cases == 0) return "";
  std::string text = fmt::format(", {:.0f} % of terms could be dropped unnoticed", 100 * all.share());
  if (all.share() < kMany || by_strategy.size() < 2) return text;
  std::vector<std::pair<std::string, double>> shares;
  for (const auto& [name, blind] : by_strategy) shares.emplace_back(name, 100 * blind.share());
  std::ranges::stable_sort(shares, std::greater<>(), [](const auto& each) { return each.second; });
  std::string list;
  for (const auto& [name, share] : shares) list += fmt::format("{}{} {:.0f} %", list.empty() ? "" : ", ", name, share);
  return text + fmt::format(" ({})", list);
}

/// The mix of strategies, and the sums in words.
std::string closing(const campaign::CheckReport& report, std::size_t findings, std::size_t accepted,
                    const std::string& guesses) {
  campaign::KernelReport sum;
  std::uint64_t undecided = 0, improbable = 0;
  for (const campaign::KernelReport& kernel : report.kernels) {
    for (const auto& [name, count] : kernel.strategies) sum.strategies[name] += count;
    for (const campaign::Count& count : campaign::kCounts) sum.*count.member += kernel.*count.member;
    for (const auto& [name, blind] : kernel.blind) sum.blind[name].add(blind);
    improbable += kernel.random_errors.improbable() ? 1 : 0;
    undecided += kernel.decided() || kernel.not_judged > 0 ? 0 : 1;
  }
  std::string mix;
  for (const auto& [name, count] : sum.strategies) mix += fmt::format("{}{} {}", mix.empty() ? "" : ", ", name, count);
  std::string text =
      fmt::format("\nstrategies: {}\n{}, {}, seed {}, {} executor, {}: ", mix, plural(report.kernels.size(), "kernel"),
                  plural(sum.cases, "case"), report.seed, kernel::name(report.place), seconds(report.elapsed_ms));
  text += ending(findings, report.decided() || !report.kernels.empty(), false);
  text += guesses + ledger_ending(accepted, report.ledger);
  if (sum.not_judged > 0) text += fmt::format(", values not judged in {}", plural(sum.not_judged, "case"));
  if (sum.vacuous > 0) text += fmt::format(", {} vacuous", percent(sum.vacuous, sum.cases));
  text += blind_text(sum.blind);
  if (improbable > 0) text += fmt::format(", {} with improbable errors", plural(improbable, "kernel"));
  if (sum.error > 0) text += fmt::format(", {} of ours (see the notes)", plural(sum.error, "error"));
  if (undecided > 0) text += fmt::format(", {} with nothing decided", plural(undecided, "kernel"));
  text += collapsed_text(report.kernels);
  if (2 * sum.vacuous > sum.cases) text += "\nmost cases were vacuous: this run says little about these kernels";
  if (report.unsaved) text += "\nnot everything could be saved: what is above is all there is of it";
  if (report.interrupted) {
    text += report.unsaved ? "\ninterrupted" : "\ninterrupted: what was found until then is saved";
  }
  return text + "\n";
}

}  // namespace

Document document_of(const campaign::CheckReport& report, const Invocation& invocation) {
  Document document{.invocation = invocation,
                    .lists = {List::Kernels, List::Skipped, List::Ledger, List::Errors},
                    .skipped = report.skipped,
                    .interrupted = report.interrupted,
                    .told = true};
  for (const campaign::KernelReport& kernel : report.kernels) {
    document.kernels.push_back(kernel_entry(report, kernel));
    for (const campaign::Finding& finding : kernel.findings) {
      document.findings.push_back(entry_of(finding, invocation));
    }
  }
  judge_kernels(document);
  document.tables = {options_table(document.kernels), shapes_table(document.kernels)};
  for (const std::string& name : report.skipped) {
    document.judgements.push_back({.suite = declared_entry(name).operation,
                                   .kernel = name,
                                   .name = campaign::kConformance,
                                   .status = Judgement::Status::Skipped,
                                   .message = fmt::format("no build for the {} executor", kernel::name(report.place))});
  }
  add_ledger(report.ledger, document);
  add_errors(report.errors, document);
  const std::size_t accepted = count_accepted(document), findings = document.findings.size() - accepted;
  document.title = "negzero check: " + ending(findings, report.decided(), report.interrupted) + guess_ending(document) +
                   ledger_ending(accepted, report.ledger);
  add_count_facts(document);
  document.facts.insert(document.facts.end(), {{"seed", "seed", report.seed},
                                               {"executor", "executor", std::string(kernel::name(report.place))},
                                               {"elapsed_ms", "time", report.elapsed_ms, seconds(report.elapsed_ms)},
                                               {"interrupted", "", report.interrupted}});
  document.closing = closing(report, findings, accepted, guess_ending(document));
  return document;
}

}  // namespace negzero::report
