// Runs a kernel's host build on a case: memory laid out, poisoned and guarded, one launch, everything checked after it.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <negzero/run/executor.hpp>

namespace negzero::run {

/// Runs cases one after another in this process, reusing its memory.
///
/// Besides the rules of every executor: run.shared (a guard zone beside a shared array was written), run.barrier
/// (divergent barriers), run.hang (a thread used up its budget of atomics and yields), run.host_access (host code of the
/// launch wrapper touched device memory). A kernel built for Executor::Watched is watched too: is_watch_rule() has its
/// rules.
///
/// To close memory to host code costs a microsecond or more a launch (simt::DeviceMemory), as much as a tenth of a small
/// case. So it is closed in the first kRunsClosed runs of a kernel, in one of kClosedEvery after them, and wherever a
/// wrapper launched nothing: then it runs a second time. What is replayed or shrunk in a fresh process is always seen.
class HostExecutor final : public Executor {
 public:
  static constexpr std::uint64_t kRunsClosed = 64, kClosedEvery = 16;

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
  Outcome run_once(const Job& job, const kernel::Kernel& kernel, operation::Poison output_poison, bool closed);
  std::unique_ptr<Memory> memory_;
};

}  // namespace negzero::run
