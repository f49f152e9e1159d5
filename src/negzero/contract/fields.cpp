// The fields of a contract: one row each says how it is compared, written as JSON and read from it.

#include <limits>
#include <type_traits>

#include <negzero/contract/fields.hpp>
#include <negzero/contract/words.hpp>

namespace negzero::contract {
namespace {

using Json = nlohmann::ordered_json;
using base::Ok;
using base::Status;
using base::usage_error;

std::string known_formats() {
  std::string list;
  for (const auto& format : number::all_formats()) {
    if (!list.empty()) list += ", ";
    list += format.name;
  }
  return list;
}

template <typename Enum>
requires std::is_enum_v<Enum> Json write(Enum value) { return std::string(word(value)); }
Json write(number::FormatId value) { return std::string(number::format(value).name); }
Json write(bool value) { return value; }
Json write(std::int64_t value) { return value; }
Json write(const std::string& value) { return value; }
Json write(const std::optional<number::FormatId>& value) { return value ? write(*value) : Json(nullptr); }
Json write(const std::optional<Promote>& value) {
  if (!value) return nullptr;
  return Json{{"every", value->every}, {"format", write(value->format)}};
}
Json write(const std::vector<RoundingStep>& steps) {
  Json list = Json::array();
  for (const RoundingStep& step : steps) {
    list.push_back(Json{{"format", write(step.format)}, {"rounding", write(step.rounding)}});
  }
  return list;
}
Json write(const std::optional<std::uint64_t>& value) {
  if (!value) return nullptr;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  std::uint64_t rest = *value;
  do {
    text.insert(text.begin(), kDigits[rest & 15]);
    rest >>= 4;
  } while (rest != 0);
  return "0x" + text;
}

Status wrong_type(const std::string& field, const Json& json, std::string_view expected) {
  return usage_error("contract field \"" + field + "\": " + json.dump() + " is not " + std::string(expected));
}

template <typename Enum>
requires std::is_enum_v<Enum> Status read(const std::string& field, const Json& json, Enum& value) {
  if (!json.is_string()) return wrong_type(field, json, "one of: " + known_words<Enum>());
  const auto parsed = from_word<Enum>(json.get_ref<const std::string&>());
  if (!parsed) return wrong_type(field, json, "one of: " + known_words<Enum>());
  value = *parsed;
  return Ok{};
}
Status read(const std::string& field, const Json& json, number::FormatId& value) {
  const auto parsed = json.is_string() ? number::parse_format(json.get_ref<const std::string&>()) : std::nullopt;
  if (!parsed) return wrong_type(field, json, "one of: " + known_formats());
  value = *parsed;
  return Ok{};
}
Status read(const std::string& field, const Json& json, bool& value) {
  if (!json.is_boolean()) return wrong_type(field, json, "true or false");
  value = json.get<bool>();
  return Ok{};
}
Status read(const std::string& field, const Json& json, std::int64_t& value) {
  if (!json.is_number_integer() ||
      (json.is_number_unsigned() &&
       json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})) {
    return wrong_type(field, json, "a whole number");
  }
  value = json.get<std::int64_t>();
  return Ok{};
}
Status read(const std::string& field, const Json& json, std::string& value) {
  if (!json.is_string()) return wrong_type(field, json, "a string");
  value = json.get<std::string>();
  return Ok{};
}
Status read(const std::string& field, const Json& json, std::optional<number::FormatId>& value) {
  if (json.is_null()) {
    value.reset();
    return Ok{};
  }
  value.emplace();
  return read(field, json, *value);
}

/// The members of an object are exactly `names`.
bool has_exactly(const Json& json, std::initializer_list<std::string_view> names) {
  if (!json.is_object() || json.size() != names.size()) return false;
  for (std::string_view name : names) {
    if (!json.contains(std::string(name))) return false;
  }
  return true;
}

Status read(const std::string& field, const Json& json, std::optional<Promote>& value) {
  value.reset();
  if (json.is_null()) return Ok{};
  if (!has_exactly(json, {"every", "format"})) {
    return wrong_type(field, json, R"(null or {"every": 128, "format": "F32"})");
  }
  value.emplace();
  if (Status status = read(field + ".every", json["every"], value->every); !status) return status;
  return read(field + ".format", json["format"], value->format);
}
Status read(const std::string& field, const Json& json, std::vector<RoundingStep>& steps) {
  steps.clear();
  if (!json.is_array()) return wrong_type(field, json, R"(a list of {"format": "F16", "rounding": "nearest_even"})");
  for (const Json& item : json) {
    RoundingStep step;
    if (item.is_string()) {
      if (Status status = read(field, item, step.format); !status) return status;
    } else {
      if (!has_exactly(item, {"format", "rounding"})) {
        return wrong_type(field, item, R"(a format or {"format": "F16", "rounding": "nearest_even"})");
      }
      if (Status status = read(field + ".format", item["format"], step.format); !status) return status;
      if (Status status = read(field + ".rounding", item["rounding"], step.rounding); !status) return status;
    }
    steps.push_back(step);
  }
  return Ok{};
}
Status read(const std::string& field, const Json& json, std::optional<std::uint64_t>& value) {
  value.reset();
  if (json.is_null()) return Ok{};
  constexpr std::string_view kExpected = "null or hexadecimal bits such as \"0xff800000\"";
  if (!json.is_string()) return wrong_type(field, json, kExpected);
  const std::string& text = json.get_ref<const std::string&>();
  if (text.size() < 3 || text.size() > 18 || text.substr(0, 2) != "0x" ||
      text.find_first_not_of("0123456789abcdefABCDEF", 2) != std::string::npos) {
    return wrong_type(field, json, kExpected);
  }
  value = std::stoull(text.substr(2), nullptr, 16);
  return Ok{};
}

template <typename T>
Field field(std::string_view name, T Contract::*member) {
  return {name, [member](const Contract& a, const Contract& b) { return a.*member == b.*member; },
          [member](const Contract& c) { return write(c.*member); },
          [member](const std::string& field_name, const Json& json, Contract& c) {
            return read(field_name, json, c.*member);
          }};
}

}  // namespace

