// Reads the options of a check.

#include <exception>
#include <utility>
#include <vector>

#include <negzero/base/printable.hpp>
#include <negzero/c/check_request.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::c {
namespace {

using base::Status;

constexpr std::int64_t kMostCases = 1'000'000'000, kMostShapes = 100'000;
constexpr double kMostShrinking = 86'400;

Status read_names(const Json& given, std::vector<std::string>& names) {
  constexpr const char* kValid = "a list of names of properties";
  if (!given.is_array()) return wrong_option("claims", given, kValid);
  for (const Json& name : given) {
    if (!name.is_string()) return wrong_option("claims", given, kValid);
    names.push_back(name.get<std::string>());
  }
  return base::Ok{};
}

Status read_known(const Json& given, std::vector<property::Known>& known) {
  constexpr const char* kValid = R"(a list of findings, each of a class or of a rule: [{"class": "data_race"}])";
  if (!given.is_array()) return wrong_option("known", given, kValid);
  for (const Json& each : given) {
    const bool is_one = each.is_object() && each.size() == 1 && each.begin()->is_string();
    property::Known& next = known.emplace_back();
    if (is_one && each.contains("rule")) {
      next.rule = verdict::Rule::named(each["rule"].get<std::string>());
    } else if (is_one && each.contains("class")) {
      next.kind = verdict::parse_failure_class(each["class"].get<std::string>());
    }
    if (next.rule.is_none() && !next.kind) return wrong_option("known", each, kValid);
  }
  return base::Ok{};
}

Status read_reference(const Json& given, CheckRequest& asked) {
  try {
    asked.reference = kernel::reference_of(nlohmann::json::parse(given.dump()));
  } catch (const std::exception& exception) {
    return base::usage_error(std::string("reference: ") + exception.what());
  }
  return kernel::validate(asked.reference, *operation::find_signature(asked.wanted.request.operation));
}

}  // namespace

base::Result<CheckRequest> check_request(std::string_view options) {
  std::vector<std::string_view> known(request_keys().begin(), request_keys().end());
  known.insert(known.end(), {"name", "promises", "reference", "claims", "known", "cases", "shapes", "shrink_seconds"});
  const auto parsed = parse_options(options, known);
  if (!parsed) return parsed.error();
  auto wanted = c::wanted(*parsed);
  if (!wanted) return wanted.error();
  CheckRequest asked{.wanted = *std::move(wanted)};
  asked.search.seed = asked.wanted.seed;
  for (const auto& [key, given] : parsed->items()) {
    if (key == "name") {
      if (!given.is_string()) return wrong_option(key, given, "text");
      asked.name = base::one_line(given.get<std::string>());
    } else if (key == "promises") {
      if (!given.is_object()) return wrong_option(key, given, "an object of fields of a contract");
      asked.promises = given;
    } else if (key == "reference") {
      if (const Status status = read_reference(given, asked); !status) return status.error();
    } else if (key == "claims") {
      if (const Status status = read_names(given, asked.search.claims); !status) return status.error();
    } else if (key == "known") {
      if (const Status status = read_known(given, asked.search.known); !status) return status.error();
    } else if (key == "cases" || key == "shapes") {
      const auto number = integer(key, given, {0, key == "cases" ? kMostCases : kMostShapes});
      if (!number) return number.error();
      (key == "cases" ? asked.search.cases : asked.search.shapes) = static_cast<std::uint64_t>(*number);
    } else if (key == "shrink_seconds") {
      const double seconds = given.is_number() ? given.get<double>() : -1;
      if (!(seconds >= 0 && seconds <= kMostShrinking)) return wrong_option(key, given, "seconds from 0 to 86400");
      asked.search.shrink_ms = static_cast<std::uint64_t>(seconds * 1000);
    }
  }
  return asked;
}

}  // namespace negzero::c
