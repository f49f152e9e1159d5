// The claim that a launch does not depend on launches before it, and the protocol that looks for state.
//
//   in one process:  case ─ other contents, same storage ─ case ─ same contents, other storage ─ case ─ other shape ─
//   case ...
//                    judged                                judged                                judged judged
//
// A failure that shows only after other launches is of class stateful, rule run.state; the launches that it takes are
// the case's history, and are shrunk and replayed with it.

#pragma once

#include <optional>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::property {

/// The verdict on a case with a history. Judged alone in a fresh process first: a failure there is the verdict. Then,
/// in another fresh process, behind its history: Fail of class stateful, or Pass.
[[nodiscard]] operation::Verdict conformance_after(const operation::Case& value, const kernel::Kernel& kernel,
                                                   run::Executor& executor, const Judging& how);

/// A history that shows state, with the verdict on the case behind it.
struct StateFound {
  operation::History history;
  operation::Verdict verdict;
};
/// Runs the case 2 to 50 times in the executor's process, between launches that differ from it in contents, storage or
/// shape as `random` draws them. What fails on the way, but not in a fresh process, is tried again behind the launches
/// before it: nothing where that passes. Requires a case that passes.
[[nodiscard]] std::optional<StateFound> look_for_state(const operation::Case& value, const kernel::Kernel& kernel,
                                                       run::Executor& executor, const Judging& how,
                                                       base::Random random);

/// Histories that tell most kinds of state apart, the shortest first: for a failure that does not come again alone.
[[nodiscard]] const std::vector<operation::History>& usual_histories();

}  // namespace negzero::property
