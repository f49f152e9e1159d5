// A document as SARIF, which sites of source code show beside the lines that it names.
//
// Numbers of sections are those of "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/report/escape.hpp>
#include <negzero/report/sarif.hpp>

namespace negzero::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "SRCROOT";

Json text_json(const std::string& text) { return {{"text", text}}; }

/// 3.4.3: a relative reference goes with the base that it is relative to.
Json artifact_json(const std::string& path) {
  if (path.starts_with('/')) return {{"uri", "file://" + uri_path(path)}};
  return {{"uri", uri_path(path)}, {"uriBaseId", kRoot}};
}

/// 3.28. Requires a place whose file is known.
Json location_json(const SourcePlace& place, const std::string& message) {
  Json physical{{"artifactLocation", artifact_json(place.file)}};
  // 3.30.5: lines count from 1.
  if (place.line > 0) physical["region"] = {{"startLine", place.line}};
  Json location{{"physicalLocation", std::move(physical)}};
  if (!message.empty()) location["message"] = text_json(message);
  return location;
}

/// 3.49: every rule that a command can report, once.
Json rules_json() {
  Json rules = Json::array();
  for (const verdict::RuleRow& row : verdict::reported_rules()) {
    rules.push_back({{"id", row.id},
                     {"shortDescription", text_json(std::string(row.claim))},
                     {"fullDescription", text_json(fmt::format("{} Source: {}.", row.claim, row.source))},
                     {"defaultConfiguration", {{"level", "error"}}}});
  }
  return rules;
}

void add_locations(const FindingEntry& finding, Json& result) {
  std::vector<const SourcePlace*> known;
  for (const SourcePlace& place : finding.places) {
    if (!place.file.empty()) known.push_back(&place);
  }
  Json location = Json::object(), related = Json::array();
  if (!known.empty()) location = location_json(*known.front(), "");
  if (known.empty() && !finding.registration.file.empty()) {
    location = location_json(finding.registration, "The kernel is registered here.");
  }
  location["logicalLocations"] = {{{"fullyQualifiedName", finding.kernel}, {"kind", "function"}}};
  result["locations"] = Json::array({std::move(location)});
  for (std::size_t i = 1; i < known.size(); ++i) {
    related.push_back(location_json(*known[i], fmt::format("{}:{}", known[i]->name, known[i]->line)));
  }
  if (!related.empty()) result["relatedLocations"] = std::move(related);
}

/// 3.35: a ledger lies outside the source.
Json suppressions_json(const campaign::Acceptance& accepted) {
  return Json::array({{{"kind", "external"}, {"status", "accepted"}, {"justification", accepted.to_string()}}});
}

Json result_json(const FindingEntry& finding) {
  const verdict::Failure& failure = finding.failure;
  std::string message = finding.kernel + ": " + failure.message;
  if (!finding.watched.empty()) message += " Watched: " + finding.watched;
  if (!finding.replay.empty()) message += " Replay: " + finding.replay;
  Json result{{"ruleId", failure.rule}};
  // 3.27.6: an index into the rules, absent for one that is not there.
  if (failure.rule.place() < verdict::reported_rules().size()) result["ruleIndex"] = failure.rule.place();
  result["kind"] = "fail";
  result["level"] = "error";
  result["message"] = text_json(message);
  add_locations(finding, result);
  // 3.27.17: what stays the same when lines move, so that a known finding is not told of as a new one. Two races of a
  // kernel differ in the second.
  const std::string name = fmt::format("{}/{}", finding.kernel, verdict::name(failure.kind));
  std::string cause = name;
  if (failure.kind == verdict::FailureClass::DataRace) {
    for (const std::string& text : texts_of(finding.places)) cause += "/" + text;
  }
  result["partialFingerprints"] = {{"kernelClass/v1", name}, {"cause/v2", std::move(cause)}};
  result["properties"] = {{"kernel", finding.kernel},
                          {"operation", finding.operation},
                          {"class", verdict::name(failure.kind)},
                          {"case", finding.case_path}};
  return result;
}

}  // namespace

std::string sarif(const Document& document) {
  Json results = Json::array(), notifications = Json::array();
  auto findings = findings_of(document);
  const std::vector<std::string> errors = problems(document);
  const auto is_accepted = [](const FindingEntry& finding) { return finding.accepted.has_value(); };
  const bool any_accepted = std::ranges::any_of(findings, is_accepted);
  for (const FindingEntry& finding : findings) {
    Json& result = results.emplace_back(result_json(finding));
    // 3.27.23: all results of a run have them, or none has; an empty list says that this one is not suppressed.
    if (any_accepted) result["suppressions"] = finding.accepted ? suppressions_json(*finding.accepted) : Json::array();
  }
  for (const std::string& error : errors) {
    notifications.push_back({{"level", "error"}, {"message", text_json(error)}});
  }
  for (const KernelEntry& kernel : document.kernels) {
    if (kernel.not_judged == 0) continue;
    notifications.push_back({{"level", "warning"},
                             {"message", text_json(fmt::format("{}: values not judged in {} cases, which is no pass",
                                                               kernel.name, kernel.not_judged))}});
  }
  Json invocation{{"executionSuccessful", errors.empty() && !document.interrupted},
                  {"toolExecutionNotifications", std::move(notifications)}};
  if (!document.invocation.repeat.empty()) invocation["commandLine"] = document.invocation.repeat;
  const Json driver{{"name", "negzero"}, {"version", document.invocation.version}, {"rules", rules_json()}};
  const Json run{{"tool", {{"driver", driver}}},
                 {"invocations", Json::array({std::move(invocation)})},
                 {"originalUriBaseIds", {{kRoot, {{"description", text_json("The root of the kernels' sources.")}}}}},
                 {"columnKind", "unicodeCodePoints"},
                 {"results", std::move(results)}};
  return Json{{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}}.dump(
             2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace negzero::report
