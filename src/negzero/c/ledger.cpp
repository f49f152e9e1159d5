// Decisions of the ledger of known findings for other languages.

#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/c/ledger.hpp>
#include <negzero/c/options.hpp>
#include <negzero/files/field_reader.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/verdict/ledger.hpp>

namespace negzero::c {
namespace {

using files::FieldReader;
using files::JsonValue;
using verdict::RunsAt;

constexpr int kAnswerVersion = 1;
/// Levels of a query: the object, a list in it, a row of that.
constexpr std::size_t kQueryDepth = 3;

RunsAt read_place(FieldReader& fields) {
  if (!fields.has("place")) return RunsAt::Anywhere;
  const std::string_view word = fields.text("place");
  const auto place = verdict::parse_runs_at(word);
  if (fields.ok() && !place) {
    fields.fail("place", fmt::format("= {} is no place; give host, watched or cuda, or leave it out where it is not "
                                     "known",
                                     files::in_quotes(word)));
  }
  return place.value_or(RunsAt::Anywhere);
}

verdict::KnownBy read_finding(const JsonValue& row, std::string_view what, std::optional<std::string>& error) {
  FieldReader fields(row, what, {"kernel", "class", "rule", "place"}, error);
  verdict::KnownBy finding{.kernel = std::string(fields.text("kernel"))};
  if (!fields.has("class") && !fields.has("rule")) fields.fail("class", "is missing, and so is rule; give one or both");
  if (fields.has("class")) {
    finding.kind = fields.word("class", verdict::parse_failure_class, verdict::failure_class_words());
  }
  if (fields.has("rule")) finding.rule = verdict::Rule::named(fields.text("rule"));
  finding.place = read_place(fields);
  return finding;
}

verdict::RanThere read_ran(const JsonValue& row, std::string_view what, std::optional<std::string>& error) {
  if (row.is(JsonValue::Kind::String)) return {.kernel = std::string(row.text)};
  FieldReader fields(row, what, {"kernel", "place", "whole"}, error);
  verdict::RanThere ran{.kernel = std::string(fields.text("kernel"))};
  ran.place = read_place(fields);
  if (fields.has("whole")) ran.whole = fields.boolean("whole");
  return ran;
}

/// The rows of a list, each by `read`.
template <typename Row>
std::vector<Row> rows(FieldReader& fields, std::string_view key, std::optional<std::string>& error,
                      Row (*read)(const JsonValue&, std::string_view, std::optional<std::string>&)) {
  std::vector<Row> result;
  const JsonValue& list = fields.child(key);
  if (fields.ok() && !list.is(JsonValue::Kind::Array)) fields.fail(key, "is no list");
  if (!fields.ok()) return result;
  for (const JsonValue& row : list) {
    const std::string what = fmt::format("query: {}[{}]", key, result.size());
    result.push_back(read(row, what, error));
    if (error) break;
  }
  return result;
}

}  // namespace

base::Result<std::string> decided(std::string_view ledger, std::string_view query) {
  const auto parsed = verdict::parse_ledger(ledger, "ledger");
  if (!parsed) return parsed.error();
  const auto document = files::parse_strict_json(query, "query", {.depth = kQueryDepth});
  if (!document) return document.error();
  std::optional<std::string> error;
  FieldReader fields(document->root(), "query", {"findings", "ran"}, error);
  const auto findings = rows(fields, "findings", error, read_finding);
  const auto ran = rows(fields, "ran", error, read_ran);
  if (error) return base::usage_error(*error);
  Json accepted = Json::array();
  for (const verdict::KnownBy& finding : findings) {
    const auto entry = parsed->accepting(finding);
    accepted.push_back(entry ? Json(*entry) : Json(nullptr));
  }
  return Json{{"version", kAnswerVersion}, {"accepted", accepted}, {"stale", parsed->stale(findings, ran)}}.dump();
}

}  // namespace negzero::c
