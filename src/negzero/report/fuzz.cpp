// Reports of searches: what a person reads at the end, and the same as a versioned JSON document.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/duration.hpp>
#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/report/arms.hpp>
#include <negzero/report/console.hpp>
#include <negzero/report/document_parts.hpp>
#include <negzero/report/fuzz.hpp>
#include <negzero/report/json.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string fuzz_progress_text(const campaign::FuzzPoint& now, std::uint64_t vacuous, double cases_a_second,
                               std::uint64_t left_ms) {
  std::string text = fmt::format("{} cases, {:.0f}/s, {}, {} in the corpus, {}, {} vacuous", now.cases, cases_a_second,
                                 features_text(now.features, now.code_blocks), now.corpus,
                                 plural(now.findings, "finding"), percent(vacuous, now.cases));
  if (left_ms > 0) text += fmt::format(", {} left", base::duration_text(left_ms / 1000 * 1000));
  return text;
}

std::string fuzz_text(const campaign::FuzzReport& report, const std::string& command) {
  std::size_t width = 0;
  for (const auto& kernel : report.kernels) width = std::max(width, kernel.name.size());
  std::string text;
  std::uint64_t cases = 0, findings = 0, known = 0, accepted = 0;
  for (const campaign::FuzzedKernel& kernel : report.kernels) {
    text += fmt::format("{:<{}}  {}  {}  {} in the corpus\n", kernel.name, width, counts_text(kernel),
                        features_text(kernel.features, kernel.code_blocks), kernel.corpus);
    if (!kernel.note.empty()) text += fmt::format("{:<{}}  note: {}\n", "", width, base::one_line(kernel.note));
    if (!kernel.decided()) text += fmt::format("{:<{}}  warning: nothing was decided: this is no pass\n", "", width);
    for (const std::string& file : kernel.known) {
      text += fmt::format("{:<{}}  found before: {}\n", "", width, campaign::replay_line(command, file, ""));
    }
    for (const auto& [file, known_by] : kernel.known_accepted) {
      text += fmt::format("{:<{}}  {}, found before: {}\n", "", width, base::one_line(known_by.to_string()),
                          campaign::replay_line(command, file, ""));
    }
    cases += kernel.cases;
    accepted += count_accepted(kernel.findings) + kernel.known_accepted.size();
    findings += kernel.findings.size() - count_accepted(kernel.findings);
    known += kernel.known.size();
  }
  text += not_run_lines(report.ledger);
  text += arms_text(paid_by(report.kernels));
  text += fmt::format("shard {} of {}, seed {}, {} executor: {} cases in {} (this run {}): ", report.shard.to_string(),
                      base::one_line(report.folder), report.seed, kernel::name(report.place), cases,
                      base::duration_text(report.elapsed_ms), base::duration_text(report.run_ms));
  if (findings + known > 0) {
    text += fmt::format("{}, {} known before", plural(findings, "new finding"), known);
  } else {
    text += ending(0, !report.kernels.empty(), false);
  }
  return text + ledger_ending(accepted, report.ledger) + "\n";
}

std::string fuzz_json(const campaign::FuzzReport& report) {
  Json kernels = Json::array();
  for (const campaign::FuzzedKernel& kernel : report.kernels) {
    Json findings = Json::array();
    for (const campaign::Finding& finding : kernel.findings) findings.push_back(finding_json(finding));
    Json known_accepted = Json::array();
    for (const auto& [file, accepted] : kernel.known_accepted) {
      known_accepted.push_back({{"case", file}, {"accepted", acceptance_json(accepted)}});
    }
    Json& entry = kernels.emplace_back(Json{{"name", kernel.name}});
    add_counts(kernel, entry);
    entry.update({{"decided", kernel.decided()},
                  {"features", kernel.features},
                  {"code_blocks", kernel.code_blocks},
                  {"corpus", kernel.corpus},
                  {"note", kernel.note},
                  {"arms", arms_json(kernel.arms)},
                  {"findings", findings},
                  {"known", kernel.known},
                  {"known_accepted", known_accepted}});
  }
  return dump({{"version", kJsonVersion},
               {"folder", report.folder},
               {"shard", report.shard.to_string()},
               {"seed", report.seed},
               {"executor", kernel::name(report.place)},
               {"elapsed_ms", report.elapsed_ms},
               {"run_ms", report.run_ms},
               {"resumed", report.resumed},
               {"interrupted", report.interrupted},
               {"kernels", kernels},
               {"ledger", ledger_json(report.ledger)},
               {"points", points_json(report.points)},
               {"errors", messages(report.errors)}});
}

Json points_json(const std::vector<campaign::FuzzPoint>& points) {
  Json result = Json::array();
  for (const campaign::FuzzPoint& point : points) {
    result.push_back({{"elapsed_ms", point.elapsed_ms},
                      {"cases", point.cases},
                      {"features", point.features},
                      {"code_blocks", point.code_blocks},
                      {"corpus", point.corpus},
                      {"findings", point.findings}});
  }
  return result;
}

Json arms_json(const campaign::Arms& arms) {
  Json result = Json::object();
  for (const campaign::Arm& arm : arms.all()) result[arm.name] = {{"cases", arm.cases}, {"kept", arm.kept}};
  return result;
}

std::string merge_text(const std::vector<campaign::MergedKernel>& merged) {
  std::string text;
  for (const campaign::MergedKernel& kernel : merged) {
    text += fmt::format("{}: {} of {} cases stay, {} features\n", kernel.name, kernel.after, kernel.before,
                        kernel.features);
    for (const std::string& file : kernel.failing) {
      text += fmt::format("  {} does not pass now, and stays\n", base::one_line(file));
    }
  }
  return text;
}

std::string merge_json(const std::vector<campaign::MergedKernel>& merged) {
  Json kernels = Json::array();
  for (const campaign::MergedKernel& kernel : merged) {
    kernels.push_back({{"kernel", kernel.name},
                       {"before", kernel.before},
                       {"after", kernel.after},
                       {"features", kernel.features},
                       {"failing", kernel.failing}});
  }
  return dump({{"version", kJsonVersion}, {"merged", kernels}});
}

}  // namespace negzero::report
