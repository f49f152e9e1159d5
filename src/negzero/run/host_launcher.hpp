// Launches a kernel's host build, plain or watched, on the SIMT runtime of this process.

#pragma once

#include <memory>

#include <negzero/run/launcher.hpp>

namespace negzero::run {

/// Memory of the image is what the kernel works on. A kernel built for Executor::Watched is watched.
class HostLauncher final : public Launcher {
 public:
  HostLauncher();
  ~HostLauncher() override;
  [[nodiscard]] std::vector<LaunchOutcome> launch(std::span<const LaunchPlan> plans, const kernel::Kernel& kernel,
                                                  std::byte* image) override;

 private:
  struct Memory;
  LaunchOutcome launch_one(const LaunchPlan& plan, const kernel::Kernel& kernel, std::byte* image);
  std::unique_ptr<Memory> memory_;
};

}  // namespace negzero::run
