// Output elements that a kernel never wrote: they hold whichever poison memory held before.

#pragma once

#include <negzero/operation/case.hpp>
#include <negzero/run/outcome.hpp>

namespace negzero::run {

[[nodiscard]] operation::Poison other_poison(operation::Poison poison) noexcept;
/// Whether an element of the output holds the case's poison. It may have been computed so: unwritten is what holds the
/// other poison when the run is repeated with nothing else changed. Never for a scatter, which starts from initial
/// values.
[[nodiscard]] bool looks_unwritten(const operation::Case& value, const Outcome& outcome);
/// The outcome of both runs: `again` had the other poison in its output. Rule run.unwritten.
[[nodiscard]] Outcome combine(const operation::Case& value, Outcome outcome, Outcome again);

}  // namespace negzero::run