const std::vector<Field>& fields() {
  static const std::vector<Field> table{
      field("multiplicand", &Contract::multiplicand),
      field("accumulate", &Contract::accumulate),
      field("accumulate_rounding", &Contract::accumulate_rounding),
      field("model", &Contract::model),
      field("wider", &Contract::wider),
      field("compensated", &Contract::compensated),
      field("order", &Contract::order),
      field("tensor_core", &Contract::tensor_core),
      field("unit", &Contract::unit),
      field("slices", &Contract::slices),
      field("slice_format", &Contract::slice_format),
      field("contraction", &Contract::contraction),
      field("start", &Contract::start),
      field("promote", &Contract::promote),
      field("alpha", &Contract::alpha),
      field("beta", &Contract::beta),
      field("scalar_format", &Contract::scalar_format),
      field("intermediate", &Contract::intermediate),
      field("intermediate_at", &Contract::intermediate_at),
      field("output_rounding", &Contract::output_rounding),
      field("subnormal_inputs", &Contract::subnormal_inputs),
      field("subnormal_results", &Contract::subnormal_results),
      field("nan", &Contract::nan),
      field("all_nan", &Contract::all_nan),
      field("zero_sign", &Contract::zero_sign),
      field("overflow", &Contract::overflow),
      field("integer_overflow", &Contract::integer_overflow),
      field("ties", &Contract::ties),
      field("empty", &Contract::empty),
      field("mean", &Contract::mean),
      field("mean_may_overflow", &Contract::mean_may_overflow),
      field("reads_a_b_at_alpha_zero", &Contract::reads_a_b_at_alpha_zero),
      field("reads_c_at_beta_zero", &Contract::reads_c_at_beta_zero),
      field("determinism", &Contract::determinism),
      field("position_invariant", &Contract::position_invariant),
  };
  return table;
}

}  // namespace negzero::contract
