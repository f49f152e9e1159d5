// The protocol that looks for state: what a kernel keeps from one launch to a later one.
//
//   in one process:  case ─ the later half of the contents changed, same storage
//                           judged
//              case ─ other contents, same storage ─ case ─ same contents, other storage ─ case ... ─ other shape
//                                                    judged                                judged     judged

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// Launches that show an answer given from before: the case, and one with the later half of its contents changed, or
/// with other scalars where the operation has them; every second time on another stream.
[[nodiscard]] operation::History few_launches(base::Random random, const operation::Operation& operation);
/// 4 to 50 launches, of the case and of what differs from it in contents, storage, shape or stream.
[[nodiscard]] operation::History many_launches(base::Random random);
/// The first of these launches, or fewer of the same kind: at most so many of them. Requires room for 4.
[[nodiscard]] operation::History at_most(operation::History launches, std::uint32_t most);

/// A history that shows state, with the verdict on the case behind it; or a launch on the way that fails by itself.
struct StateFound {
  operation::History history;
  verdict::Verdict verdict;
  std::optional<operation::EarlierLaunches> launch{};  ///< that launch: the verdict is on its case (steps.hpp), alone
};
/// A case, which is not owned, and launches that may show what a kernel keeps of it.
struct Look {
  const operation::Case* value = nullptr;
  operation::History launches{};
};
/// Runs the launches of all looks in one process: one look after the other, or some at once where the kernel's launches
/// may overlap. Judges those of a look's case but the first, and the last one. A look in which one fails runs again
/// alone, in a fresh process; what fails there too is looked for in fresh processes with the case behind the launches
/// before it, or behind that launch. State is found where the case is wrong there, and right alone, each of three
/// times; not where one of these launches fails by itself: that is what is found then. Requires cases that pass.
[[nodiscard]] std::vector<std::optional<StateFound>> look_for_state(std::span<const Look> looks,
                                                                    const kernel::Kernel& kernel,
                                                                    run::Executor& executor, const Judging& how);

}  // namespace negzero::property
