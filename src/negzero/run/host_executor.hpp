// Runs a kernel's host build on a case: memory laid out, poisoned and guarded, one launch, everything checked after it.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include <negzero/run/executor.hpp>

namespace negzero::run {

/// Runs cases one after another in this process, reusing its memory.
///
/// Besides the rules of every executor: run.shared (a guard zone beside a shared array was written), run.barrier
/// (divergent barriers), run.hang (a thread used up its budget of atomics and yields). A kernel built for
/// Executor::Watched is watched too: is_watch_rule() has its rules.
class HostExecutor final : public Executor {
 public:
  HostExecutor();
  ~HostExecutor() override;
  HostExecutor(HostExecutor&&) noexcept;
  HostExecutor& operator=(HostExecutor&&) noexcept;

  [[nodiscard]] kernel::Executor kind() const noexcept override { return kernel::Executor::Host; }
  using Executor::run;
  [[nodiscard]] std::vector<Outcome> run(std::span<const Job> jobs, const kernel::Kernel& kernel) override;

 private:
  class Memory;
  Outcome run_one(const Job& job, const kernel::Kernel& kernel);
  Outcome run_once(const Job& job, const kernel::Kernel& kernel, operation::Poison output_poison);
  std::unique_ptr<Memory> memory_;
};

}  // namespace negzero::run
