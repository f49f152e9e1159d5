// What `compare` has to tell.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/report/compare_parts.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

/// What a rule says about the two sides: "gemm.a.f32@host is wrong".
std::string heading_of(const campaign::CompareReport& report, verdict::Rule rule) {
  if (rule == property::kBothPermitted) return "differ, and both contracts permit it";
  if (rule == property::kFirstWrong) return fmt::format("{} is wrong", report.first);
  if (rule == property::kSecondWrong) return fmt::format("{} is wrong", report.second);
  if (rule == property::kBothWrong) return "both are wrong";
  return fmt::format("a worker ended, with neither of them alone ({})", rule.id());
}

/// Who is wrong, the shrunk case, both values, and the line that shows it.
std::string difference_text(const campaign::CompareReport& report, const campaign::DifferenceFound& difference,
                            const std::string& command) {
  const verdict::Failure& failure = difference.failure;
  std::string text = fmt::format("\n{}, {}:\n{}\n", heading_of(report, failure.rule),
                                 difference.cut.empty() ? "shrunk" : difference.cut + ", so there may be smaller cases",
                                 difference.case_text);
  if (failure.element >= 0) {
    text += fmt::format("  {:<40} {}\n  {:<40} {}\n", report.first, failure.observed_text, report.second,
                        failure.permitted_text);
  }
  text += fmt::format("  {}\n", base::one_line(failure.message));
  if (!difference.case_path.empty())
    text += fmt::format("  show it with   {} show {}\n", command, campaign::shell_word(difference.case_path));
  return text;
}

/// How many cases were identical, differed in each way, or were not compared.
std::string opening(const campaign::CompareReport& report) {
  std::string text = fmt::format("{}: {} cases, seed {}, {}\n", sides_of(report), report.cases, report.seed,
                                 seconds(report.elapsed_ms));
  const auto line = [&](std::uint64_t cases, std::string_view what) {
    if (cases > 0) text += fmt::format("  {:>8}  {}\n", cases, what);
  };
  text += fmt::format(
      "  {:>8}  bit-identical{}\n", report.identical,
      report.without_results > 0 ? fmt::format(", {} of them without results", report.without_results) : "");
  for (const campaign::DifferenceFound& difference : report.differences) {
    line(difference.cases, heading_of(report, difference.failure.rule));
  }
  line(report.refused, fmt::format("outside the limits of one of them ({})", base::one_line(report.refusal)));
  line(report.error, "not decided: errors, see above");
  if (!report.decided()) text += "nothing was compared\n";
  return text;
}

}  // namespace

std::string sides_of(const campaign::CompareReport& report) {
  return fmt::format("{} against {}", report.first, report.second);
}

PairSums add_pair(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise,
                  Document& document) {
  const std::string first = report.first.substr(0, report.first.find('@'));
  const std::string second = report.second.substr(0, report.second.find('@'));
  const KernelEntry known = declared_entry(first);
  for (const std::string& name : {first, second}) {
    if (std::ranges::find(document.kernels, name, &KernelEntry::name) == document.kernels.end()) {
      document.kernels.push_back(declared_entry(name));
    }
  }
  Judgement judgement{.suite = known.operation, .kernel = report.first, .name = "compare with " + report.second};
  PairSums sums;
  for (const campaign::DifferenceFound& difference : report.differences) {
    const bool is_permitted = difference.is_permitted();
    const bool second_alone = difference.failure.rule == property::kSecondWrong;
    const std::string& wrong = second_alone ? second : first;
    FindingEntry entry = failure_entry(wrong, difference.failure, "", invocation.sources);
    entry.heading = heading_of(report, difference.failure.rule);
    entry.counterexample = difference_text(report, difference, invocation.command);
    entry.configuration = difference.shrunk.configuration;
    entry.case_text = difference.case_text;
    entry.case_path = difference.case_path;
    // Alone, a kernel that is right shows nothing. The file names the first one.
    if (!difference.case_path.empty() && !is_permitted) {
      entry.replay = campaign::replay_line(invocation.command, difference.case_path, wrong, second_alone);
    }
    entry.interrupted = difference.interrupted;
    entry.cut = difference.cut;
    entry.alike = difference.cases;
    entry.notes.push_back(plural(difference.cases, "case") + " of this kind.");
    if (!difference.cut.empty()) entry.notes.push_back("There may be smaller cases: " + difference.cut + ".");
    entry.observations = difference.observations;
    entry.counts = bitwise || !is_permitted;
    if (entry.counts) {
      ++sums.findings;
      judgement.message += (judgement.message.empty() ? "" : "; ") + entry.heading;
      judgement.text += entry.counterexample;
    }
    document.findings.push_back(std::move(entry));
  }
  judgement.status = sums.findings > 0  ? Judgement::Status::Failed
                     : report.error > 0 ? Judgement::Status::Error
                     : report.decided() ? Judgement::Status::Passed
                                        : Judgement::Status::Skipped;
  if (judgement.status == Judgement::Status::Error) judgement.message = plural(report.error, "error");
  if (judgement.status == Judgement::Status::Skipped) judgement.message = "nothing was compared. " + report.refusal;
  sums.judgement = document.judgements.size();
  document.judgements.push_back(std::move(judgement));
  return sums;
}

Document document_of(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise) {
  Document document{
      .invocation = invocation, .lists = {List::Differences, List::Errors}, .interrupted = report.interrupted};
  const PairSums sums = add_pair(report, invocation, bitwise, document);
  add_errors(report.errors, document);
  const std::uint64_t permitted = report.both_permitted();
  document.title = fmt::format("negzero compare {} {}: {}", report.first, report.second,
                               ending(sums.findings, report.decided(), report.interrupted));
  document.facts = {{"first", "first", report.first},
                    {"second", "second", report.second},
                    {"seed", "", report.seed},
                    {"elapsed_ms", "", report.elapsed_ms},
                    {"interrupted", "", report.interrupted},
                    {"cases", "cases", report.cases},
                    {"identical", "bit-identical", report.identical},
                    {"without_results", "", report.without_results},
                    {"", "different, both permitted", permitted},
                    {"", "different, one wrong", report.differing() - permitted},
                    {"refused", "refused", report.refused},
                    {"error", "errors", report.error},
                    {"", "seed", report.seed},
                    {"", "time", report.elapsed_ms, seconds(report.elapsed_ms)}};
  document.opening = opening(report);
  if (report.interrupted) document.closing = "\ninterrupted: what follows was not compared\n";
  return document;
}

}  // namespace negzero::report
