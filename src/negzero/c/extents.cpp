// Reads known extents by name, and writes all that follow.

#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/c/extents.hpp>
#include <negzero/c/options.hpp>
#include <negzero/operation/inferred.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::c {
namespace {

base::Result<operation::KnownExtents> known_in(const Json& given, const notation::Signature& signature) {
  operation::KnownExtents known(signature.extents.size());
  if (given.is_null()) return known;
  if (!given.is_object()) return wrong_option("extents", given, R"(numbers by name: {"n": 16})");
  for (const auto& [name, value] : given.items()) {
    const auto place = signature.find_extent(name);
    if (!place) {
      return base::usage_error(fmt::format("options: extents: {} has no extent {}; it has {}", signature.name, name,
                                           fmt::join(signature.extents, ", ")));
    }
    const auto number = integer(name, value, {0, tensor::kMaxElements});
    if (!number) return number.error();
    known[*place] = *number;
  }
  return known;
}

base::Result<std::vector<notation::Relation>> relations_in(const Json& given, const notation::Signature& signature) {
  std::vector<notation::Relation> relations;
  if (given.is_null()) return relations;
  if (!given.is_array()) return wrong_option("relations", given, R"(a list of texts: ["k <= n"])");
  for (const Json& each : given) {
    if (!each.is_string()) return wrong_option("relations", each, R"(texts: "k <= n")");
    const std::string text = each.get<std::string>();
    auto relation = notation::parse_relation(text);
    if (!relation) return relation.error();
    for (const std::string& name : relation->names()) {
      if (signature.find_extent(name)) continue;
      return base::usage_error(fmt::format("options: '{}', column {}: {} has no extent {}; it has {}", text,
                                           notation::column_of(text, name), signature.name, name,
                                           fmt::join(signature.extents, ", ")));
    }
    relations.push_back(*std::move(relation));
  }
  return relations;
}

}  // namespace

base::Result<std::string> extents(std::string_view options) {
  constexpr std::array<std::string_view, 3> kKeys{"operation", "extents", "relations"};
  const auto given = parse_options(options, kKeys);
  if (!given) return given.error();
  const Json line = given->value("operation", Json());
  if (!line.is_string()) return wrong_option("operation", line, "an operation's name, or a line");
  const auto signature = operation::signature_of(line.get<std::string>());
  if (!signature) return signature.error();
  auto known = known_in(given->value("extents", Json()), **signature);
  if (!known) return known.error();
  const auto relations = relations_in(given->value("relations", Json()), **signature);
  if (!relations) return relations.error();
  operation::infer(*known, **signature, *relations);
  Json document{{"extents", Json::object()}, {"broken", nullptr}};
  for (std::size_t e = 0; e < known->size(); ++e) {
    if ((*known)[e]) document["extents"][(*signature)->extents[e]] = *(*known)[e];
  }
  if (const auto broken = operation::first_broken(*known, **signature, *relations)) {
    document["broken"] = {{"relation", broken->relation.to_string()}, {"text", broken->text}};
  }
  return document.dump();
}

}  // namespace negzero::c
