// The claim that a launch does not depend on launches before it, and the protocol that looks for state.
//
//   in one process:  case ─ the later half of the contents changed, same storage
//                           judged
//              case ─ other contents, same storage ─ case ─ same contents, other storage ─ case ... ─ other shape
//                                                    judged                                judged     judged
//
// A failure that shows only after other launches is of class stateful, rule run.state; the launches that it takes are
// the case's history, and are shrunk and replayed with it.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/verdict.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>

namespace negzero::property {

/// The verdict on a case with a history. Judged alone in a fresh process first: a failure there is the verdict. Then,
/// in another fresh process, behind its history: Fail of class stateful, be it that the case is wrong there or that a
/// launch on the way ended the process; or Pass.
[[nodiscard]] operation::Verdict conformance_after(const operation::Case& value, const kernel::Kernel& kernel,
                                                   run::Executor& executor, const Judging& how);

/// What a kernel makes of a case behind its history, in a fresh process; or what became of the launch that ended it.
[[nodiscard]] run::Outcome outcome_after(const operation::Case& value, const kernel::Kernel& kernel,
                                         const contract::Contract& contract, run::Executor& executor);

/// Launches that show an answer given from before: the case, and one with the later half of its contents changed, or
/// with other scalars where the operation has them; every second time on another stream.
[[nodiscard]] operation::History few_launches(base::Random random, const operation::Operation& operation);
/// 4 to 50 launches, of the case and of what differs from it in contents, storage, shape or stream.
[[nodiscard]] operation::History many_launches(base::Random random);

/// A history that shows state, with the verdict on the case behind it.
struct StateFound {
  operation::History history;
  operation::Verdict verdict;
};
/// A case, which is not owned, and launches that may show what a kernel keeps of it.
struct Look {
  const operation::Case* value = nullptr;
  operation::History launches{};
};
/// Runs these launches in the executor's process, those of one look behind those of another, and judges those of a
/// look's case but the first, and its last one. What fails there is looked for in fresh processes, with the case behind
/// the launches before it, or behind that launch: nothing unless it is wrong there, and right alone, each of three
/// times. Requires cases that pass.
[[nodiscard]] std::vector<std::optional<StateFound>> look_for_state(std::span<const Look> looks,
                                                                    const kernel::Kernel& kernel,
                                                                    run::Executor& executor, const Judging& how);

/// Histories that tell most kinds of state apart, the shortest first: for a failure that does not come again alone.
[[nodiscard]] const std::vector<operation::History>& usual_histories();

}  // namespace negzero::property
