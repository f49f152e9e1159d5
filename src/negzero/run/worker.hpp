// A process that launches one kernel, as its parent sees it: requests, answers, time limits.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/protocol/launch_plan.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/death.hpp>
#include <negzero/run/printed.hpp>
#include <negzero/run/shared_memory.hpp>
#include <negzero/run/worker_process.hpp>

namespace negzero::run {

struct WorkerOptions {
  kernel::Place place = kernel::Place::Host;
  int gpu = 0;
  /// Longest time for a kernel that shows no progress, in milliseconds; one that does has kPatience times as long. Time
  /// in which the process waited for a core does not count.
  std::uint64_t timeout_ms = 10000;
  /// Longest time that a process may take until it is ready, in milliseconds.
  std::uint64_t start_ms = start_limit_ms();
};

/// Longest time of a launch that shows progress, over WorkerOptions::timeout_ms.
inline constexpr std::uint64_t kPatience = 10;

class Worker {
 public:
  struct Start;
  /// Starts a worker for that kernel, by the program of its build.
  [[nodiscard]] static Start start(const WorkerOptions& options, const kernel::Kernel& kernel,
                                   const SharedMemory& memory);

  struct Served {
    std::vector<protocol::LaunchOutcome> outcomes{};
    std::optional<Death> death{};
    /// The one in flight, with a death; nothing where a worker that need not has not shown it.
    std::optional<std::uint64_t> plan{};
  };
  /// Sends plans and waits for what became of them. After a death, or fewer outcomes than plans, the worker has ended.
  [[nodiscard]] Served launch(std::span<const protocol::LaunchPlan> plans, bool watched, std::uint64_t timeout_ms);

  [[nodiscard]] bool is_running() const { return process_.is_running(); }
  /// The beginning of what it has printed so far; the rest is thrown away.
  [[nodiscard]] const std::string& printed() const { return printed_.first; }

 private:
  enum class Wait : std::uint8_t { Frame, Garbage, Ended, Overdue };
  void send_memory();
  Wait wait_for(protocol::Frame& frame, std::uint64_t timeout_ms, std::size_t plans, std::uint64_t& limit_ms);
  Death bury(Wait why, std::uint64_t limit_ms);

  ChildProcess process_;
  const SharedMemory* memory_ = nullptr;
  std::size_t sent_bytes_ = 0;  ///< of the memory, as the worker knows it
  engine::RuntimeKey key_;
  bool on_gpu_ = false;
  bool values_only_ = false;  ///< kernel::Build::values_only
  Printed printed_;
};

/// A worker, or why there is none.
struct Worker::Start {
  std::optional<Worker> worker{};
  std::string trouble{};         ///< it cannot be started, says itself why it cannot serve, or ended
  std::optional<Death> death{};  ///< with trouble: how it ended, where it did
};

}  // namespace negzero::run
