// Which signs a zero sum may carry: numerics.md section 4.

#pragma once

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/prefix.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/sum_bound.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// Sets `set.plus_zero` and `set.minus_zero` for a sum of finite terms in any order.
///
/// Under rounding to nearest a sum is -0 only if every leaf is, the start included; exact cancellation gives +0 (IEEE
/// 754-2019 6.3). Both signs are permitted where a product or a result may underflow to zero or be flushed, under
/// faithful rounding, and for compensated sums of zeros, whose compensation is a zero of either sign.
void sign_zero(const Sum& sum, Prefix& terms, const Facts& facts, const Leaves& leaves, Set& set);

/// Whether term `i`, or a fused join with it, can give a zero that is not exact: it is so small that it rounds to zero,
/// or so near to a number of the format that what a cancellation leaves does.
[[nodiscard]] bool can_vanish(const Arithmetic& arithmetic, const Terms& terms, std::size_t i, bool fused);

}  // namespace negzero::oracle
