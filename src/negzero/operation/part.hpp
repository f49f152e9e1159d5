// Part of a case: the same operation on only some of the indices of its extents.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::operation {

/// Indices of each extent that are kept, ascending, by the extent's place in the signature; nothing: all of them.
using Kept = std::array<std::optional<std::vector<std::int64_t>>, notation::kMostExtents>;

/// The case with only those indices: extents, tensors, counts, and layouts, whose strides stay, follow. Where an index
/// list numbers the extent (a scatter's destinations), what is sent to an index that is not kept goes too. An element
/// of an output has the terms that it had, in their order, unless indices were taken from the extent that is reduced.
/// Contract, provenance and expectations are left empty.
[[nodiscard]] Case part_of(const Case& value, const Kept& kept);

/// The elements that part_of() keeps of a tensor, given by its place in the signature.
[[nodiscard]] tensor::Tensor part_of(const notation::Signature& signature, std::size_t place,
                                     const tensor::Tensor& elements, const Kept& kept);

}  // namespace negzero::operation
