// What `report` has to tell: a check of all shards together, and how far each had come when.

#include <fmt/format.h>

#include <negzero/report/arms.hpp>
#include <negzero/report/campaign.hpp>
#include <negzero/report/document_parts.hpp>

namespace negzero::report {

namespace {

campaign::CheckReport as_checked(const campaign::Survey& survey) {
  campaign::CheckReport checked;
  checked.place = survey.place;
  checked.interrupted = survey.interrupted;
  checked.errors = survey.errors;
  for (const campaign::KernelTotal& kernel : survey.state.kernels) {
    campaign::KernelReport& report = checked.kernels.emplace_back();
    report.name = kernel.name;
    static_cast<campaign::Counts&>(report) = kernel;
    for (const campaign::FoundAgain& finding : survey.findings) {
      if (finding.kernel == kernel.name) report.findings.push_back(finding);
    }
  }
  return checked;
}

FindingEntry entry_of(const campaign::FoundAgain& finding, const Invocation& invocation) {
  FindingEntry entry = finding_entry(finding, invocation);
  using enum campaign::FoundAgain::Size;
  if (finding.size == Partly) entry.heading += ", shrunk in part";
  if (finding.size == AsMet) entry.heading += ", as it was met";
  if (!finding.unseen.empty()) entry.facts.push_back("Not seen again: " + finding.unseen + ".");
  for (const std::string& file : finding.also) entry.facts.push_back("The same cause: " + file + ".");
  return entry;
}

Table shards_table(const campaign::Survey& survey) {
  Table table{
      .title = "Shards",
      .about =
          "Time of all runs of a shard, shrinking included; features, code blocks and findings that it knew of when "
          "it saved last, those of other shards among them.",
      .head = {"shard", "seed", "time", "cases", "cases a second", "features", "code blocks", "findings"}};
  for (const campaign::ShardEntry& entry : survey.state.shards) {
    const auto& points = entry.state.points;
    const campaign::FuzzPoint last = points.empty() ? campaign::FuzzPoint() : points.back();
    const std::uint64_t ms = entry.state.elapsed_ms;
    table.rows.push_back(
        {entry.shard.to_string(), std::to_string(entry.state.seed), long_time(ms), std::to_string(last.cases),
         ms == 0 ? "-" : fmt::format("{:.0f}", 1000 * static_cast<double>(last.cases) / static_cast<double>(ms)),
         std::to_string(last.features), std::to_string(last.code_blocks), std::to_string(last.findings)});
  }
  return table;
}

}  // namespace

Document document_of(const campaign::Survey& survey, const Invocation& invocation) {
  Document document = document_of(as_checked(survey), invocation);
  // Those of kernels that no shard has counted yet are told too.
  document.findings.clear();
  for (const campaign::FoundAgain& finding : survey.findings) {
    document.findings.push_back(entry_of(finding, invocation));
  }
  for (std::size_t i = 0; i < document.kernels.size(); ++i) {
    const std::uint64_t corpus = survey.state.kernels[i].corpus;
    document.kernels[i].notes.insert(document.kernels[i].notes.begin(), plural(corpus, "case") + " in the corpus");
  }
  for (const campaign::FuzzPoint& point : survey.state.points) {
    document.over_time.push_back({point.elapsed_ms, point.cases, point.features, point.findings});
  }
  document.tables = {arms_table(paid_by(survey.state.kernels)), shards_table(survey)};
  document.title = "negzero campaign: " + ending(survey.findings.size(), survey.decided(), survey.interrupted);
  std::erase_if(document.facts, [](const auto& fact) { return fact.first == "seed" || fact.first == "time"; });
  std::uint64_t corpus = 0;
  for (const campaign::KernelTotal& kernel : survey.state.kernels) corpus += kernel.corpus;
  document.facts.insert(document.facts.begin(), {{"folder", survey.folder},
                                                 {"shards", std::to_string(survey.state.shards.size())},
                                                 {"time of all shards", long_time(survey.elapsed_ms())},
                                                 {"cases a second", fmt::format("{:.0f}", survey.cases_a_second())}});
  document.facts.insert(document.facts.end(), {{"features", std::to_string(survey.latest().features)},
                                               {"code blocks", code_blocks_text(survey.latest().code_blocks)},
                                               {"corpus", std::to_string(corpus)},
                                               {"findings", std::to_string(survey.findings.size())}});
  return document;
}

}  // namespace negzero::report
