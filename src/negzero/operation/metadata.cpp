// Writing the metadata of case files: canonical JSON, so that equal cases are equal bytes.

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/operation/limits.hpp>
#include <negzero/operation/metadata.hpp>

namespace negzero::operation {
namespace {

using Json = nlohmann::json;
using number::FormatId;

// Objects of nlohmann::json are sorted by key, which makes the text canonical.

Json json_of(const Operation& operation) {
  Json extents = Json::object();
  for (const Extent& extent : extents_of(operation)) extents[std::string(extent.name)] = extent.value;
  Json formats = Json::object();
  const std::vector<std::string> names = format_names(operation);
  const std::vector<FormatId> ids = formats_of(operation);
  for (std::size_t i = 0; i < ids.size(); ++i) formats[names[i]] = number::format(ids[i]).name;
  return {{"name", name(operation)}, {"extents", std::move(extents)}, {"formats", std::move(formats)}};
}

Json json_of(const Scalar& scalar) {
  const number::Format& format = number::format(scalar.format);
  return {{"bits", fmt::format("{:#0{}x}", scalar.bits, format.bits / 4 + 2)}, {"format", format.name}};
}

Json json_of(const std::map<std::string, tensor::Layout>& layouts) {
  Json result = Json::object();
  for (const auto& [tensor, layout] : layouts) {
    result[tensor] = {{"shape", layout.shape}, {"strides", layout.strides}, {"offset", layout.offset}};
  }
  return result;
}

Json json_of(const Schedule& schedule) {
  return {{"order", name(schedule.order)}, {"preempt", schedule.preempt}, {"seed", fmt::format("{}", schedule.seed)}};
}

Json json_of(const History& history) {
  Json result = Json::array();
  for (const EarlierLaunches& each : history) {
    result.push_back({{"times", each.times},
                      {"contents", name(each.contents)},
                      {"storage", each.same_storage ? "same" : "other"},
                      {"shape", each.same_shape ? "same" : "other"},
                      {"stream", each.same_stream ? "same" : "other"},
                      {"seed", fmt::format("{}", each.seed)}});
  }
  return result;
}

Json json_of(const Expectation& expectation) {
  Json entry = {
      {"kernel", expectation.kernel}, {"executor", expectation.executor}, {"verdict", name(expectation.verdict)}};
  if (expectation.failure_class) entry["class"] = name(*expectation.failure_class);
  if (!expectation.rule.empty()) entry["rule"] = expectation.rule;
  return entry;
}

Json json_of(const std::vector<Expectation>& expectations) {
  Json result = Json::array();
  for (const Expectation& expectation : expectations) result.push_back(json_of(expectation));
  return result;
}

}  // namespace

Metadata metadata_of(const Case& value) {
  Metadata metadata = value.unknown;
  const auto put = [&](const char* key, const std::string& text) {
    if (!text.empty()) metadata[key] = text;
  };
  put("negzero", std::string(kCaseFileVersion));
  put("operation", json_of(value.operation).dump());
  if (const auto* gemm = std::get_if<Gemm>(&value.operation)) {
    put("scalars", Json{{"alpha", json_of(gemm->alpha)}, {"beta", json_of(gemm->beta)}}.dump());
  }
  put("layout", json_of(value.layouts).dump());
  put("poison", std::string(name(value.poison)));
  put("schedule", json_of(value.schedule).dump());
  if (!value.history.empty()) put("history", json_of(value.history).dump());
  put("kernel", value.kernel);
  put("contract", value.contract);
  put("strategy", value.strategy);
  put("seed", fmt::format("{}", value.seed));
  put("index", fmt::format("{}", value.index));
  if (!value.expect.empty()) put("expect", json_of(value.expect).dump());
  if (value.found) put("found", json_of(*value.found).dump());
  return metadata;
}

}  // namespace negzero::operation
