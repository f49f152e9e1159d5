// Reports of whole campaigns, all shards together: what a person reads, and the same as a versioned JSON document.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/printable.hpp>
#include <negzero/report/arms.hpp>
#include <negzero/report/campaign.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/fuzz.hpp>
#include <negzero/report/json.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;

campaign::FuzzPoint last_point(const campaign::ShardState& shard) {
  return shard.points.empty() ? campaign::FuzzPoint() : shard.points.back();
}

}  // namespace

std::string campaign_text(const campaign::Survey& survey, const std::string& command) {
  std::size_t width = 0;
  for (const auto& kernel : survey.state.kernels) width = std::max(width, kernel.name.size());
  std::string text;
  for (const campaign::FoundAgain& finding : survey.findings) {
    text += finding_text(finding, command);
    if (!finding.unseen.empty()) text += fmt::format("  warning    {}\n", base::one_line(finding.unseen));
    for (const std::string& file : finding.also) text += fmt::format("  also       {}\n", base::one_line(file));
    text += "\n";
  }
  for (const campaign::KernelTotal& kernel : survey.state.kernels) {
    text += fmt::format("{:<{}}  {}  {} in the corpus\n", kernel.name, width, counts_text(kernel), kernel.corpus);
    if (!kernel.decided()) text += fmt::format("{:<{}}  warning: nothing was decided: this is no pass\n", "", width);
  }
  text += arms_text(paid_by(survey.state.kernels));
  for (const campaign::ShardEntry& entry : survey.state.shards) {
    const campaign::FuzzPoint last = last_point(entry.state);
    text += fmt::format("shard {}, seed {}: {} cases in {}, {}\n", entry.shard.to_string(), entry.state.seed,
                        last.cases, long_time(entry.state.elapsed_ms), features_text(last.features, last.code_blocks));
  }
  text += fmt::format("{}: {} cases in {} of all shards together, {:.0f} a second, {}: ", base::one_line(survey.folder),
                      survey.counts().cases, long_time(survey.elapsed_ms()), survey.cases_a_second(),
                      features_text(survey.latest().features, survey.latest().code_blocks));
  return text + ending(survey.findings.size(), survey.decided(), survey.interrupted) + "\n";
}

std::string campaign_json(const campaign::Survey& survey) {
  Json shards = Json::array(), kernels = Json::array(), findings = Json::array();
  for (const campaign::ShardEntry& entry : survey.state.shards) {
    const campaign::FuzzPoint last = last_point(entry.state);
    shards.push_back({{"shard", entry.shard.to_string()},
                      {"seed", entry.state.seed},
                      {"elapsed_ms", entry.state.elapsed_ms},
                      {"cases", last.cases},
                      {"features", last.features},
                      {"code_blocks", last.code_blocks},
                      {"findings", last.findings}});
  }
  for (const campaign::KernelTotal& kernel : survey.state.kernels) {
    Json& entry = kernels.emplace_back(Json{{"name", kernel.name}});
    add_counts(kernel, entry);
    entry.update({{"decided", kernel.decided()}, {"corpus", kernel.corpus}, {"arms", arms_json(kernel.arms)}});
  }
  for (const campaign::FoundAgain& finding : survey.findings) {
    Json& entry = findings.emplace_back(Json{{"kernel", finding.kernel}});
    entry.update(finding_json(finding));
    entry.update({{"size", campaign::name(finding.size)}, {"unseen", finding.unseen}, {"also", finding.also}});
  }
  return dump({{"version", kJsonVersion},
               {"folder", survey.folder},
               {"executor", kernel::name(survey.place)},
               {"elapsed_ms", survey.elapsed_ms()},
               {"cases_a_second", survey.cases_a_second()},
               {"features", survey.latest().features},
               {"code_blocks", survey.latest().code_blocks},
               {"interrupted", survey.interrupted},
               {"shards", shards},
               {"kernels", kernels},
               {"findings", findings},
               {"points", points_json(survey.state.points)},
               {"errors", messages(survey.errors)}});
}

}  // namespace negzero::report
