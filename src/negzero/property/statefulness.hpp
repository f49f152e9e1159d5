// The claim that a launch does not depend on launches before it.
//
// A failure that shows only after other launches is of class stateful, rule run.state; the launches that it takes are
// the case's history, and are shrunk and replayed with it.

#pragma once

#include <vector>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// The verdict on a case with a history. Judged alone in a fresh process first: a failure there is the verdict. Then,
/// in another fresh process, behind its history: Fail of class stateful, be it that the case is wrong there or that a
/// launch on the way ended the process; or Pass.
[[nodiscard]] verdict::Verdict conformance_after(const operation::Case& value, const kernel::Kernel& kernel,
                                                 run::Executor& executor, const Judging& how);

/// What a kernel makes of a case behind its history, in a fresh process; or what became of the launch that ended it.
[[nodiscard]] run::Outcome outcome_after(const operation::Case& value, const kernel::Kernel& kernel,
                                         const contract::Contract& contract, run::Executor& executor);

/// Histories that tell most kinds of state apart, the shortest first: for a failure that does not come again alone.
[[nodiscard]] const std::vector<operation::History>& usual_histories();

}  // namespace negzero::property
