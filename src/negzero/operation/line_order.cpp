// Takes relations one by one: the first that can defines an extent.

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <negzero/operation/line_order.hpp>

namespace negzero::operation {

using notation::Relation;
using notation::Signature;

bool is_known(const Relation& relation, const Signature& signature) {
  return std::ranges::all_of(relation.names(),
                             [&](const std::string& name) { return signature.find_extent(name).has_value(); });
}

std::vector<const Relation*> all_relations(const Signature& signature, const Limits& limits) {
  std::vector<const Relation*> all;
  for (const Relation& relation : signature.relations) all.push_back(&relation);
  for (const Relation& relation : limits.relations) {
    if (is_known(relation, signature)) all.push_back(&relation);
  }
  return all;
}

formula::Lookup lookup_in(const Signature& signature, std::span<const std::int64_t> extents) {
  return [&signature, extents](std::string_view name) -> std::optional<std::int64_t> {
    const auto place = signature.find_extent(name);
    return place ? std::optional(extents[*place]) : std::nullopt;
  };
}

LineOrder::LineOrder(const Signature& signature, const Limits& limits) {
  std::vector<Definition> found;
  std::array<unsigned, notation::kMostExtents> uses{};  ///< extents that a defined one is computed from, a bit each
  const auto defines = [&](const formula::Formula& side, const formula::Formula& other) {
    const auto name = side.name();
    const std::size_t extent = name ? *signature.find_extent(*name) : 0;
    if (!name || std::ranges::find(found, extent, &Definition::extent) != found.end()) return false;
    unsigned used = 0;
    for (const std::string& each : other.names()) {
      const std::size_t place = *signature.find_extent(each);
      used |= 1u << place | uses[place];
    }
    if ((used >> extent & 1) != 0) return false;
    uses[extent] = used;
    for (unsigned& each : uses) each |= (each >> extent & 1) != 0 ? used : 0;
    found.push_back({extent, &other});
    return true;
  };
  for (const Relation* const each : all_relations(signature, limits)) {
    const Relation& relation = *each;
    for (const formula::Formula* const side : {&relation.left, &relation.right}) {
      std::ranges::copy(side->numbers(), std::back_inserter(numbers));
    }
    const bool is_equation = relation.comparison == notation::Comparison::Equal;
    if (is_equation && (defines(relation.left, relation.right) || defines(relation.right, relation.left))) continue;
    others.push_back(&relation);
  }
  // No cycles, so one of those that are left needs none of the others.
  while (!found.empty()) {
    const auto is_ready = [&](const Definition& each) {
      return std::ranges::none_of(
          found, [&](const Definition& other) { return (uses[each.extent] >> other.extent & 1) != 0; });
    };
    const auto next = std::ranges::find_if(found, is_ready);
    definitions.push_back(*next);
    found.erase(next);
  }
}

bool LineOrder::defines(std::size_t extent) const {
  return std::ranges::find(definitions, extent, &Definition::extent) != definitions.end();
}

}  // namespace negzero::operation
