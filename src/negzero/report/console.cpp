// A document as lines for a person.

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/kernel/place.hpp>
#include <negzero/report/arms.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/options.hpp>

namespace negzero::report {

namespace {

using base::one_line;

/// The beginning of what a kernel printed, for a line of ours.
std::string beginning_of(std::string_view printed) { return printed.empty() ? "" : base::quoted(printed, 120); }

/// "   1000 cases      998 pass  2 vacuous": kinds of verdicts that none had are left out.
std::string counts_text(const campaign::Counts& counts) {
  std::string text = fmt::format("{:>7} cases  {:>7} pass", counts.cases, counts.pass);
  const auto add = [&](std::uint64_t count, std::string_view word) {
    if (count > 0) text += fmt::format("  {} {}", count, word);
  };
  add(counts.fail, "FAIL");
  add(counts.not_judged, "values not judged");
  add(counts.vacuous, "vacuous");
  add(counts.refused, "refused");
  add(counts.error, "error");
  add(counts.watched, "watched");
  add(counts.too_large, "too large to watch");
  return text;
}

std::string kernel_text(const KernelEntry& kernel, std::size_t width, const std::string& command) {
  std::string text = fmt::format("{:<{}}  {}", kernel.name, width, counts_text(kernel));
  if (kernel.checked && kernel.accepted > 0) text += fmt::format("  {} accepted", kernel.accepted);
  if (kernel.checked && kernel.pass > 0) text += fmt::format("  worst margin {:.3f}", kernel.worst_margin);
  const ShardKnows* const shard = kernel.searched && kernel.searched->shard ? &*kernel.searched->shard : nullptr;
  if (shard != nullptr) text += "  " + features_text(shard->features, shard->code_blocks);
  if (kernel.searched) text += fmt::format("  {} in the corpus", kernel.searched->corpus);
  if (kernel.values_only) text += "  values only";
  text += "\n";
  const auto say = [&](std::string_view what, const std::string& words) {
    if (!words.empty()) text += fmt::format("{:<{}}  {}: {}\n", "", width, what, words);
  };
  say("note", one_line(kernel.interpreter));
  say("note", one_line(kernel.note));
  say("options", failing_options_text(kernel.options));
  if (kernel.checked) {
    const std::uint64_t warnings = kernel.checked->warnings;
    const std::string more = warnings > 1 ? fmt::format(" (a warning at {} cases)", warnings) : "";
    say("it printed", beginning_of(kernel.checked->printed));
    const std::vector<std::string>& warned = kernel.checked->warned;
    for (const std::string& each : warned) say("warning", one_line(each) + (&each == &warned.front() ? more : ""));
    say("warning", kernel.checked->improbable);
  }
  say("warning", kernel.undecided);
  if (kernel.checked) say("warning", kernel.checked->unwatched);
  if (shard == nullptr) return text;
  for (const std::string& file : shard->known) say("found before", campaign::replay_line(command, file, kernel.name));
  for (const auto& [file, known_by] : shard->known_accepted) {
    say(one_line(known_by.to_string()) + ", found before", campaign::replay_line(command, file, kernel.name));
  }
  return text;
}

/// What running it again has added, which only a document's own text has.
std::string again_text(const RunAgain& again) {
  std::string text;
  if (!again.unseen.empty()) text += fmt::format("  warning    {}\n", one_line(again.unseen));
  for (const std::string& file : again.also) text += fmt::format("  also       {}\n", one_line(file));
  return text + "\n";
}

std::string merged_text(const campaign::MergedKernel& kernel) {
  std::string text =
      fmt::format("{}: {} of {} cases stay, {} features\n", kernel.name, kernel.after, kernel.before, kernel.features);
  for (const std::string& file : kernel.failing) {
    text += fmt::format("  {} does not pass now, and stays\n", one_line(file));
  }
  return text;
}

/// The case as code, indented as the lines of a counterexample are.
std::string code_text(const std::string& code) {
  std::string text;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    if (end > begin) text += std::string(13, ' ') + code.substr(begin, end - begin);
    text += "\n";
    begin = end + 1;
  }
  return text;
}

}  // namespace

