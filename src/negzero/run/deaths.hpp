// Verdicts on cases that ended their worker.

#pragma once

#include <negzero/operation/verdict.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::run {

/// The verdict on a case that ended its worker: Fail of class crash or hang, rules run.crash and run.hang. A time limit
/// that passed while no kernel ran is an Error, ours.
[[nodiscard]] operation::Verdict verdict_of_death(const Death& death);

/// An Error: cases that ran together ended their worker, and none of them does so alone. Nobody can be blamed, and
/// nothing may look as if it had passed.
[[nodiscard]] operation::Verdict verdict_of_batch_death(const Death& death);

}  // namespace negzero::run
