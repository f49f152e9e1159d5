// Reads lines of a declaration word by word.

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/files/strict_json.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/values.hpp>
#include <negzero/source/declared_fields.hpp>

namespace negzero::source {

using Json = nlohmann::ordered_json;

namespace {

/// What kernels' programs may say of them, which is less than all JSON: no key twice, and few levels.
Json json_of(std::string_view text) {
  const auto document = files::parse_strict_json(text, "what is said", {.reals = true});
  if (!document) throw Wrong(document.error().message);
  return files::to_nlohmann(document->root());
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string_view take_word(std::string_view& text, std::string_view signs) {
  const std::size_t end = std::min(text.find_first_of(signs), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(std::min(end + 1, text.size())));
  return word;
}

std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> parts;
  while (!text.empty()) parts.push_back(trimmed(take_word(text, std::string_view(&sign, 1))));
  return parts;
}

Json value_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::string(text);
  return Json::parse(text, nullptr, false).is_number() ? Json::parse(text) : Json(number);
}

Json fields_of(std::string_view text) {
  if (text.starts_with('{')) return json_of(text);
  Json json = Json::object();
  while (!text.empty()) {
    const std::size_t sign = text.find_first_of("= \t");
    if (sign == std::string_view::npos || sign == 0 || text[sign] != '=')
      throw Wrong(
          fmt::format("'{}' is not of the form FIELD=VALUE; each output, or each kind of line, has a line of its own",
                      take_word(text)));
    const std::string name(text.substr(0, sign));
    text.remove_prefix(sign + 1);
    if (!text.starts_with('"')) {
      json[name] = value_of(take_word(text));
      continue;
    }
    text.remove_prefix(1);
    if (text.find('"') == std::string_view::npos) throw Wrong(fmt::format("{}: its \" is never closed", name));
    json[name] = std::string(take_word(text, "\""));
  }
  return json;
}

void DeclaredFields::formats(std::string_view text) {
  Json said = text.starts_with('[') ? json_of(text) : Json::array({fields_of(text)});
  if (said.empty()) throw Wrong("formats: an empty list names no combination; leave the line out");
  for (Json& combination : said) {
    if (!combination.is_object()) {
      throw Wrong(fmt::format("formats: {} is no combination; write TENSOR=FORMAT ..., a line for each combination",
                              combination.dump()));
    }
    add_combination(std::move(combination));
  }
}

void DeclaredFields::add_combination(Json combination) {
  for (const auto& [name, format] : combination.items()) {
    if (std::ranges::find(signature_.formats, name) == signature_.formats.end()) throw Wrong(no_format(name));
    if (format.is_string() && number::parse_format(format.get<std::string>())) continue;
    throw Wrong(fmt::format("formats: {}: no format is called {}; `negzero list formats` shows them", name,
                            format.is_string() ? format.get<std::string>() : format.dump()));
  }
  for (std::size_t slot = 0; slot < signature_.own_formats; ++slot) {
    const std::string& name = signature_.formats[slot];
    if (!combination.contains(name)) combination[name] = number::format(signature_.usual_format(slot, {})).name;
  }
  Json& formats = json_["formats"];
  for (const Json& earlier : formats) {
    if (earlier == combination) throw Wrong("formats: this combination has a line already");
  }
  formats.push_back(std::move(combination));
}

std::string DeclaredFields::no_format(const std::string& name) const {
  if (const auto tensor = signature_.find_tensor(name)) {
    return fmt::format("formats: {0} has the format of {1}; name {1} instead", name,
                       signature_.formats[signature_.tensors[*tensor].format]);
  }
  return fmt::format("formats: the operation has no tensor called '{}'; it has {}", name,
                     fmt::join(signature_.formats, ", "));
}

void DeclaredFields::values(std::string_view text) {
  if (text.starts_with('{')) {
    json_["limits"]["values"].update(fields_of(text));
    return;
  }
  for (const std::string_view part : split(text, ',')) {
    const auto said = operation::parse_range(part);
    if (!said) throw Wrong(said.error().message);
    const auto& [name, range] = *said;
    const bool is_scalar =
        std::ranges::any_of(signature_.scalars, [&, &name = name](const auto& each) { return each.name == name; });
    Json& ranges = json_["limits"][is_scalar ? "scalars" : "values"];
    if (ranges.contains(name)) throw Wrong(fmt::format("values: {} has a range already; give it one", name));
    if (is_scalar && (range.nan || range.infinities != operation::Infinities::No)) {
      throw Wrong(fmt::format("values: {} is a scalar, whose range holds numbers only", name));
    }
    ranges[name] = operation::values_json(range);
  }
}

void DeclaredFields::error(std::string_view text) {
  const std::string_view output = take_word(text);
  if (output.empty() || text.empty()) throw Wrong("error is of the form OUTPUT ulps=N relative=X, or OUTPUT any");
  Json& bound = json_["reference"]["errors"][std::string(output)];
  if (!bound.is_null()) throw Wrong(fmt::format("error: {} has an error already; write all of it in one line", output));
  bound = text == "any" ? Json("any") : fields_of(text);
}

}  // namespace negzero::source