std::string finding_text(const FindingEntry& finding) {
  std::string text = finding.counterexample;
  if (!finding.search) return text + place_lines(finding);
  const Search& search = *finding.search;
  if (!finding.watched.empty()) text += fmt::format("  watched    {}\n", one_line(finding.watched));
  if (!finding.guessed.empty()) {
    text += fmt::format("  guessed    rests on a guess: {}; delete `guessed` from the declaration once that is right\n",
                        fmt::join(finding.guessed, ", "));
  }
  if (finding.accepted) {
    const auto& [number, reason, link] = *finding.accepted;
    text += fmt::format("  accepted   by entry #{}: {} ({})\n", number, one_line(reason), one_line(link));
  }
  std::vector<std::string> known;
  // A search does not count the cases of a class.
  if (search.failing_cases > 0) known.push_back(plural(search.failing_cases, "failing case") + " of this cause");
  if (search.evaluations > 0) {
    known.push_back("shrunk in " + plural(static_cast<std::uint64_t>(search.evaluations), "run"));
  }
  if (search.hit_rate && *search.hit_rate < 1) {
    known.push_back(fmt::format("fails in {:.0f} % of runs", 100 * *search.hit_rate));
  }
  if (!finding.as_code.empty()) text += fmt::format("  as code    {}\n", one_line(finding.as_code));
  text += code_text(finding.code);
  text += fmt::format("  as found   {}", search.original_path.empty() ? "not saved" : one_line(search.original_path));
  text += known.empty() ? "\n" : fmt::format(" ({})\n", fmt::join(known, "; "));
  // From a bound of a sum to an exact one is the usual way down.
  const bool is_state = finding.failure.kind == verdict::FailureClass::Stateful;  // Another rule, of the same cause.
  if (!is_state && search.original_rule.family() != finding.failure.rule.family()) {
    text += fmt::format("  note       the case as found fails by {}, the shrunk one by {}: perhaps another cause\n",
                        search.original_rule, finding.failure.rule);
  }
  if (!finding.cut.empty()) {
    text +=
        fmt::format("  smaller    {}{}\n", finding.cut, finding.go_on.empty() ? "" : "; to go on: " + finding.go_on);
  }
  return text + place_lines(finding);
}

std::string place_lines(const FindingEntry& finding) {
  std::string text;
  const auto add = [&](const SourcePlace& place, const std::string& cases) {
    text += fmt::format("{}:{}: {}{}", one_line(place.file.empty() ? place.name : place.file), place.line,
                        verdict::name(finding.failure.kind), cases);
    for (const auto& [number, line] : place.lines) {
      const std::size_t begin = line.find_first_not_of(" \t");
      if (number == place.line && begin != std::string::npos) text += ": " + one_line(line.substr(begin));
    }
    text += "\n";
  };
  for (const SourcePlace& place : finding.places) add(place, "");
  if (!finding.search) return text;
  for (const auto& [place, cases] : finding.search->also_at) add(place, ", in " + plural(cases, "other case"));
  return text;
}

std::string item_text(const Judgement& judgement) {
  using campaign::ReplayStatus;
  const Replayed& replayed = *judgement.replayed;
  if (replayed.status == ReplayStatus::Skipped && judgement.kernel.empty()) return "";
  constexpr std::string_view kWords[] = {"ok", "FAIL", "none", "ERROR", "skip"};
  std::string text = fmt::format("{:<5} {}  {}: {}\n", kWords[static_cast<std::size_t>(replayed.status)],
                                 one_line(judgement.name), one_line(judgement.kernel), one_line(replayed.outcome));
  return text + judgement.text;
}

std::string fuzz_progress_text(const campaign::FuzzPoint& now, std::uint64_t vacuous, double cases_a_second,
                               std::uint64_t left_ms) {
  std::string text = fmt::format("{} cases, {:.0f}/s, {}, {} in the corpus, {}, {} vacuous", now.cases, cases_a_second,
                                 features_text(now.features, now.code_blocks), now.corpus,
                                 plural(now.findings, "finding"), percent(vacuous, now.cases));
  if (left_ms > 0) text += fmt::format(", {} left", base::duration_text(left_ms / 1000 * 1000));
  return text;
}

std::string console_text(const Document& document) {
  std::string text = document.opening;
  for (const FindingEntry& finding : document.findings) {
    if (document.told) break;
    text += finding_text(finding) + (finding.again ? again_text(*finding.again) : "");
  }
  std::size_t width = 0;
  for (const KernelEntry& kernel : document.kernels) width = std::max(width, kernel.ran ? kernel.name.size() : 0);
  for (const KernelEntry& kernel : document.kernels) {
    if (kernel.ran) text += kernel_text(kernel, width, document.invocation.command);
  }
  for (const campaign::MergedKernel& kernel : document.merged) text += merged_text(kernel);
  for (const campaign::NotRun& each : document.ledger.not_run) {
    text += fmt::format("{}  {}\n", one_line(each.kernel), one_line(not_run_text(each)));
  }
  text += arms_text(document.kernels);
  for (const campaign::Recorded& each : document.recorded) {
    text += fmt::format("recorded in {}: {} on {}: {}\n", one_line(each.path), one_line(each.now.kernel),
                        each.now.executor, one_line(campaign::describe(each.now)));
  }
  for (const ShardRow& each : document.shards) {
    text += fmt::format("shard {}, seed {}: {} cases in {}, {}\n", each.shard, each.seed, each.latest.cases,
                        long_time(each.elapsed_ms), features_text(each.latest.features, each.latest.code_blocks));
  }
  return text + document.closing;
}

}  // namespace negzero::report
