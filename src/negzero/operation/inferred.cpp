// Solves one equation after the other, each for the one extent that it lacks.

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/inferred.hpp>
#include <negzero/tensor/layout.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::operation {
namespace {

using notation::Relation;
using notation::Signature;

__extension__ using Wide = __int128;

std::vector<const Relation*> all_of(const Signature& signature, std::span<const Relation> more) {
  std::vector<const Relation*> all;
  for (const Relation& each : signature.relations) all.push_back(&each);
  for (const Relation& each : more) all.push_back(&each);
  return all;
}

formula::Lookup values_of(const KnownExtents& extents, const Signature& signature) {
  return [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto place = signature.find_extent(name);
    return place ? extents[*place] : std::nullopt;
  };
}

/// The names of a relation that have no value yet.
std::vector<std::string> unknown_in(const Relation& relation, const formula::Lookup& lookup) {
  std::vector<std::string> names = relation.names();
  std::erase_if(names, [&](const std::string& name) { return lookup(name).has_value(); });
  return names;
}

bool is_extent(Wide value) { return value >= 0 && value <= tensor::kMaxElements; }

/// Where one side of an equation is a name without a value: the value of the other.
std::optional<std::int64_t> side_of(const Relation& relation, const std::string& name, const formula::Lookup& lookup) {
  for (const bool is_left : {true, false}) {
    const auto& [side, other] =
        is_left ? std::pair(relation.left, relation.right) : std::pair(relation.right, relation.left);
    if (side.name() != name) continue;
    if (const auto value = other.value(lookup)) return *value;
  }
  return std::nullopt;
}

/// The one value of `name` for which an equation holds that is linear in it.
std::optional<std::int64_t> solved(const Relation& relation, const std::string& name, const formula::Lookup& lookup) {
  const auto difference = [&](std::int64_t at) -> std::optional<Wide> {
    const formula::Lookup with = [&](std::string_view each) { return each == name ? std::optional(at) : lookup(each); };
    const auto left = relation.left.value(with), right = relation.right.value(with);
    if (!left || !right) return std::nullopt;
    return Wide{*left} - *right;
  };
  // Far from 0, where a max(x, 1) has no part any more.
  constexpr std::int64_t kFrom = 1 << 20, kTo = 1 << 21;
  const auto low = difference(kFrom), high = difference(kTo);
  if (!low || !high || (*high - *low) % (kTo - kFrom) != 0) return std::nullopt;
  const Wide slope = (*high - *low) / (kTo - kFrom);
  if (slope == 0 || *low % slope != 0) return std::nullopt;
  const Wide value = kFrom - *low / slope;
  if (!is_extent(value)) return std::nullopt;
  const auto at = static_cast<std::int64_t>(value);
  const auto holds = [&](std::int64_t each) {
    const auto left = difference(each);
    return left && *left == 0;
  };
  // A neighbour that does as well is one of many, as below a division.
  if (!holds(at) || holds(at + 1) || (at > 0 && holds(at - 1))) return std::nullopt;
  return at;
}

std::string values_text(const Relation& relation, const formula::Lookup& lookup) {
  std::vector<std::string> values;
  for (const std::string& name : relation.names()) {
    if (const auto value = lookup(name)) values.push_back(fmt::format("{} = {}", name, *value));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

}  // namespace

void infer(KnownExtents& extents, const Signature& signature, std::span<const Relation> more) {
  const formula::Lookup lookup = values_of(extents, signature);
  const std::vector<const Relation*> all = all_of(signature, more);
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Relation* const relation : all) {
      if (relation->comparison != notation::Comparison::Equal) continue;
      const std::vector<std::string> unknown = unknown_in(*relation, lookup);
      if (unknown.size() != 1) continue;
      auto value = side_of(*relation, unknown.front(), lookup);
      if (!value) value = solved(*relation, unknown.front(), lookup);
      const auto place = signature.find_extent(unknown.front());
      if (!value || !place || !is_extent(*value)) continue;
      extents[*place] = value;
      is_new = true;
    }
  }
}

std::optional<Broken> first_broken(const KnownExtents& extents, const Signature& signature,
                                   std::span<const Relation> more) {
  const formula::Lookup lookup = values_of(extents, signature);
  std::optional<Broken> beyond;
  for (const Relation* const relation : all_of(signature, more)) {
    const std::vector<std::string> unknown = unknown_in(*relation, lookup);
    const std::string values = values_text(*relation, lookup), text = relation->to_string();
    if (unknown.empty()) {
      const auto by = relation->broken_by(lookup);
      if (!by) return Broken{*relation, fmt::format("{}: {} has no value", values, text)};
      if (*by != 0) return Broken{*relation, fmt::format("{}: {} does not hold", values, text)};
    } else if (unknown.size() == 1 && relation->comparison == notation::Comparison::Equal && !beyond) {
      const auto value = side_of(*relation, unknown.front(), lookup);
      if (value && !is_extent(*value)) {
        beyond = Broken{*relation, fmt::format("{}: {} makes {} {}", values, text, unknown.front(), *value)};
      }
    }
  }
  return beyond;
}

}  // namespace negzero::operation
