// What there is to choose from, as rows.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <negzero/contract/contract.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/contract/words.hpp>
#include <negzero/judgement/catalogue.hpp>
#include <negzero/notation/index_words.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/number/text.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::judgement {
namespace {

using Json = nlohmann::ordered_json;

/// "x[updates]", "index[updates] < destinations"; in parts {"name", "role", "shape", "format"} and "below" of indices,
/// "at_most" of counts, "optional" of what may be absent.
/// A format is the name of the tensor whose format it is; "usually" what it is where it is not named: I32, or that of
/// another tensor.
struct Tensors {
  std::string text;
  Json parts = Json::array();

  void add(const notation::Signature& signature, const notation::TensorSignature& tensor) {
    constexpr const char* kRoles[] = {"input", "index", "initial", "output"};
    Json part{{"name", tensor.name}, {"role", kRoles[static_cast<int>(tensor.role)]}, {"shape", Json::array()}};
    std::string extents;
    for (const std::size_t extent : tensor.extents) {
      const std::string& name = signature.extents[extent];
      part["shape"].push_back(name);
      extents += (extents.empty() ? "" : ", ") + name;
    }
    part["format"] = signature.formats[tensor.format];
    if (tensor.format >= signature.own_formats) {
      const std::size_t output = signature.tensors[signature.outputs.front().tensor].format;
      part["usually"] = signature.holds_indices(tensor.format) ? "I32" : signature.formats[output];
    }
    text += fmt::format("{}{}{}[{}]", text.empty() ? "" : ", ", tensor.name, tensor.is_optional ? "?" : "", extents);
    if (tensor.index_below) {
      part["below"] = signature.extents[*tensor.index_below];
      text += " < " + signature.extents[*tensor.index_below];
    }
    if (tensor.counts_of) {
      part["at_most"] = signature.extents[*tensor.counts_of];
      text += " <= " + signature.extents[*tensor.counts_of];
    }
    if (tensor.is_ascending) part["ascending"] = true;
    if (tensor.words.any()) {
      const std::string words = notation::words_text(signature, tensor);
      part["words"] = words.substr(1);
      text += words;
    }
    if (tensor.is_optional) part["optional"] = true;
    parts.push_back(std::move(part));
  }
};

}  // namespace

Entry operation_entry(const notation::Signature& signature) {
  Tensors inputs, outputs;
  for (const notation::TensorSignature& tensor : signature.tensors) {
    (tensor.role == notation::Role::Output ? outputs : inputs).add(signature, tensor);
  }
  Entry entry{signature.name,
              {{"definition", signature.definition}, {"inputs", inputs.text}, {"outputs", outputs.text}}};
  Json scalars = Json::array();
  for (const notation::ScalarSignature& scalar : signature.scalars) scalars.push_back(scalar.name);
  entry.details = {{"definition", signature.definition},
                   {"extents", signature.extents},
                   {"scalars", scalars},
                   {"inputs", inputs.parts},
                   {"outputs", outputs.parts}};
  if (!signature.is_declared) return entry;
  entry.details["declared"] = true;
  for (const notation::ScalarSignature& scalar : signature.scalars) {
    if (scalar.is_whole()) entry.details["kinds"][scalar.name] = notation::word_of(scalar.kind);
  }
  for (std::size_t e = 0; e < signature.extents.size(); ++e) {
    if (signature.is_parameter(e)) entry.details["parameters"].push_back(signature.extents[e]);
  }
  for (const notation::Relation& relation : signature.relations) {
    entry.details["relations"].push_back(relation.to_string());
  }
  entry.details["each"] = Json::array();
  for (const std::size_t extent : signature.each) entry.details["each"].push_back(signature.extents[extent]);
  return entry;
}

std::vector<Entry> operation_entries() {
  std::vector<Entry> result;
  for (const notation::Signature& signature : operation::signatures()) result.push_back(operation_entry(signature));
  return result;
}

