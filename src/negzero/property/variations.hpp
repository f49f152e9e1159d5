// The changes behind the metamorphic properties. Each returns nothing where its precondition does not hold.

#pragma once

#include <optional>

#include <negzero/property/metamorphic.hpp>

namespace negzero::property {

// The parameters are those of Metamorphic::vary; preconditions and sources are in the table of metamorphic.cpp and in
// numerics.md section 8.
#define NEGZERO_VARIATION(name)                                                                                 \
  [[nodiscard]] std::optional<Variation> name(const operation::Case& value, const kernel::Kernel& kernel,       \
                                              const contract::Contract& contract, const tensor::Tensor& output, \
                                              base::Random& random)
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
NEGZERO_VARIATION(pad_k);
NEGZERO_VARIATION(transpose);
NEGZERO_VARIATION(nan_row);
NEGZERO_VARIATION(select_again);

}  // namespace negzero::property
