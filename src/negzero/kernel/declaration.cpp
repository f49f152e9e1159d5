// What kernels declare, as text: so that a process without their code knows them.

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/number/format.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::kernel {

namespace {

using Json = nlohmann::ordered_json;
using operation::LayoutLimit;
using operation::Limits;

constexpr int kVersion = 2;
constexpr Executor kExecutors[] = {Executor::Host, Executor::Cuda, Executor::Watched};

/// The fields of Limits that are alike, each under its name.
struct NamedScalar {
  const char* name;
  operation::ScalarLimit Limits::*field;
};
constexpr NamedScalar kScalars[] = {{"alpha", &Limits::alpha}, {"beta", &Limits::beta}};
struct NamedLayout {
  const char* name;
  LayoutLimit Limits::*field;
};
constexpr NamedLayout kLayouts[] = {{"inputs", &Limits::inputs}, {"output", &Limits::output}};

Json limits_json(const Limits& limits) {
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
  for (const NamedScalar& each : kScalars) json[each.name] = static_cast<int>(limits.*each.field);
  for (const NamedLayout& each : kLayouts) {
    const LayoutLimit& limit = limits.*each.field;
    json[each.name] = {static_cast<int>(limit.order), limit.broadcast, limit.max_offset, limit.offset_multiple,
                       limit.stride_multiple};
  }
  return json;
}

/// Throws nlohmann's exceptions, or std::invalid_argument.
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
  for (const auto& [name, limit] : json.at("extents").items()) {
    limits.extents[name] = {limit.at(0), limit.at(1), limit.at(2), limit.at(3).get<std::vector<std::int64_t>>()};
  }
  for (const NamedScalar& each : kScalars) {
    const std::int64_t word = json.at(each.name);
    require(word >= 0 && word <= static_cast<std::int64_t>(operation::ScalarLimit::One), "a limit of a scalar");
    limits.*each.field = static_cast<operation::ScalarLimit>(word);
  }
  for (const NamedLayout& each : kLayouts) {
    const auto& limit = json.at(each.name);
    const std::int64_t order = limit.at(0);
    require(order >= 0 && order <= static_cast<std::int64_t>(operation::LayoutOrder::Packed), "an order of a layout");
    limits.*
        each.field = {static_cast<operation::LayoutOrder>(order), limit.at(1), limit.at(2), limit.at(3), limit.at(4)};
  }
  return limits;
}

base::Error unreadable(const std::string& why) {
  return base::infrastructure_error("a program's declaration of its kernels cannot be read: " + why +
                                    "; build or install all of negzero");
}

}  // namespace

std::string declarations(const Registry& registry) {
  Json kernels = Json::array();
  const std::string all = "*";
  for (const Executor executor : kExecutors) {
    for (const Kernel* kernel : registry.match(std::span(&all, 1), executor)) {
      kernels.push_back({{"name", kernel->name},
                         {"operation", kernel->operation},
                         {"about", kernel->about},
                         {"executor", name(executor)},
                         {"contract", Json::parse(contract::to_json(kernel->contract))},
                         {"limits", limits_json(kernel->limits)},
                         {"file", kernel->file},
                         {"line", kernel->line}});
    }
  }
  return Json{{"version", kVersion}, {"kernels", kernels}, {"errors", registry.errors()}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

base::Status declare(std::string_view document, Registry& registry) {
  const auto parsed = tensor::parse_strict_json(document, "it");
  if (!parsed) return unreadable(parsed.error().message);
  try {
    const nlohmann::json json = tensor::to_nlohmann(parsed->root());
    if (json.at("version") != kVersion) return unreadable("it is of another version");
    for (const auto& each : json.at("kernels")) {
      const std::string word = each.at("executor");
      const auto executor = std::ranges::find(kExecutors, word, [](Executor e) { return std::string(name(e)); });
      if (executor == std::end(kExecutors)) return unreadable("executor " + word);
      auto contract = contract::parse(each.at("contract").dump());
      if (!contract) return unreadable(contract.error().message);
      registry.declare({.name = each.at("name"),
                        .operation = each.at("operation"),
                        .about = each.at("about"),
                        .contract = *std::move(contract),
                        .limits = limits_of(each.at("limits")),
                        .executor = *executor,
                        .file = each.at("file"),
                        .line = each.at("line")});
    }
    for (const auto& error : json.at("errors")) registry.note_error(error);
  } catch (const std::exception& exception) {
    return unreadable(exception.what());
  }
  return base::Ok{};
}

}  // namespace negzero::kernel
