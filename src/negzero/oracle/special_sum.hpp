// Sums with special values: numerics.md section 3.

#pragma once

#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

/// A sum of terms among which is a NaN or an infinity, added in any order.
[[nodiscard]] SumResult special_sum(const Sum& sum, const Element& element);

}  // namespace negzero::oracle
