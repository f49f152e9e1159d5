// Which extents of an operation are computed from others, by relations of its line and of limits.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <negzero/formula/formula.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// Whether the signature has all of a relation's names.
[[nodiscard]] bool is_known(const notation::Relation& relation, const notation::Signature& signature);
/// Relations of the line, then those of the limits that are known.
[[nodiscard]] std::vector<const notation::Relation*> all_relations(const notation::Signature& signature,
                                                                   const Limits& limits);
/// The extents by name. Both arguments must outlive it.
[[nodiscard]] formula::Lookup lookup_in(const notation::Signature& signature, std::span<const std::int64_t> extents);

/// An extent and the formula that it is computed by.
struct Definition {
  std::size_t extent = 0;
  const formula::Formula* formula = nullptr;
};

/// The definitions of a line and of limits, each behind those of the extents that it is computed from, and its other
/// relations. Points into both.
struct LineOrder {
  std::vector<Definition> definitions{};
  std::vector<const notation::Relation*> others{};
  std::vector<std::int64_t> numbers{};  ///< in all relations

  LineOrder(const notation::Signature& signature, const Limits& limits);
  [[nodiscard]] bool defines(std::size_t extent) const;
};

}  // namespace negzero::operation
