// What `fuzz` has to tell: a check, and how far it had come when.

#include <fmt/format.h>

#include <negzero/report/arms.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/fuzz.hpp>

namespace negzero::report {

namespace {

campaign::KernelReport as_checked(const campaign::FuzzedKernel& kernel) {
  campaign::KernelReport report;
  report.name = kernel.name;
  static_cast<campaign::Counts&>(report) = kernel;
  report.findings = kernel.findings;
  report.note = kernel.note;
  // A search counts no cases by causes: where all findings are accepted, so are the cases.
  const bool all_accepted = !kernel.has_new() && kernel.known_accepted.size() + kernel.findings.size() > 0;
  report.accepted = all_accepted ? kernel.fail : 0;
  return report;
}

}  // namespace

Document document_of(const campaign::FuzzReport& report, const Invocation& invocation) {
  campaign::CheckReport checked;
  checked.place = report.place;
  checked.seed = report.seed;
  checked.elapsed_ms = report.elapsed_ms;
  checked.interrupted = report.interrupted;
  std::uint64_t corpus = 0, features = 0, code_blocks = 0;
  for (const campaign::FuzzedKernel& kernel : report.kernels) {
    checked.kernels.push_back(as_checked(kernel));
    corpus += kernel.corpus;
    features += kernel.features;
    code_blocks += kernel.code_blocks;
  }
  checked.errors = report.errors;
  checked.ledger = report.ledger;
  Document document = document_of(checked, invocation);
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    for (const std::string& file : report.kernels[i].known) {
      document.kernels[i].notes.push_back("a finding from before: " + file);
    }
    for (const auto& [file, accepted] : report.kernels[i].known_accepted) {
      document.kernels[i].notes.push_back(fmt::format("from before: {}, {}", file, accepted.to_string()));
    }
  }
  for (const campaign::FuzzPoint& point : report.points) {
    document.over_time.push_back({point.elapsed_ms, point.cases, point.features, point.findings});
  }
  document.tables.push_back(arms_table(paid_by(report.kernels)));
  const std::size_t accepted = count_accepted(document.findings);
  document.title =
      "negzero fuzz: " + ending(document.findings.size() - accepted, checked.decided(), report.interrupted) +
      ledger_ending(accepted, report.ledger);
  document.facts.insert(document.facts.begin(), {{"folder", report.folder}, {"shard", report.shard.to_string()}});
  document.facts.emplace_back("features", std::to_string(features));
  document.facts.emplace_back("code blocks", code_blocks_text(code_blocks));
  document.facts.emplace_back("corpus", std::to_string(corpus));
  return document;
}

}  // namespace negzero::report
