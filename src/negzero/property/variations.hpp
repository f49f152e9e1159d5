// The changes behind the metamorphic properties. Each returns nothing where its precondition does not hold.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/property/metamorphic.hpp>

namespace negzero::property {

/// One of the extents of a declared operation each of whose indices is one by itself; nothing where it has none.
[[nodiscard]] std::optional<std::size_t> one_of_each(const notation::Signature& signature, base::Random& random);
/// A drawn permutation of two or more indices that moves at least two of them.
[[nodiscard]] std::vector<std::int64_t> permutation(std::int64_t count, base::Random& random);

/// What elements hold that a change adds to a tensor: one, or what of the values of limits lies nearest to it.
[[nodiscard]] std::uint64_t one_of(const operation::Limits& limits, const std::string& tensor,
                                   const number::Format& format);

// The parameters are those of Metamorphic::vary; preconditions and sources are in the table of metamorphic.cpp and in
// numerics.md section 8.
#define NEGZERO_VARIATION(name)                                                                           \
  [[nodiscard]] std::optional<Variation> name(const operation::Case& value, const kernel::Kernel& kernel, \
                                              const contract::Contract& contract,                         \
                                              std::span<const tensor::Tensor> outputs, base::Random& random)
NEGZERO_VARIATION(run_twice);
NEGZERO_VARIATION(scale);
NEGZERO_VARIATION(negate);
NEGZERO_VARIATION(permute_rows);
NEGZERO_VARIATION(permute_columns);
NEGZERO_VARIATION(embed);
NEGZERO_VARIATION(batch);
NEGZERO_VARIATION(pad_rows);
NEGZERO_VARIATION(pad_columns);
NEGZERO_VARIATION(other_rows);
NEGZERO_VARIATION(other_columns);
NEGZERO_VARIATION(pad_k);
NEGZERO_VARIATION(transpose);
NEGZERO_VARIATION(nan_row);
NEGZERO_VARIATION(select_again);

// Of declared operations: of one of the extents each of whose indices is one by itself, and of the memory of all
// tensors.
NEGZERO_VARIATION(permute_each);
NEGZERO_VARIATION(nan_in_one);
NEGZERO_VARIATION(embed_all);

}  // namespace negzero::property
