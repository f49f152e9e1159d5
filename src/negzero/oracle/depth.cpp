// Computes a declared depth from the extents of a case.

#include <bit>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/formula/formula.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/depth.hpp>

namespace negzero::oracle {

using base::usage_error;

base::Result<std::optional<std::int64_t>> additions_of(const operation::Case& value,
                                                       const contract::Contract& contract) {
  const notation::Signature& signature = value.operation.signature();
  const auto none = std::optional<std::int64_t>();
  if (contract.depth.formula.empty() || !signature.combine || notation::selects(*signature.combine)) return none;
  const auto formula = formula::Formula::parse(contract.depth.formula);
  if (!formula) return formula.error();
  const auto extent = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto place = signature.find_extent(name);
    return place ? std::optional(value.operation.extents()[*place]) : std::nullopt;
  };
  for (const std::string& name : formula->names()) {
    if (extent(name)) continue;
    return usage_error(fmt::format("contract: depth \"{}\" names {}, which is no extent of {} ({})",
                                   formula->to_string(), name, signature.name, fmt::join(signature.extents, ", ")));
  }
  const auto depth = formula->value(extent);
  if (!depth) return usage_error("contract: depth " + depth.error().message);
  const bool multiplies = signature.factors.size() > 1;
  const std::int64_t additions = *depth - (multiplies ? 1 : 0);
  const std::string& reduced = signature.extents[*signature.reduced];
  // An exclusive scan's longest sum lacks the last element.
  const std::int64_t terms = *extent(reduced) - (signature.reach == notation::Reach::Before ? 1 : 0);
  if (terms <= 0) return none;
  // The destinations of an update share its terms in any way.
  const auto flattest =
      signature.is_update ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(terms) - 1));
  if (additions >= flattest) return std::optional(additions);
  return usage_error(fmt::format(
      "contract: depth \"{}\" is {} at {} = {}, below the {} of a balanced tree; declare that of the kernel's "
      "own (`negzero depth` finds it), or none",
      formula->to_string(), *depth, reduced, *extent(reduced), flattest + (multiplies ? 1 : 0)));
}

}  // namespace negzero::oracle
