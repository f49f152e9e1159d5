// Extents as the relations of a line and of limits have them, and words for those that are broken.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/operation/line_descent.hpp>
#include <negzero/operation/line_order.hpp>
#include <negzero/operation/line_relations.hpp>

namespace negzero::operation {

using notation::Relation;
using notation::Signature;

bool has_relations(const Signature& signature, const Limits& limits) {
  return !signature.relations.empty() || !limits.relations.empty();
}

bool complete(std::span<std::int64_t> extents, const Signature& signature, const Limits& limits) {
  return !has_relations(signature, limits) || Descent(signature, limits).settle(extents) == 0;
}

std::vector<std::size_t> defined_extents(const Signature& signature, const Limits& limits) {
  std::vector<std::size_t> extents;
  if (!has_relations(signature, limits)) return extents;
  for (const Definition& each : LineOrder(signature, limits).definitions) extents.push_back(each.extent);
  return extents;
}

bool keep_line(std::span<std::int64_t> extents, const Signature& signature, const Limits& limits,
               std::optional<std::size_t> leading) {
  if (!has_relations(signature, limits)) return true;
  Descent::Values values(extents.begin(), extents.end());
  if (leading) {
    Limits held = limits;
    ExtentLimit& limit = held.extents[signature.extents[*leading]];
    limit.min = limit.max = extents[*leading];
    const Descent descent(signature, held);
    if (descent.run(values, leading)) {
      std::ranges::copy(values, extents.begin());
      return true;
    }
    values.assign(extents.begin(), extents.end());
  }
  const Descent descent(signature, limits);
  const bool is_kept = descent.run(values, std::nullopt);
  std::ranges::copy(values, extents.begin());
  return is_kept;
}

namespace {

/// "the line wants o = n - k + 1".
std::string wanted_text(const Relation& relation, const Signature& signature) {
  const bool is_of_line =
      std::ranges::any_of(signature.relations, [&](const Relation& each) { return &each == &relation; });
  return fmt::format("{} {}", is_of_line ? "the line wants" : "the limits want", relation.to_string());
}

/// Why a relation is broken; nothing where it holds.
std::optional<std::string> broken_text(const Relation& relation, const Signature& signature,
                                       std::span<const std::int64_t> extents) {
  const formula::Lookup lookup = lookup_in(signature, extents);
  const auto broken = relation.broken_by(lookup);
  if (broken && *broken == 0) return std::nullopt;
  std::vector<std::string> values;
  for (const std::string& name : relation.names()) values.push_back(fmt::format("{} = {}", name, *lookup(name)));
  return fmt::format("{}: {}{}", fmt::join(values, ", "), wanted_text(relation, signature),
                     broken ? "" : ", which has no value here");
}

}  // namespace

std::optional<std::string> breaks_line(std::span<const std::int64_t> extents, const Signature& signature) {
  for (const Relation& relation : signature.relations) {
    if (auto text = broken_text(relation, signature, extents)) return text;
  }
  return std::nullopt;
}

std::optional<std::string> breaks_limits(std::span<const std::int64_t> extents, const Signature& signature,
                                         const Limits& limits) {
  for (const Relation& relation : limits.relations) {
    if (!is_known(relation, signature)) continue;
    if (auto text = broken_text(relation, signature, extents)) return text;
  }
  return std::nullopt;
}

std::optional<std::string> unmet_relation(const Signature& signature, const Limits& limits) {
  if (!has_relations(signature, limits)) return std::nullopt;
  std::optional<std::string> why;
  for (const std::int64_t wanted : {1, 16, 100, 1000, 0}) {
    Descent::Values extents;
    for (const std::string& name : signature.extents) {
      const ExtentLimit& limit = limits.extents[name];
      extents.push_back(limit.at_least(wanted).value_or(limit.at_most(wanted).value_or(0)));
    }
    if (keep_line(extents, signature, limits)) return std::nullopt;
    // An extent that could not be computed may break its definition because another relation is broken.
    std::optional<std::string> broken;
    for (const Relation* const relation : LineOrder(signature, limits).others) {
      if (!broken) broken = broken_text(*relation, signature, extents);
    }
    if (!broken) broken = breaks_line(extents, signature);
    if (!broken) broken = breaks_limits(extents, signature, limits);
    // All hold, so what is computed lies outside.
    for (const Relation* const relation : all_relations(signature, limits)) {
      for (const auto& name : {relation->left.name(), relation->right.name()}) {
        const std::int64_t value = name ? extents[*signature.find_extent(*name)] : 0;
        if (broken || !name || limits.extents[*name].accepts(value)) continue;
        broken = fmt::format("{}, and {} = {} is outside the limits or what is asked for",
                             wanted_text(*relation, signature), *name, value);
      }
    }
    if (!why) why = broken;
  }
  return why.value_or("the relations of the line and the limits contradict each other");
}

}  // namespace negzero::operation
