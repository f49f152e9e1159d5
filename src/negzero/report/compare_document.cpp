// What `compare` has to tell.

#include <fmt/format.h>

#include <negzero/campaign/case_files.hpp>
#include <negzero/property/comparison.hpp>
#include <negzero/report/comparison.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

Document document_of(const campaign::CompareReport& report, const Invocation& invocation, bool bitwise) {
  Document document;
  document.invocation = invocation;
  document.interrupted = report.interrupted;
  const std::string first = report.first.substr(0, report.first.find('@'));
  const std::string second = report.second.substr(0, report.second.find('@'));
  document.kernels.push_back(declared_entry(first));
  if (second != first) document.kernels.push_back(declared_entry(second));
  Judgement judgement;
  judgement.suite = document.kernels.front().operation;
  judgement.kernel = report.first;
  judgement.name = "compare with " + report.second;
  std::uint64_t permitted = 0;
  for (const campaign::DifferenceFound& difference : report.differences) {
    const bool is_permitted = difference.failure.rule == property::kBothPermitted;
    permitted += is_permitted ? difference.cases : 0;
    if (is_permitted && !bitwise) continue;
    const bool second_alone = difference.failure.rule == property::kSecondWrong;
    const std::string wrong = second_alone ? second : first;
    FindingEntry entry = failure_entry(wrong, difference.failure, "", invocation.sources);
    entry.heading = heading_of(report, difference.failure.rule);
    entry.text = difference_text(report, difference, invocation.command);
    entry.case_text = difference.case_text;
    entry.case_path = difference.case_path;
    // Alone, a kernel that is right shows nothing. The file names the first one.
    if (!difference.case_path.empty() && !is_permitted) {
      entry.replay = campaign::replay_line(invocation.command, difference.case_path, second_alone ? second : "");
    }
    entry.facts.push_back(plural(difference.cases, "case") + " of this kind.");
    if (!difference.cut.empty()) entry.facts.push_back("There may be smaller cases: " + difference.cut + ".");
    entry.observations = difference.observations;
    judgement.message += (judgement.message.empty() ? "" : "; ") + entry.heading;
    judgement.text += entry.text;
    document.findings.push_back(std::move(entry));
  }
  const bool decided = report.identical + report.differing() > 0;
  judgement.status = !document.findings.empty() ? Judgement::Status::Failed
                     : report.error > 0         ? Judgement::Status::Error
                     : decided                  ? Judgement::Status::Passed
                                                : Judgement::Status::Skipped;
  if (judgement.status == Judgement::Status::Error) judgement.message = plural(report.error, "error");
  if (judgement.status == Judgement::Status::Skipped) judgement.message = "nothing was compared. " + report.refusal;
  document.judgements.push_back(std::move(judgement));
  add_errors(report.errors, document);
  document.title = fmt::format("negzero compare {} {}: {}", report.first, report.second,
                               ending(document.findings.size(), decided, report.interrupted));
  document.facts = {{"first", report.first},
                    {"second", report.second},
                    {"cases", std::to_string(report.cases)},
                    {"bit-identical", std::to_string(report.identical)},
                    {"different, both permitted", std::to_string(permitted)},
                    {"different, one wrong", std::to_string(report.differing() - permitted)},
                    {"refused", std::to_string(report.refused)},
                    {"errors", std::to_string(report.error)},
                    {"seed", std::to_string(report.seed)},
                    {"time", seconds(report.elapsed_ms)}};
  return document;
}

}  // namespace negzero::report
