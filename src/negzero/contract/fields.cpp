// The fields of a contract: one row each says what it means and takes, how it is compared, written as JSON and read.

#include <limits>
#include <type_traits>
#include <utility>

#include <negzero/base/nearest.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/contract/words.hpp>
#include <negzero/formula/formula.hpp>

namespace negzero::contract {
namespace {

using Json = nlohmann::ordered_json;
using base::Ok;
using base::Status;
using base::usage_error;

/// Of integers, contracts are about those of I32 alone, and about no format that only stores.
bool is_computed_in(number::FormatId format) {
  const number::Format& given = number::format(format);
  return given.is_integer() ? format == number::FormatId::I32 : !given.only_stores();
}

std::vector<std::string_view> known_formats() {
  std::vector<std::string_view> names;
  for (const auto& format : number::all_formats()) {
    if (is_computed_in(format.id)) names.push_back(format.name);
  }
  return names;
}

template <typename T>
Takes takes_of() {
  using Kind = Takes::Kind;
  if constexpr (std::is_same_v<T, number::FormatId>)
    return {Kind::Word, known_formats()};
  else if constexpr (std::is_same_v<T, std::optional<number::FormatId>>)
    return {Kind::Word, known_formats(), true};
  else if constexpr (std::is_same_v<T, std::optional<Multiplicand>>)
    return {Kind::Word, known_words<Multiplicand>(), true};
  else if constexpr (std::is_enum_v<T>)
    return {Kind::Word, known_words<T>()};
  else if constexpr (std::is_same_v<T, bool>)
    return {Kind::Truth};
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return {Kind::WholeNumber};
  else if constexpr (std::is_same_v<T, std::string>)
    return {Kind::Text};
  else if constexpr (std::is_same_v<T, Depth>)
    return {Kind::Formula};
  else if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>)
    return {Kind::Bits};
  else if constexpr (std::is_same_v<T, std::optional<Promote>>)
    return {Kind::Promotion};
  else {
    static_assert(std::is_same_v<T, std::vector<RoundingStep>>);
    return {Kind::Roundings};
  }
}

template <typename Enum>
requires std::is_enum_v<Enum> Json write(Enum value) { return std::string(word(value)); }
Json write(number::FormatId value) { return std::string(number::format(value).name); }
Json write(bool value) { return value; }
Json write(std::int64_t value) { return value; }
Json write(const std::string& value) { return value; }
Json write(const Depth& value) {
  if (value.formula.empty()) return nullptr;
  const auto parsed = formula::Formula::parse(value.formula);
  const auto constant = parsed ? parsed->constant() : std::nullopt;
  return constant ? Json(*constant) : Json(value.formula);
}
template <typename Enum>
requires std::is_enum_v<Enum> Json write(const std::optional<Enum>& value) {
  return value ? write(*value) : Json(nullptr);
}
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
  const auto parsed = json.is_string() ? from_word<Enum>(json.get_ref<const std::string&>()) : std::nullopt;
  if (!parsed) return none_of(field, json, known_words<Enum>());
  value = *parsed;
  return Ok{};
}
Status read(const std::string& field, const Json& json, number::FormatId& value) {
  const auto parsed = json.is_string() ? number::parse_format(json.get_ref<const std::string&>()) : std::nullopt;
  if (!parsed || !is_computed_in(*parsed)) return none_of(field, json, known_formats());
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
template <typename Enum>
requires std::is_enum_v<Enum> Status read(const std::string& field, const Json& json, std::optional<Enum>& value) {
  if (json.is_null()) {
    value.reset();
    return Ok{};
  }
  value.emplace();
  return read(field, json, *value);
}

Status read(const std::string& field, const Json& json, Depth& value) {
  value = {};
  if (json.is_null()) return Ok{};
  constexpr std::string_view kExpected =
      "null, a whole number of at least 1, or a formula such as \"1 + ceil_div(k, 256)\"";
  if (!json.is_string() && !(json.is_number_integer() && json.get<std::int64_t>() >= 0))
    return wrong_type(field, json, kExpected);
  const auto parsed = formula::Formula::parse(json.is_string() ? json.get<std::string>() : json.dump());
  if (!parsed) return usage_error("contract field \"" + field + "\": " + parsed.error().message);
  value.formula = parsed->to_string();
  return Ok{};
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
Field field(std::string_view name, T Contract::*member, std::string_view meaning, Takes takes = takes_of<T>()) {
  return {name,
          meaning,
          std::move(takes),
          [member](const Contract& a, const Contract& b) { return a.*member == b.*member; },
          [member](const Contract& c) { return write(c.*member); },
          [member](const std::string& field_name, const Json& json, Contract& c) {
            return read(field_name, json, c.*member);
          }};
}

}  // namespace

std::string_view kind_name(Takes::Kind kind) noexcept {
  switch (kind) {
    case Takes::Kind::Truth:
      return "truth";
    case Takes::Kind::WholeNumber:
      return "whole number";
    case Takes::Kind::Text:
      return "text";
    case Takes::Kind::Formula:
      return "formula";
    case Takes::Kind::Bits:
      return "bits";
    case Takes::Kind::Promotion:
      return "promotion";
    case Takes::Kind::Roundings:
      return "roundings";
    case Takes::Kind::Word:
      break;
  }
  return "word";
}

std::string in_commas(const std::vector<std::string_view>& names) {
  std::string list;
  for (std::string_view name : names) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list;
}

base::Error none_of(const std::string& field, const Json& value, const std::vector<std::string_view>& words) {
  const std::string near = value.is_string() ? base::did_you_mean(value.get_ref<const std::string&>(), words) : "";
  return usage_error("contract field \"" + field + "\": " + value.dump() + " is not one of: " + in_commas(words) +
                     (near.empty() ? "" : "; " + near.substr(0, near.size() - 1)));
}

const std::vector<Field>& fields() {
  static const std::vector<Field> table{
      field("multiplicand", &Contract::multiplicand, "How factors are rounded before they are multiplied."),
      field("multiplicand_b", &Contract::multiplicand_b,
            "The same of the factors of B alone, where `multiplicand` is that of A; null: both alike."),
      field("accumulate", &Contract::accumulate, "The format in which sums are held."),
      field("accumulate_rounding", &Contract::accumulate_rounding, "How each addition is rounded."),
      field("model", &Contract::model, "The name of a hardware model; none is built in yet."),
      field("wider", &Contract::wider, "Sums may be held in a wider format than `accumulate`."),
      field("compensated", &Contract::compensated, "Sums may be compensated, as Kahan and Neumaier do."),
      field("order", &Contract::order, "The order of additions: every tree, one chain, or that of `model`."),
      field(
          "depth", &Contract::depth,
          "The most roundings that a term of a sum meets, that of its product and of each addition of two numbers that "
          "are not zero; null: as many as there are terms."),
      field("tensor_core", &Contract::tensor_core,
            "Tensor cores, whose steps truncate, sum the products: no, perhaps, or always."),
      field("unit", &Contract::unit, "The generation of those tensor cores."),
      field("slices", &Contract::slices, "The largest number of parts of k that are summed separately; 0: any number."),
      field("slice_format", &Contract::slice_format,
            "The narrower format in which sums of slices of k may be stored before they are added.",
            {Takes::Kind::Word, {"F16", "BF16"}, true}),
      field("contraction", &Contract::contraction, "Products enter their sum unrounded (fma), rounded, or either."),
      field("start", &Contract::start, "What a chain of additions starts from."),
      field("promote", &Contract::promote, "Partial sums move to a wider accumulator every so many values of k."),
      field("alpha", &Contract::alpha, "Where alpha is multiplied: on the sum, into an operand, or on partial sums."),
      field("beta", &Contract::beta, "Where beta * c is added: behind the sum, or as one of its terms."),
      field("scalar_format", &Contract::scalar_format, "The format to which alpha and beta are rounded first."),
      field("intermediate", &Contract::intermediate, "Roundings on the way to the output, before its own."),
      field("intermediate_at", &Contract::intermediate_at,
            "Where those roundings are: on the sum, or on alpha * sum + beta * c."),
      field("output_rounding", &Contract::output_rounding, "How the result is rounded to the output's format."),
      field("subnormal_inputs", &Contract::subnormal_inputs,
            "What F32 arithmetic does with subnormal operands: kept, zero, or either. F16 and F8 numbers are normal in "
            "F32."),
      field("subnormal_results", &Contract::subnormal_results,
            "The same of results of arithmetic. Conversions to F16 and F8 keep subnormal results."),
      field("nan", &Contract::nan, "Whether a NaN is the result of max and min, or is passed over."),
      field("all_nan", &Contract::all_nan, "What max and min that pass over NaN give where all elements are NaN."),
      field("zero_sign", &Contract::zero_sign,
            "The sign of a zero: that of IEEE 754, or any; the default is IEEE 754 for selections and any for sums."),
      field("overflow", &Contract::overflow,
            "What the last conversion gives for a number that is too large; the default is an end of the range for an "
            "integer, and IEEE 754 for a float."),
      field("integer_overflow", &Contract::integer_overflow, "What additions of integers do beyond their range."),
      field("ties", &Contract::ties, "Which of several extreme elements argmax and argmin give."),
      field("empty", &Contract::empty, "The value or index of an empty row; null: the identity, or any index."),
      field("mean", &Contract::mean, "How a mean divides: the sum by n, the sum times 1 / n, or each element first."),
      field("mean_may_overflow", &Contract::mean_may_overflow,
            "The sum inside a mean may overflow although the mean would not."),
      field("scalars", &Contract::scalars,
            "Where a scalar or K is 0: the rules of BLAS, or alpha * sum + beta * c by IEEE 754, with all of it read."),
      field("reads_a_b_at_alpha_zero", &Contract::reads_a_b_at_alpha_zero,
            "NaN and infinities of A and B reach the result even where alpha is 0."),
      field("reads_c_at_beta_zero", &Contract::reads_c_at_beta_zero,
            "NaN and infinities of C reach the result even where beta is 0."),
      field("determinism", &Contract::determinism, "Whether the same call gives the same bits again."),
      field("position_invariant", &Contract::position_invariant,
            "The bits of an element do not depend on its place, nor on other rows and columns; checked only where "
            "determinism is declared."),
  };
  return table;
}

}  // namespace negzero::contract
