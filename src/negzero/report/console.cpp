// Reports as lines for a person.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <negzero/kernel/kernel.hpp>
#include <negzero/property/counterexample.hpp>
#include <negzero/report/console.hpp>

namespace negzero::report {

namespace {

using operation::VerdictKind;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string counts(const campaign::KernelReport& kernel) {
  std::string text = fmt::format("{:>7} cases  {:>7} pass", kernel.cases, kernel.pass);
  const auto add = [&](std::uint64_t count, std::string_view word) {
    if (count > 0) text += fmt::format("  {} {}", count, word);
  };
  add(kernel.fail, "FAIL");
  add(kernel.vacuous, "vacuous");
  add(kernel.refused, "refused");
  add(kernel.error, "error");
  if (kernel.pass > 0) text += fmt::format("  margin {:.3f}", kernel.worst_margin);
  return text;
}

}  // namespace

std::string finding_text(const campaign::Finding& finding) {
  const kernel::Kernel* kernel = kernel::registry().find(finding.kernel, kernel::Executor::Host);
  std::string text;
  if (kernel != nullptr) {
    text = property::counterexample(*kernel, finding.shrunk, finding.failure,
                                    fmt::format("./negzero.sh replay '{}'", finding.case_path));
  }
  text += fmt::format("  as found   {} ({} failing cases of this class; shrunk in {} runs", finding.original_path,
                      finding.failing_cases, finding.evaluations);
  if (finding.hit_rate < 1) text += fmt::format("; fails in {:.0f} % of runs", 100 * finding.hit_rate);
  return text + ")\n";
}

std::string check_text(const campaign::CheckReport& report) {
  std::size_t width = 0;
  for (const auto& kernel : report.kernels) width = std::max(width, kernel.name.size());
  std::string text;
  std::map<std::string, std::uint64_t> mix;
  std::uint64_t cases = 0, vacuous = 0, findings = 0, undecided = 0, errors = 0;
  for (const auto& kernel : report.kernels) {
    text += fmt::format("{:<{}}  {}\n", kernel.name, width, counts(kernel));
    if (!kernel.note.empty()) text += fmt::format("{:<{}}  note: {}\n", "", width, kernel.note);
    for (const auto& [name, count] : kernel.strategies) mix[name] += count;
    cases += kernel.cases;
    vacuous += kernel.vacuous;
    findings += kernel.findings.size();
    errors += kernel.error;
    undecided += kernel.decided() ? 0 : 1;
  }
  text += "\nstrategies:";
  for (const auto& [name, count] : mix) text += fmt::format(" {} {}", name, count);
  text += fmt::format("\n{} kernels, {} cases, seed {}, host executor, {:.1f} s: ", report.kernels.size(), cases,
                      report.seed, static_cast<double>(report.elapsed_ms) / 1000);
  text += findings == 0 ? "no finding" : fmt::format("{} finding{}", findings, findings == 1 ? "" : "s");
  if (vacuous > 0) text += fmt::format(", {} vacuous", percent(vacuous, cases));
  if (errors > 0) text += fmt::format(", {} ERRORS of ours (see the notes)", errors);
  if (undecided > 0) text += fmt::format(", {} kernels with nothing decided", undecided);
  if (2 * vacuous > cases) text += "\nmost cases were vacuous: this run says little about these kernels";
  if (report.interrupted) text += "\ninterrupted: what was found until then is saved";
  return text + "\n";
}

std::string item_text(const campaign::ReplayItem& item) {
  if (!item.skipped.empty()) return fmt::format("skip  {}  {}: {}\n", item.path, item.kernel, item.skipped);
  const std::string difference = item.difference();
  std::string verdict(operation::name(item.verdict.kind));
  if (const auto& failure = item.verdict.failure) {
    verdict += fmt::format(" ({}, {})", operation::name(failure->kind), failure->rule);
  }
  if (difference.empty()) {
    return fmt::format("ok    {}  {}: {}{}\n", item.path, item.kernel, verdict, item.expected ? ", as expected" : "");
  }
  std::string text = fmt::format("FAIL  {}  {}: {}\n", item.path, item.kernel, difference);
  return text + item.counterexample;
}

std::string replay_text(const campaign::ReplayReport& report) {
  std::size_t expected = 0, skipped = 0;
  for (const auto& item : report.items) {
    skipped += item.skipped.empty() ? 0 : 1;
    expected += item.skipped.empty() && item.as_expected() ? 1 : 0;
  }
  const std::size_t ran = report.items.size() - skipped;
  std::string text = fmt::format("{} verdicts: {} as expected, {} not", ran, expected, ran - expected);
  if (skipped > 0) text += fmt::format(", {} skipped", skipped);
  if (!report.errors.empty()) text += fmt::format(", {} errors", report.errors.size());
  if (report.interrupted) text += " (interrupted)";
  return text + "\n";
}

}  // namespace negzero::report
