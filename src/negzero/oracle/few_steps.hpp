// The results of all sums of a few products in the steps of a matrix unit: rule 2e of numerics.md where it says more
// than a bound.

#pragma once

#include <optional>

#include <negzero/oracle/set.hpp>
#include <negzero/oracle/stepped.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// What a sum in UnitSteps gives: over the units that it may be, the ways to share its products out to steps, the parts
/// of k that are summed by themselves, and the places where C enters. `stepped` is known of the terms, none of which is
/// optional, and whose sums do not overflow.
///
/// Steps take any group of products: an instruction adds any four, wherever they stand in k. One slice of no more than
/// the shortest step is one step, of all of them.
///
/// Nothing where there are more than kFewTerms products and several steps, or where some product's exponent is below
/// the accumulator's least: sources do not agree on the least exponent of a step.
[[nodiscard]] std::optional<Set> results_of_steps(const Sum& sum, const Terms& terms, const SteppedTerms& stepped);

}  // namespace negzero::oracle
