// Launches a kernel's host build, plain or watched, on the engine of this process.

#pragma once

#include <memory>

#include <negzero/worker/launcher.hpp>

namespace negzero::worker {

/// Memory of the image is what the kernel works on. A kernel built for Executor::Watched is watched.
///
/// To close device memory to host code (rule run.host_access) costs a microsecond or more a launch
/// (engine::DeviceMemory), as much as a tenth of a small case. So it is closed in the first kLaunchesClosed launches of
/// a process, in one of kClosedEvery after them, drawn by chance, and where a wrapper launched nothing: such a wrapper
/// is called a second time. What is replayed or confirmed in a fresh process is always seen.
class HostLauncher final : public Launcher {
 public:
  HostLauncher();
  ~HostLauncher() override;
  [[nodiscard]] std::vector<protocol::LaunchOutcome> launch(std::span<const protocol::LaunchPlan> plans,
                                                            const kernel::Kernel& kernel, std::byte* image) override;

  static constexpr std::uint64_t kLaunchesClosed = 64, kClosedEvery = 16;

 private:
  struct Memory;
  protocol::LaunchOutcome launch_one(const protocol::LaunchPlan& plan, const kernel::Kernel& kernel, std::byte* image,
                                     bool closed);
  std::unique_ptr<Memory> memory_;
};

}  // namespace negzero::worker
