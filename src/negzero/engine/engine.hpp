// Runs the blocks of one launch on one host thread: who runs next, and the switch to its stack.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <negzero/engine/block.hpp>
#include <negzero/engine/clock.hpp>
#include <negzero/engine/current.hpp>
#include <negzero/engine/fiber.hpp>
#include <negzero/engine/observer.hpp>
#include <negzero/engine/stack_pool.hpp>

namespace negzero::engine {

/// One launch, shared by the engines that run it.
struct Launch {
  Launch(const Grid& grid_, const Settings& settings_);

  /// Takes the next block of the schedule, or the lowest one that has not started; false when none is left.
  [[nodiscard]] bool next_block(bool lowest, std::uint64_t& linear);
  [[nodiscard]] Coordinates block_index(std::uint64_t linear) const noexcept;
  /// Keeps the failure of the lowest block, so that the report does not depend on which host thread was faster.
  void fail(LaunchStatus status, std::string message, const Block& block, Coordinates thread);
  void warn(std::string message);
  /// Counts up Settings::progress.
  void go_on() noexcept {
    if (settings.progress != nullptr) __atomic_fetch_add(settings.progress, 1, __ATOMIC_RELAXED);
  }

  const Grid& grid;
  const Settings& settings;
  std::uint64_t blocks;
  std::atomic<std::uint64_t> changes{0};        ///< what happened that a thread may have waited for
  std::atomic<std::uint64_t> moves{0};          ///< turns of threads that do not wait
  std::atomic<std::uint64_t> grid_arrivals{0};  ///< of blocks, at all grid-wide barriers
  std::atomic<bool> failed{false};
  std::mutex mutex;            ///< guards what follows
  std::uint64_t taken = 0;     ///< blocks that have started
  std::uint64_t position = 0;  ///< in the schedule: all blocks before it have started
  std::uint64_t lowest = 0;    ///< all blocks below it have started
  LaunchReport report;
  std::uint64_t failed_block = 0;
};

/// The scheduler of one host thread. Device threads are fibers: a thread gets a stack of its own only when it waits,
/// since one that has not started yet starts on the stack of the one that has just ended.
class Engine final : private Notes {
 public:
  /// The engine of the calling host thread; keeps its stacks and blocks from launch to launch.
  [[nodiscard]] static Engine& of_this_host_thread();

  /// Runs blocks of `launch` until none is left or the launch has failed.
  void run(Launch& launch);

  // Called on fibers, by the functions of current.hpp.
  void end_thread();
  void barrier(BarrierKind kind, bool predicate, CallSite site);
  void warp_operation(WarpRequest& request, CallSite site);
  Destination arrive_at_barrier(BarrierKind kind, bool predicate, CallSite site, void* context);
  Destination arrive_at_warp_operation(WarpRequest& request, CallSite site, void* context);
  void yield();
  void spend(std::uint64_t events, const void* context);
  void countdown_expired(const void* context);
  std::byte* allocate_shared(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment);
  std::int64_t tick() noexcept;
  [[nodiscard]] Launch& launch() noexcept { return *launch_; }
  [[nodiscard]] LateCopies& late_copies() noexcept { return block_->late_copies(); }
  // Called on fibers, by an observer.
  /// Lets other threads run at an access to memory; returns after how many accesses to do so again.
  std::uint32_t preempt();
  /// Ends the launch, which asks Observer::reason() why.
  [[noreturn]] void end_launch();
  [[nodiscard]] const Stack& running_stack() const noexcept { return *thread_->stack; }

 private:
  static void fiber_main();
  void arrived(void* fake_stack);
  void arm() noexcept;
  void settle() noexcept;
  void wait();
  void switch_from(Thread& self, Thread& next);
  void become(Thread& next) noexcept;
  void enter(Block& block) noexcept;
  bool start_block(Block& block);
  Block* start_another();
  Block* other_block();
  void end_block();
  [[nodiscard]] Destination next_after(Thread& self);
  [[nodiscard]] Destination destination(Thread& next);
  void jump_to(Thread& next, void** own, const Stack* ended);
  [[noreturn]] void leave(const Stack* ended = nullptr);
  /// Ends the launch. Nothing on the fiber's stack is destroyed any more, so `message` puts the text together in a call
  /// that ends before.
  template <typename Message>
  [[noreturn]] void fail(LaunchStatus status, const Message& message) {
    note_failure(status, message());
    leave();
  }
  void note_failure(LaunchStatus status, std::string message);
  [[nodiscard]] std::string hang_message(bool idle) const;
  void make_room();
  [[noreturn]] void fail_stuck();
  void reset_countdown() noexcept;

  void exited_at_barrier(CallSite site, unsigned exited) override;
  void lane_without_value(CallSite site, WarpKind kind, std::uint32_t mask, unsigned lane, int source) override;
  void relies_on_convergence(CallSite site, WarpKind kind) override;
  bool first_time(CallSite site, int topic);

  Launch* launch_ = nullptr;
  Block* block_ = nullptr;
  Thread* thread_ = nullptr;
  Observer* observer_ = nullptr;                ///< of the launch, or null
  std::vector<std::unique_ptr<Block>> blocks_;  ///< those in flight and the spare ones
  std::vector<Block*> spare_;                   ///< of blocks_, those that are not in flight
  Block* first_ = nullptr;                      ///< of the ring of blocks in flight, the one that started first
  std::size_t resident_ = 0;                    ///< blocks in flight
  std::size_t max_resident_ = 1;
  bool all_started_ = false;   ///< no block is left to start
  bool lowest_first_ = false;  ///< blocks start in ascending order, whatever the schedule says
  StackPool stacks_;
  void* host_context_ = nullptr;
  bool on_fiber_ = false;  ///< only for the address sanitizer
  const void* host_stack_bottom_ = nullptr;
  std::size_t host_stack_bytes_ = 0;
  std::uint32_t quantum_ = 0;
  Clock clock_;
  std::uint64_t clock_changes_ = 0;  ///< Launch::changes at the last reading
  bool has_read_clock_ = false;      ///< the running thread has, since the engine last looked
  std::uint64_t switches_ = 0;
  std::uint64_t idle_ = 0;           ///< events of all threads since something happened
  std::uint64_t idle_switches_ = 0;  ///< switches since then
  std::uint64_t seen_switches_ = 0;  ///< switches_ when the engine last looked
  std::uint64_t progress_ = 0;       ///< Launch::changes and moves when something last happened
  std::uint64_t active_ = 0;         ///< events of threads that did not wait
  std::uint64_t unreported_ = 0;     ///< events since Settings::progress was counted up for some
  struct Noted {
    CallSite site;
    int topic;
  };
  std::vector<Noted> noted_;
};

}  // namespace negzero::engine
