// Limits as JSON and back.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <negzero/base/words.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/operation/limits_json.hpp>

namespace negzero::operation {
namespace {

using files::require_known;
using Json = nlohmann::ordered_json;

constexpr base::Words<ScalarLimit, 4> kScalarWords{{"any", "zero_or_one", "zero", "one"}};
constexpr base::Words<LayoutOrder, 5> kOrderWords{
    {"any", "row_or_column_major", "row_major", "column_major", "packed"}};
static_assert(kScalarWords.name(ScalarLimit::One) == "one");
static_assert(kOrderWords.name(LayoutOrder::Packed) == "packed");

/// The fields of Limits that are alike, each under its name.
struct NamedScalar {
  const char* name;
  ScalarLimit Limits::*field;
};
constexpr NamedScalar kScalarFields[] = {{"alpha", &Limits::alpha}, {"beta", &Limits::beta}};
struct NamedLayout {
  const char* name;
  LayoutLimit Limits::*field;
};
constexpr NamedLayout kLayoutFields[] = {{"inputs", &Limits::inputs}, {"output", &Limits::output}};

template <typename T>
void put(Json& json, const char* name, const T& value, const T& usual) {
  if (value != usual) json[name] = value;
}

[[noreturn]] void fail_of_kind(const char* name, const nlohmann::json& said, const char* wanted) {
  throw std::invalid_argument(std::string(name) + " is " + said.dump() + ", and no " + wanted);
}

void take(const nlohmann::json& json, const char* name, bool& value) {
  if (!json.contains(name)) return;
  if (!json.at(name).is_boolean()) fail_of_kind(name, json.at(name), "truth value");
  value = json.at(name).get<bool>();
}
void take(const nlohmann::json& json, const char* name, std::string& value) {
  if (!json.contains(name)) return;
  if (!json.at(name).is_string()) fail_of_kind(name, json.at(name), "text");
  value = json.at(name).get<std::string>();
}
/// A whole number: the library would cut a fraction off.
void take(const nlohmann::json& json, const char* name, std::int64_t& value) {
  if (!json.contains(name)) return;
  if (!json.at(name).is_number_integer()) fail_of_kind(name, json.at(name), "whole number");
  value = json.at(name).get<std::int64_t>();
}
void take(const nlohmann::json& json, const char* name, double& value) {
  if (!json.contains(name)) return;
  if (!json.at(name).is_number()) fail_of_kind(name, json.at(name), "number");
  value = json.at(name).get<double>();
}
/// A list of whole numbers or of texts.
template <typename T>
void take(const nlohmann::json& json, const char* name, std::vector<T>& values) {
  if (!json.contains(name)) return;
  const nlohmann::json& said = json.at(name);
  const auto fits = [](const nlohmann::json& each) {
    return std::is_same_v<T, std::string> ? each.is_string() : each.is_number_integer();
  };
  if (!said.is_array() || !std::ranges::all_of(said, fits)) {
    fail_of_kind(name, said, std::is_same_v<T, std::string> ? "list of names" : "list of whole numbers");
  }
  values = said.get<std::vector<T>>();
}
template <typename Enum, std::size_t kCount>
void take(const nlohmann::json& json, const char* name, const base::Words<Enum, kCount>& words, Enum& value) {
  if (!json.contains(name)) return;
  std::string word;
  take(json, name, word);
  const auto known = words.parse(word);
  if (!known) throw std::invalid_argument(std::string(name) + " \"" + word + "\" is none of " + words.list());
  value = *known;
}

/// Whether it is no whole number beyond 2^63 - 1, which the library would wrap around.
bool fits_64_bits(const nlohmann::json& said) {
  constexpr auto kGreatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return !said.is_number_unsigned() || said.get<std::uint64_t>() <= kGreatest;
}

/// Reads a part of the limits; what is wrong with it is said of that part.
template <typename Read>
void read_part(const std::string& what, const Read& read) {
  try {
    read();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(what + ": " + error.what());
  }
}

Json layout_json(const LayoutLimit& limit) {
  const LayoutLimit any;
  Json json = Json::object();
  if (limit.order != any.order) json["order"] = kOrderWords.name(limit.order);
  put(json, "broadcast", limit.broadcast, any.broadcast);
  put(json, "greatest_offset", limit.max_offset, any.max_offset);
  put(json, "offset_multiple", limit.offset_multiple, any.offset_multiple);
  put(json, "stride_multiple", limit.stride_multiple, any.stride_multiple);
  put(json, "greatest_stride", limit.max_stride, any.max_stride);
  put(json, "greatest_span", limit.max_span, any.max_span);
  put(json, "alignment", limit.alignment, any.alignment);
  put(json, "shared", limit.shared, any.shared);
  return json;
}

LayoutLimit layout_of(const std::string& name, const nlohmann::json& said) {
  require_known(said, "the limit of " + name,
                {"order", "broadcast", "greatest_offset", "offset_multiple", "stride_multiple", "greatest_stride",
                 "greatest_span", "alignment", "shared"});
  LayoutLimit limit;
  read_part("the limit of " + name, [&] {
    take(said, "order", kOrderWords, limit.order);
    take(said, "broadcast", limit.broadcast);
    take(said, "greatest_offset", limit.max_offset);
    take(said, "offset_multiple", limit.offset_multiple);
    take(said, "stride_multiple", limit.stride_multiple);
    take(said, "greatest_stride", limit.max_stride);
    take(said, "greatest_span", limit.max_span);
    take(said, "alignment", limit.alignment);
    take(said, "shared", limit.shared);
  });
  return limit;
}

ProductLimit product_of(const nlohmann::json& said) {
  require_known(said, "a limit of products", {"of", "greatest"});
  ProductLimit limit;
  limit.of = said.at("of").get<std::vector<std::string>>();
  take(said, "greatest", limit.max);
  return limit;
}

/// A list: the library would take an object for one.
const nlohmann::json& list(const nlohmann::json& json, const char* name) {
  if (!json.at(name).is_array()) throw std::invalid_argument(std::string(name) + " is no list");
  return json.at(name);
}

}  // namespace

Json values_json(const ValueRange& range) {
  Json json = Json::object();
  put(json, "least", range.least, ValueRange{}.least);
  put(json, "greatest", range.greatest, ValueRange{}.greatest);
  if (range.infinities != Infinities::No) json["inf"] = kInfinityWords.name(range.infinities);
  put(json, "nan", range.nan, false);
  return json;
}

Json limits_json(const Limits& limits) {
  Json json = Json::object();
  const ExtentLimit any_extent;
  for (const auto& [name, limit] : limits.extents) {
    Json& extent = json["extents"][name] = Json::object();
    put(extent, "least", limit.min, any_extent.min);
    put(extent, "greatest", limit.max, any_extent.max);
    put(extent, "multiple", limit.multiple, any_extent.multiple);
    put(extent, "power_of_two", limit.power_of_two, any_extent.power_of_two);
    put(extent, "tiles", limit.tiles, any_extent.tiles);
  }
  for (const auto& [name, field] : kScalarFields) {
    if (limits.*field != ScalarLimit::Any) json[name] = kScalarWords.name(limits.*field);
  }
  for (const auto& [name, range] : limits.scalars) {
    Json& scalar = json["scalars"][name] = Json::object();
    put(scalar, "least", range.least, ScalarRange{}.least);
    put(scalar, "greatest", range.greatest, ScalarRange{}.greatest);
  }
  for (const auto& [name, range] : limits.values) json["values"][name] = values_json(range);
  for (const auto& [name, field] : kLayoutFields) {
    Json layout = layout_json(limits.*field);
    if (!layout.empty()) json[name] = std::move(layout);
  }
  for (const auto& [name, limit] : limits.tensors) json["tensors"][name] = layout_json(limit);
  for (const ProductLimit& product : limits.products) {
    json["products"].push_back({{"of", product.of}, {"greatest", product.max}});
  }
  if (!limits.equal.empty()) json["equal"] = limits.equal;
  if (!limits.in_place.input.empty()) {
    Json& in_place = json["in_place"] = Json::object();
    in_place["input"] = limits.in_place.input;
    if (limits.in_place.always) in_place["always"] = true;
  }
  for (const auto& [name, values] : limits.configuration) json["configuration"][name] = values;
  return json;
}

Limits limits_of(const nlohmann::json& json) {
  require_known(json, "limits",
                {"extents", "alpha", "beta", "scalars", "values", "inputs", "output", "tensors", "products", "equal",
                 "in_place", "configuration"});
  Limits limits;
  if (json.contains("extents")) {
    for (const auto& [name, said] : json.at("extents").items()) {
      require_known(said, "the limit of " + name, {"least", "greatest", "multiple", "power_of_two", "tiles"});
      ExtentLimit& limit = limits.extents[name];
      read_part("the limit of " + name, [&, &said = said] {
        take(said, "least", limit.min);
        take(said, "greatest", limit.max);
        take(said, "multiple", limit.multiple);
        take(said, "power_of_two", limit.power_of_two);
        take(said, "tiles", limit.tiles);
      });
    }
  }
  for (const auto& [name, field] : kScalarFields) take(json, name, kScalarWords, limits.*field);
  if (json.contains("scalars")) {
    for (const auto& [name, said] : json.at("scalars").items()) {
      require_known(said, "the limit of " + name, {"least", "greatest"});
      read_part("the limit of " + name, [&, &name = name, &said = said] {
        take(said, "least", limits.scalars[name].least);
        take(said, "greatest", limits.scalars[name].greatest);
      });
    }
  }
  if (json.contains("values")) {
    for (const auto& [name, said] : json.at("values").items()) {
      require_known(said, "the values of " + name, {"least", "greatest", "inf", "nan"});
      read_part("the values of " + name, [&, &name = name, &said = said] {
        ValueRange& range = limits.values[name];
        take(said, "least", range.least);
        take(said, "greatest", range.greatest);
        take(said, "inf", kInfinityWords, range.infinities);
        take(said, "nan", range.nan);
      });
    }
  }
  for (const auto& [name, field] : kLayoutFields) {
    if (json.contains(name)) limits.*field = layout_of(name, json.at(name));
  }
  if (json.contains("tensors")) {
    for (const auto& [name, said] : json.at("tensors").items()) limits.tensors[name] = layout_of(name, said);
  }
  if (json.contains("products")) {
    for (const nlohmann::json& said : list(json, "products")) limits.products.push_back(product_of(said));
  }
  if (json.contains("equal")) list(json, "equal").get_to(limits.equal);
  if (json.contains("in_place")) {
    require_known(json.at("in_place"), "in_place", {"input", "always"});
    read_part("in_place", [&] {
      take(json.at("in_place"), "input", limits.in_place.input);
      take(json.at("in_place"), "always", limits.in_place.always);
    });
  }
  if (json.contains("configuration")) {
    const nlohmann::json& said = json.at("configuration");
    if (!said.is_object()) fail_of_kind("configuration", said, "object of options with their values");
    for (const auto& [name, values] : said.items()) {
      read_part("configuration", [&, &name = name, &values = values] {
        if (!std::ranges::all_of(values, fits_64_bits)) fail_of_kind(name.c_str(), values, "list of whole numbers");
        take(said, name.c_str(), limits.configuration[name]);
      });
    }
  }
  return limits;
}

Json formats_json(const std::vector<std::vector<number::FormatId>>& formats, const notation::Signature& signature) {
  Json json = Json::array();
  for (const auto& combination : formats) {
    Json& names = json.emplace_back(Json::object());
    for (std::size_t i = 0; i < combination.size(); ++i) {
      if (i >= signature.own_formats && combination[i] == signature.usual_format(i, combination)) continue;
      names[signature.formats[i]] = number::format(combination[i]).name;
    }
  }
  return json;
}

std::vector<std::vector<number::FormatId>> formats_of(const nlohmann::json& json,
                                                      const notation::Signature& signature) {
  std::vector<std::vector<number::FormatId>> formats;
  if (!json.is_array()) throw std::invalid_argument("formats is no list");
  for (const auto& said : json) {
    auto& combination = formats.emplace_back();
    if (!said.is_object()) throw std::invalid_argument("formats: no object of formats by name: " + said.dump());
    std::size_t slots = signature.formats.size(), named = 0;
    while (slots > signature.own_formats && !said.contains(signature.formats[slots - 1])) --slots;
    for (std::size_t i = 0; i < slots; ++i) {
      const std::string& slot = signature.formats[i];
      if (!said.contains(slot)) {
        if (i < signature.own_formats) {
          throw std::invalid_argument("formats says nothing of " + slot + " in " + said.dump());
        }
        combination.push_back(signature.usual_format(i, combination));
        continue;
      }
      ++named;
      const auto word = said.at(slot).get<std::string>();
      const auto known = number::parse_format(word);
      if (!known) throw std::invalid_argument("formats: no format is called \"" + word + "\"");
      combination.push_back(*known);
    }
    if (said.size() != named) {
      throw std::invalid_argument("formats names more than the operation's formats in " + said.dump());
    }
  }
  return formats;
}

}  // namespace negzero::operation
