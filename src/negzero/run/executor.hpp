// Where kernels run: what every executor does with a case.

#pragma once

#include <span>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/outcome.hpp>

namespace negzero::run {

/// A case and the contract that says what a kernel may read of it. Neither is owned.
struct Job {
  const operation::Case* value = nullptr;
  const contract::Contract* contract = nullptr;
};

/// Runs kernels of one executor on cases: memory laid out, poisoned and guarded, the launch, everything checked after
/// it. Used from one thread at a time.
///
/// What a launch may do wrong besides its values becomes a failure with one of these rules, whatever the executor:
/// run.guard (a guard zone, padding or an input was written), run.unwritten (an output element still holds poison,
/// whichever poison it was), run.launch (an invalid launch configuration, or a launch wrapper that throws), run.refused
/// (a request inside the kernel's limits was refused), run.environment (rounding, flushing of subnormals or traps of the
/// host thread were changed), and those that a verdict_of_death() gives.
class Executor {
 public:
  virtual ~Executor() = default;

  [[nodiscard]] virtual kernel::Executor kind() const noexcept = 0;
  /// Runs `kernel`, one outcome a job, in order. Inputs that a contract says are not read (C at beta = 0, A and B at
  /// alpha = 0) hold poison instead of their elements. A case outside the kernel's limits is Refused without a launch.
  /// Requires valid cases of the kernel's operation, and a kernel of this executor. Cases that share a batch share a
  /// GPU's memory: a failure that is to be believed is one of a batch of one.
  [[nodiscard]] virtual std::vector<Outcome> run(std::span<const Job> jobs, const kernel::Kernel& kernel) = 0;

  /// The same for one case.
  [[nodiscard]] Outcome run(const operation::Case& value, const kernel::Kernel& kernel,
                            const contract::Contract& contract) {
    const Job job{&value, &contract};
    return std::move(run({&job, 1}, kernel).front());
  }
};

}  // namespace negzero::run
