// A checker of SARIF logs, written apart from the writer: required properties, types, words and cross-references.
//
// Sections are those of "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", OASIS Standard.

#pragma once

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

namespace negzero::report_test {

using Json = nlohmann::json;

inline bool is_text(const Json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

/// 3.11: a message has a text or an id; ours have texts, which are not empty.
inline bool is_message(const Json& object, const char* key) {
  return object.contains(key) && is_text(object[key], "text") && object[key]["text"] != "";
}

inline bool is_one_of(const Json& value, const std::set<std::string>& words) {
  return value.is_string() && words.contains(value.get<std::string>());
}

/// RFC 3986, appendix A: the characters of a URI reference.
inline bool is_uri(const Json& value) {
  if (!value.is_string() || value == "") return false;
  return std::ranges::all_of(value.get<std::string>(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string("-._~:/?#[]@!$&'()*+,;=%").find(c) != std::string::npos;
  });
}

/// 3.28, with 3.29 (physical), 3.33 (logical), 3.4 (artifact) and 3.30 (region).
inline std::string location_defect(const Json& location, const Json& run) {
  if (location.contains("message") && !is_message(location, "message")) return "message of a location";
  for (const Json& logical : location.value("logicalLocations", Json::array())) {
    if (!is_text(logical, "fullyQualifiedName")) return "logicalLocation without a name";
  }
  if (!location.contains("physicalLocation")) return "";
  const Json& physical = location["physicalLocation"];
  if (!physical.contains("artifactLocation") || !physical["artifactLocation"].is_object()) return "no artifactLocation";
  const Json& artifact = physical["artifactLocation"];
  if (!artifact.contains("uri") || !is_uri(artifact["uri"])) return "uri";
  if (artifact.contains("uriBaseId")) {
    // 3.14.14: a base that is named is one of the run's; 3.4.4: an absolute URI has none.
    if (!artifact["uriBaseId"].is_string()) return "uriBaseId";
    if (!run["originalUriBaseIds"].contains(artifact["uriBaseId"].get<std::string>())) return "unknown uriBaseId";
    if (artifact["uri"].get<std::string>().starts_with("file:")) return "an absolute uri with a base";
  } else if (!artifact["uri"].get<std::string>().starts_with("file:///")) {
    return "a relative uri without a base";
  }
  if (!physical.contains("region")) return "";
  const Json& line = physical["region"].value("startLine", Json());
  return line.is_number_integer() && line.get<std::int64_t>() >= 1 ? "" : "startLine";
}

/// 3.27.
inline std::string result_defect(const Json& result, const Json& run) {
  if (!is_message(result, "message")) return "message of a result";
  if (!is_text(result, "ruleId")) return "ruleId";
  if (result.contains("ruleIndex")) {
    const Json &index = result["ruleIndex"], &rules = run["tool"]["driver"]["rules"];
    if (!index.is_number_integer() || index.get<std::size_t>() >= rules.size()) return "ruleIndex";
    if (rules[index.get<std::size_t>()]["id"] != result["ruleId"]) return "ruleIndex of another rule";
  }
  // 3.27.9: with a kind other than fail, the level is none.
  if (!is_one_of(result.value("kind", Json("fail")), {"fail"})) return "kind";
  if (!is_one_of(result.value("level", Json("warning")), {"none", "note", "warning", "error"})) return "level";
  for (const char* key : {"locations", "relatedLocations"}) {
    if (!result.contains(key)) continue;
    if (!result[key].is_array()) return key;
    for (const Json& location : result[key]) {
      if (const std::string wrong = location_defect(location, run); !wrong.empty()) return wrong;
    }
  }
  // 3.35.
  for (const Json& suppression : result.value("suppressions", Json::array())) {
    if (!is_one_of(suppression.value("kind", Json()), {"inSource", "external"})) return "kind of a suppression";
    const std::set<std::string> states = {"accepted", "underReview", "rejected"};
    if (!is_one_of(suppression.value("status", Json("accepted")), states)) return "status of a suppression";
    if (!is_text(suppression, "justification")) return "justification";
  }
  const Json fingerprints = result.value("partialFingerprints", Json::object());
  for (const auto& [key, value] : fingerprints.items()) {
    if (!value.is_string()) return "partialFingerprints";
  }
  return "";
}

/// 3.14, with 3.18 (tool), 3.19 (toolComponent), 3.49 (rule) and 3.20 (invocation).
inline std::string run_defect(const Json& run) {
  if (!run.contains("tool") || !run["tool"].contains("driver")) return "tool";
  const Json& driver = run["tool"]["driver"];
  if (!is_text(driver, "name")) return "name of the driver";
  if (!is_text(driver, "version")) return "version of the driver";
  std::set<std::string> ids;
  for (const Json& rule : driver["rules"]) {
    if (!is_text(rule, "id") || !ids.insert(rule["id"]).second) return "id of a rule";
    if (!is_message(rule, "shortDescription") || !is_message(rule, "fullDescription")) return "text of a rule";
    if (!is_one_of(rule["defaultConfiguration"]["level"], {"none", "note", "warning", "error"}))
      return "level of a rule";
  }
  if (!is_one_of(run.value("columnKind", Json()), {"utf16CodeUnits", "unicodeCodePoints"})) return "columnKind";
  for (const Json& invocation : run["invocations"]) {
    if (!invocation.contains("executionSuccessful") || !invocation["executionSuccessful"].is_boolean()) {
      return "executionSuccessful";
    }
    for (const Json& notification : invocation["toolExecutionNotifications"]) {
      if (!notification.contains("message") || !is_text(notification["message"], "text")) return "notification";
    }
  }
  if (!run.contains("results") || !run["results"].is_array()) return "results";
  std::size_t suppressed = 0;
  for (const Json& result : run["results"]) {
    suppressed += result.contains("suppressions") ? 1 : 0;
    if (const std::string wrong = result_defect(result, run); !wrong.empty()) return wrong;
  }
  // 3.27.23: all results have them, or none has.
  if (suppressed > 0 && suppressed < run["results"].size()) return "suppressions of some results";
  return "";
}

/// What is wrong with a log (3.13), or nothing.
inline std::string sarif_defect(const Json& log) {
  if (!log.is_object() || log.value("version", Json()) != "2.1.0") return "version";
  if (log.contains("$schema") && !is_uri(log["$schema"])) return "$schema";
  if (!log.contains("runs") || !log["runs"].is_array() || log["runs"].empty()) return "runs";
  for (const Json& run : log["runs"]) {
    if (const std::string wrong = run_defect(run); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace negzero::report_test