std::vector<Entry> contract_entries() {
  std::vector<Entry> result;
  for (const std::string_view name : contract::preset_names()) {
    const contract::Contract preset = *contract::preset(name);
    Entry entry{std::string(name), {{"numerics", contract::describe(preset)}}};
    entry.facts.emplace_back("tensor_core", contract::word(preset.tensor_core));
    for (const std::string_view earlier : contract::preset_names()) {
      if (earlier == name) break;
      if (*contract::preset(earlier) != preset) continue;
      entry.facts.emplace_back("same_as", std::string(earlier));
      break;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<Entry> field_entries() {
  std::vector<Entry> result;
  for (const contract::Field& field : contract::fields()) {
    const contract::Takes& takes = field.takes;
    Json words(takes.words);
    if (takes.or_null) words.push_back(nullptr);
    const bool is_word = takes.kind == contract::Takes::Kind::Word;
    const Json given = is_word ? std::move(words) : Json(contract::kind_name(takes.kind));
    const Json otherwise = field.write({});
    const std::string text =
        is_word ? contract::in_commas(takes.words) + (takes.or_null ? ", null" : "") : given.get<std::string>();
    result.push_back({std::string(field.name),
                      {{"meaning", std::string(field.meaning)},
                       {"takes", text},
                       {"default", otherwise.is_string() ? otherwise.get<std::string>() : otherwise.dump()}},
                      {{"takes", given}, {"default", otherwise}, {"meaning", field.meaning}}});
  }
  return result;
}

std::vector<Entry> format_entries() {
  constexpr const char* kNan[] = {"ieee", "all_ones", "none"};
  constexpr const char* kNanWords[] = {"exponent all ones, fraction not zero", "exponent and fraction all ones",
                                       "none"};
  std::vector<Entry> result;
  for (const number::Format& format : number::all_formats()) {
    Entry entry{std::string(format.name), {}};
    const auto say = [&](const char* key, const std::string& text, const Json& value) {
      entry.facts.emplace_back(key, text);
      entry.details[key] = value;
    };
    const auto number = [&](const char* key, int value) { say(key, std::to_string(value), value); };
    const auto value = [&](const char* key, std::uint64_t word) {
      say(key, number::with_bits(format, word), {number::to_decimal(format, word), number::to_hex(format, word)});
    };
    const auto nan = static_cast<std::size_t>(format.nan_codes);
    number("bits", format.bits);
    if (format.unused_bits > 0) number("unused_bits", format.unused_bits);
    number("exponent_bits", format.exponent_bits);
    number("fraction_bits", format.fraction_bits);
    if (!format.is_integer()) number("bias", format.bias);
    value("least", number::max_finite(format, true));
    value("greatest", number::max_finite(format));
    if (!format.is_integer()) {
      value("smallest_normal", number::min_normal(format));
      if (!format.is_power()) value("smallest_subnormal", number::min_subnormal(format));
    }
    say("infinity", format.has_infinity ? number::to_hex(format, number::infinity(format)) : "none",
        format.has_infinity);
    say("nan", kNanWords[nan], kNan[nan]);
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<Entry> rule_entries() {
  std::vector<Entry> result;
  for (const verdict::RuleRow& rule : verdict::judging_rules()) {
    Entry entry{std::string(rule.id), {{"claim", std::string(rule.claim)}, {"source", std::string(rule.source)}}};
    if (rule.kind) entry.facts.emplace_back("class", std::string(verdict::name(*rule.kind)));
    result.push_back(std::move(entry));
  }
  return result;
}

Json json_of(const std::vector<Entry>& entries) {
  Json items = Json::array();
  for (const Entry& entry : entries) {
    Json item{{"name", entry.name}};
    if (entry.details.is_null()) {
      for (const auto& [key, value] : entry.facts) item[key] = value;
    } else {
      item.update(entry.details);
    }
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace negzero::judgement
