// What can overflow on the way through a sum: numerics.md section 3.

#pragma once

#include <cstddef>

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/sum_bound.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// Whether computed partial sums can leave the format's numbers, and how far.
struct Overflows {
  bool plus = false, minus = false;  ///< P' and N' reach the threshold
  exact::Dyadic above{}, below{};    ///< how far P' and N' exceed the largest number
};

/// Of the trees of `sum` over `terms` in one of its arithmetics. `no_rounding`: rule a holds, so P' =
/// P. In compensated sums a term is added together with the compensation of the step before, to which terms of both
/// signs contribute.
[[nodiscard]] Overflows overflows(const Sum& sum, const Arithmetic& arithmetic, const Prefix& terms, const Facts& facts,
                                  const Leaves& leaves, bool no_rounding);

/// Adds to `set` what overflow gives besides numbers: Inf of either side, NaN where both can meet; NaN for all of
/// them in a format without Inf.
void permit_overflow(const Arithmetic& arithmetic, const Overflows& over, Set& set);

/// The hull's ends as a set: an end that overflows leaves an infinity (NaN without Inf) beyond the numbers.
[[nodiscard]] Set set_of(const Arithmetic& arithmetic, const Hull& hull, int grid);

}  // namespace negzero::oracle
