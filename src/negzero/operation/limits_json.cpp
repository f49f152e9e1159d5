// Limits as JSON and back.

#include <stdexcept>

#include <nlohmann/json.hpp>

#include <negzero/operation/limits_json.hpp>

namespace negzero::operation {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

nlohmann::ordered_json limits_json(const Limits& limits) {
  Json json = Json::object();
  for (const auto& combination : limits.formats) {
    Json names = Json::array();
    for (const number::FormatId id : combination) names.push_back(number::format(id).name);
    json["formats"].push_back(std::move(names));
  }
  json["extents"] = Json::object();
  for (const auto& [name, limit] : limits.extents) {
    json["extents"][name] = {limit.min, limit.max, limit.multiple, limit.tiles};
  }
  for (const NamedScalar& each : kScalarFields) json[each.name] = static_cast<int>(limits.*each.field);
  for (const NamedLayout& each : kLayoutFields) {
    const LayoutLimit& limit = limits.*each.field;
    json[each.name] = {static_cast<int>(limit.order), limit.broadcast, limit.max_offset, limit.offset_multiple,
                       limit.stride_multiple};
  }
  return json;
}

Limits limits_of(const nlohmann::json& json) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
  };
  Limits limits;
  if (json.contains("formats")) {
    for (const auto& combination : json.at("formats")) {
      limits.formats.emplace_back();
      for (const auto& name : combination) {
        const auto id = number::parse_format(name.get<std::string>());
        require(id.has_value(), "a format that is not known");
        limits.formats.back().push_back(*id);
      }
    }
  }
  for (const auto& [extent, limit] : json.at("extents").items()) {
    limits.extents[extent] = {limit.at(0), limit.at(1), limit.at(2), limit.at(3).get<std::vector<std::int64_t>>()};
  }
  for (const NamedScalar& each : kScalarFields) {
    const std::int64_t word = json.at(each.name);
    require(word >= 0 && word <= static_cast<std::int64_t>(ScalarLimit::One), "a limit of a scalar");
    limits.*each.field = static_cast<ScalarLimit>(word);
  }
  for (const NamedLayout& each : kLayoutFields) {
    const auto& limit = json.at(each.name);
    const std::int64_t order = limit.at(0);
    require(order >= 0 && order <= static_cast<std::int64_t>(LayoutOrder::Packed), "an order of a layout");
    limits.*each.field = {static_cast<LayoutOrder>(order), limit.at(1), limit.at(2), limit.at(3), limit.at(4)};
  }
  return limits;
}

}  // namespace negzero::operation
