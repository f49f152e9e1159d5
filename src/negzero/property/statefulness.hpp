// The claim that a launch does not depend on launches before it.
//
// A failure that shows only after other launches is of class stateful, rule run.state; the launches that it takes are
// the case's history, and are shrunk and replayed with it.

#pragma once

#include <optional>
#include <vector>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/history.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// For other_bits(): launches of a kernel that promises the same bits again, and whose values no oracle knows.
inline constexpr char kOtherBits[] =
    "The contract promises determinism. This launch gave {} where the first, in a fresh process, gave {}.";

/// A launch of a history that fails by itself, in a fresh process and nothing before it.
struct FailedAlone {
  operation::EarlierLaunches launch;  ///< steps.hpp has its case
  verdict::Verdict verdict;
};
/// The first launch of a case's history that does: one of another shape, or with other contents. What they break is no
/// state that the kernel keeps.
[[nodiscard]] std::optional<FailedAlone> failed_alone(const operation::Case& value, const kernel::Kernel& kernel,
                                                      run::Executor& executor, const Judging& how);

/// The verdict on a case with a history. Judged alone in a fresh process first: a failure there is the verdict. Then,
/// in another fresh process, behind its history: Fail of class stateful, be it that the case is wrong there, that it
/// gives other bits where no oracle knows its values and the contract promises determinism, or that a launch on the way
/// ended the process; else the verdict of the case behind its history. Where a launch of its history fails by itself,
/// that failure is the verdict.
[[nodiscard]] verdict::Verdict conformance_after(const operation::Case& value, const kernel::Kernel& kernel,
                                                 run::Executor& executor, const Judging& how);

/// What a kernel makes of a case behind its history, in a fresh process; or what became of the launch that ended it.
[[nodiscard]] run::Outcome outcome_after(const operation::Case& value, const kernel::Kernel& kernel,
                                         const contract::Contract& contract, run::Executor& executor);

/// Histories that tell most kinds of state apart, the shortest first: for a failure that does not come again alone.
[[nodiscard]] const std::vector<operation::History>& usual_histories();

}  // namespace negzero::property
