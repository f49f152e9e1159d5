// Launches a kernel on the cases of an image: the half of running that happens in the kernel's own process.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <negzero/engine/stream.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/protocol/progress.hpp>

namespace negzero::worker {

class Launcher {
 public:
  virtual ~Launcher() = default;
  /// Launches the kernel on one plan after the other, on the image that begins at `image`. One outcome a plan, in
  /// order; fewer where the last of them is `spoilt`. Requires plans that protocol::read_plan() or an Image gave, of
  /// the kernel's operation, and a build of it for this launcher.
  [[nodiscard]] virtual std::vector<protocol::LaunchOutcome> launch(std::span<const protocol::LaunchPlan> plans,
                                                                    const kernel::Kernel& kernel, std::byte* image) = 0;

  /// Names the memory in which images lie from now on, before the first launch there; empty before it goes.
  virtual void use_memory(std::span<std::byte>) {}
  /// Shows from now on where a launch is. Not owned.
  void show(protocol::Progress* progress) { progress_ = progress; }

 protected:
  /// Calls the launch wrapper, in a engine::HostCode. Nothing, or what shows at once: it threw, it refused, the stream
  /// has a failure.
  std::optional<protocol::LaunchOutcome> call(const kernel::Kernel& kernel, const kernel::Args& args,
                                              kernel::Workspace& workspace, engine::Stream& stream);
  void is_at(std::size_t plan, protocol::Whereabouts where) {
    if (progress_ == nullptr) return;
    __atomic_store_n(&progress_->plan, plan, __ATOMIC_RELAXED);
    __atomic_store_n(&progress_->where, static_cast<std::uint64_t>(where), __ATOMIC_RELAXED);
  }
  protocol::Progress* progress_ = nullptr;
};

}  // namespace negzero::worker
