// Runs a kernel's host build on a case: memory laid out, poisoned and guarded, one launch, everything checked after it.

#pragma once

#include <memory>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/run/outcome.hpp>

namespace negzero::run {

/// Runs cases one after another in this process, reusing its memory.
///
/// What a launch may do wrong besides its values becomes a failure with one of these rules: run.guard (a guard zone,
/// padding or an input was written), run.unwritten (an output element still holds poison, whichever poison it was),
/// run.shared (a guard zone beside a shared array was written), run.barrier (divergent barriers), run.hang (a thread
/// used up its budget of atomics and yields), run.launch (an invalid launch configuration, or a launch wrapper that
/// throws), run.refused (a request inside the kernel's limits was refused). A kernel built for Executor::Watched is
/// watched too: WatchedCase has the rules.
class HostExecutor {
 public:
  HostExecutor();
  ~HostExecutor();
  HostExecutor(HostExecutor&&) noexcept;
  HostExecutor& operator=(HostExecutor&&) noexcept;

  /// Runs `kernel` on `value`. Inputs that `contract` says are not read (C at beta = 0, A and B at alpha = 0) hold
  /// poison instead of their elements. A case outside the kernel's limits is Refused without a launch. Requires a valid
  /// case of the kernel's operation.
  [[nodiscard]] Outcome run(const operation::Case& value, const kernel::Kernel& kernel,
                            const contract::Contract& contract);

 private:
  class Memory;
  Outcome run_once(const operation::Case& value, const kernel::Kernel& kernel, const contract::Contract& contract,
                   operation::Poison output_poison);
  std::unique_ptr<Memory> memory_;
};

/// The verdict on a case that ended its worker: Fail of class crash or hang, rules run.crash and run.hang. A time limit
/// that passed while no kernel ran is an Error, ours.
[[nodiscard]] operation::Verdict verdict_of_death(const Death& death);

}  // namespace negzero::run
