// Reports as versioned JSON documents.

#include <nlohmann/json.hpp>

#include <negzero/report/json.hpp>
#include <negzero/report/unwatched.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void add_counts(const campaign::Counts& counts, Json& to) {
  for (const campaign::Count& count : campaign::kCounts) to[count.name] = counts.*count.member;
}

Json messages(const std::vector<base::Error>& errors) {
  Json result = Json::array();
  for (const base::Error& error : errors) result.push_back(error.message);
  return result;
}

Json acceptance_json(const std::optional<campaign::Acceptance>& accepted) {
  if (!accepted) return nullptr;
  return {{"entry", accepted->number}, {"reason", accepted->reason}, {"link", accepted->link}};
}

Json ledger_json(const campaign::LedgerOutcome& ledger) {
  Json not_run = Json::array();
  for (const campaign::NotRun& each : ledger.not_run) {
    not_run.push_back(
        {{"kernel", each.kernel}, {"watched_only", each.watched_only}, {"accepted", acceptance_json(each.accepted)}});
  }
  return {{"not_run", not_run}, {"stale", ledger.stale}};
}

Json finding_json(const campaign::Finding& finding) {
  Json also_at = Json::array();
  for (const auto& [place, cases] : finding.also_at)
    also_at.push_back({{"place", place.to_string()}, {"cases", cases}});
  return {{"class", verdict::name(finding.failure.kind)},
          {"rule", finding.failure.rule},
          {"message", finding.failure.message},
          {"permitted_under", finding.failure.permitted_under},
          {"case", finding.case_path},
          {"original", finding.original_path},
          {"original_rule", finding.original_rule},
          {"interrupted", finding.interrupted},
          {"cut", finding.cut},
          {"watched", finding.watched},
          {"hit_rate", hit_rate_json(finding.hit_rate)},
          {"failing_cases", finding.failing_cases},
          {"also_at", also_at},
          {"evaluations", finding.evaluations},
          {"accepted", acceptance_json(finding.accepted)}};
}

// Paths and a kernel's own words may hold bytes that are not UTF-8: they are replaced, so that the document parses.
std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json hit_rate_json(const std::optional<double>& rate) { return rate ? Json(*rate) : Json(nullptr); }

std::string check_json(const campaign::CheckReport& report) {
  Json kernels = Json::array();
  for (const campaign::KernelReport& kernel : report.kernels) {
    Json findings = Json::array();
    for (const campaign::Finding& finding : kernel.findings) findings.push_back(finding_json(finding));
    Json& entry = kernels.emplace_back(Json{{"name", kernel.name}});
    add_counts(kernel, entry);
    entry.update(
        {{"accepted", kernel.accepted},
         {"unwatched", why_unwatched(report, kernel)},
         {"decided", kernel.decided()},
         {"worst_margin", kernel.worst_margin},
         {"blind", kernel.blind_cases > 0 ? Json(kernel.blind / static_cast<double>(kernel.blind_cases)) : Json()},
         {"note", kernel.note},
         {"warning", kernel.warning},
         {"warnings", kernel.warnings},
         {"printed", kernel.printed},
         {"strategies", kernel.strategies},
         {"findings", findings}});
  }
  return dump({{"version", kJsonVersion},
               {"seed", report.seed},
               {"executor", kernel::name(report.place)},
               {"elapsed_ms", report.elapsed_ms},
               {"interrupted", report.interrupted},
               {"kernels", kernels},
               {"skipped", report.skipped},
               {"ledger", ledger_json(report.ledger)},
               {"errors", messages(report.errors)}});
}

std::string replay_json(const campaign::ReplayReport& report) {
  Json results = Json::array();
  for (const campaign::ReplayItem& item : report.items) {
    Json result{{"case", item.path}, {"operation", item.operation}, {"kernel", item.kernel}};
    if (item.skipped.empty()) {
      result["verdict"] = verdict::name(item.verdict.kind);
      if (const auto& failure = item.verdict.failure) {
        result["class"] = verdict::name(failure->kind);
        result["rule"] = failure->rule;
        result["message"] = failure->message;
      } else if (!item.verdict.reason.empty()) {
        result["message"] = item.verdict.reason;
      }
      if (!item.verdict.warning.empty()) result["warning"] = item.verdict.warning;
      result["margin"] = item.verdict.margin;
      result["expected"] = verdict::name(item.expected ? item.expected->verdict : verdict::VerdictKind::Pass);
    } else {
      result["skipped"] = item.skipped;
    }
    if (!item.outputs.empty()) result["outputs"] = item.outputs;
    result["status"] = campaign::name(item.status());
    results.push_back(std::move(result));
  }
  Json recorded = Json::array();
  for (const campaign::Recorded& entry : report.recorded) {
    Json item{{"case", entry.path},
              {"kernel", entry.now.kernel},
              {"executor", entry.now.executor},
              {"verdict", verdict::name(entry.now.verdict)}};
    if (entry.now.failure_class) item["class"] = verdict::name(*entry.now.failure_class);
    if (!entry.now.rule.empty()) item["rule"] = entry.now.rule;
    recorded.push_back(std::move(item));
  }
  return dump({{"version", kJsonVersion},
               {"executor", kernel::name(report.place)},
               {"interrupted", report.interrupted},
               {"results", results},
               {"recorded", recorded},
               {"errors", messages(report.errors)}});
}

std::string error_json(const base::Error& error) {
  constexpr const char* kKinds[] = {"usage", "infrastructure", "unavailable", "nothing_decided", "interrupted"};
  return dump({{"version", kJsonVersion},
               {"error", {{"kind", kKinds[static_cast<std::size_t>(error.kind)]}, {"message", error.message}}}});
}

}  // namespace negzero::report
