// The scheduler of one host thread.
//
// Every switch goes straight from the thread that stops to the thread that runs next: there is no scheduler fiber.

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

#include <negzero/engine/engine.hpp>
#include <negzero/engine/fiber.hpp>
#include <negzero/engine/sanitizer.hpp>

namespace negzero::engine {

thread_local constinit Current current;
#ifdef NEGZERO_DIRECT_WAITS
constinit thread_local void* negzero_engine_waits_stack = nullptr;
#endif

namespace {

// Atomics that a thread performs before others get a turn, without preemption: a spinning thread must let others run, a
// histogram should not pay for it.
constexpr std::uint32_t kQuantum = 64;
// The same while the threads of a block wait. What they ask again and again is wasted, and at barriers each event costs
// a switch to every thread of the block.
constexpr std::uint32_t kWaitingQuantum = 4;
// The same where that is not known, because memory has just changed.
constexpr std::uint32_t kUncertainQuantum = 16;
// As Settings::progress says: rare enough to cost nothing, often enough for any time limit.
constexpr std::uint64_t kProgressEvents = 4096;
// As Settings::idle_budget says.
constexpr std::uint64_t kIdleEvents = 4 * kQuantum;
// The same where the states of threads are not known.
constexpr std::uint64_t kBlindIdleEvents = 40 * kQuantum;
// As Settings::idle_budget says: switches at barriers that count as one event.
constexpr std::uint64_t kSwitchesPerIdleEvent = 64;
// As Settings::event_budget says.
constexpr std::uint64_t kBudgetOfAll = 8;
constexpr std::size_t kMaxResidentThreads = 16384;

// A saved context and the frame of a small kernel.
constexpr int kPrefetchBytes = 320;

/// Fetches the lines above `address`. The stacks of a block exceed the first-level cache, but the order of visits is
/// known.
inline void prefetch(const void* address) {
  for (int i = 0; i < kPrefetchBytes; i += 64) __builtin_prefetch(static_cast<const char*>(address) + i, 1);
}

}  // namespace

Engine& Engine::of_this_host_thread() {
  static thread_local Engine engine;
  return engine;
}

void Engine::run(Launch& launch) {
  launch_ = &launch;
  const Settings& settings = launch.settings;
  const Coordinates threads = launch.grid.threads;
  const std::size_t block_threads = std::size_t{threads.x} * threads.y * threads.z;
  max_resident_ =
      std::clamp<std::size_t>(kMaxResidentThreads / block_threads, 1, std::max(settings.resident_blocks, 1u));
  first_ = nullptr;
  resident_ = 0;
  spare_.clear();
  for (std::size_t i = blocks_.size(); i-- > 0;) spare_.push_back(blocks_[i].get());
  switches_ = unreported_ = idle_ = idle_switches_ = seen_switches_ = progress_ = active_ = 0;
  lowest_first_ = all_started_ = false;
  clock_.begin();
  clock_changes_ = 0;
  has_read_clock_ = false;
  noted_.clear();
  observer_ = settings.observer;
  if (observer_ != nullptr) observer_->launch_began(launch.grid, settings.schedule);
  // Also where memory runs out before the first thread runs.
  const struct Leaving {
    ~Leaving() {
      if (observer != nullptr) observer->launch_ended();
      current.engine = nullptr;
      current.shared = nullptr;
      current.run_ahead = 0;
    }
    Observer* observer;
  } leaving{observer_};
  current.block_dim = threads;
  current.grid_dim = launch.grid.blocks;
  current.engine = this;

  Block* first = other_block();
  if (first != nullptr) {
    enter(*first);
    reset_countdown();
    Thread& thread = block_->next_turn(nullptr);
    become(thread);
    on_fiber_ = false;
    jump_to(thread, &host_context_, nullptr);
    on_fiber_ = false;
    // Only a failure leaves blocks behind, and with them fibers in the middle of the kernel.
    if (resident_ > 0) stacks_.reclaim_all();
  }
  if (observer_ != nullptr) {
    for (Block* left = first_; resident_ > 0; left = left->next(), --resident_) observer_->block_ended(left->number());
  }
  const std::lock_guard lock(launch.mutex);
  launch.report.switches += switches_;
}

void Engine::fiber_main() {
  // A fiber stays on its host thread, and so with its engine.
  Engine& engine = *current.engine;
  engine.arrived(nullptr);
#ifdef NEGZERO_DIRECT_WAITS
  negzero_engine_waits_stack = static_cast<char*>(engine.host_context_) - 8;
#endif
  engine.arm();
  const Grid& grid = engine.launch_->grid;
  grid.body(grid.arguments);
  __builtin_unreachable();
}

/// Lets the threads after the one that starts now start without us, where the schedule would choose just those.
inline void Engine::arm() noexcept { current.run_ahead = block_->run_ahead(*thread_); }

/// Ends a switch on the stack that was reached.
inline void Engine::arrived(void* fake_stack) {
  if constexpr (kAddressSanitizer) {
    const void* bottom = nullptr;
    std::size_t size_bytes = 0;
    after_switch(fake_stack, &bottom, &size_bytes);
    if (!std::exchange(on_fiber_, true)) {
      host_stack_bottom_ = bottom;
      host_stack_bytes_ = size_bytes;
    }
  }
}

/// Where `next`, which the engine has made current, goes on: where it stopped, or at its start on a stack of its own.
inline Destination Engine::destination(Thread& next) {
  ++switches_;
  const Thread* const after = block_->plan();
  if (after != nullptr && after->context != nullptr) prefetch(after->context);
  if (next.context != nullptr) return {next.context, nullptr};
  next.stack = stacks_.take();
  if (const Stack* free = stacks_.next(); free != nullptr) prefetch(free->top() - kPrefetchBytes);
  return {next.stack->top(), fiber_main};
}

/// Goes to `next`; comes back when a thread goes to what is stored in *own; never where the running thread has ended,
/// whose stack is `ended` then.
inline void Engine::jump_to(Thread& next, void** own, const Stack* ended) {
  const Destination to = destination(next);
  void* fake_stack = nullptr;
  before_switch(ended != nullptr ? nullptr : &fake_stack, next.stack->bottom, next.stack->size_bytes);
  if (ended != nullptr) forget_frames(ended->top());
  switch_fiber(own, to);
  arrived(fake_stack);
}

/// Catches up with advance(): the threads from thread_ up to the running one have ended. Always inline: as a call it
/// makes an arrival at a barrier six per cent slower.
NEGZERO_INLINE void Engine::settle() noexcept {
  current.run_ahead = 0;
  const unsigned running = current.linear_thread;
  Thread& started = *thread_;
  if (running == started.id) return;
  block_->retire_range(started.id, running);
  Thread& self = block_->thread(running);
  self.stack = started.stack;
  started.stack = nullptr;
  thread_ = &self;
  block_->mark_running(self);
}

inline void Engine::become(Thread& next) noexcept {
  thread_ = &next;
  block_->mark_running(next);
  current.thread_index = next.index;
  current.linear_thread = next.id;
}

inline void Engine::switch_from(Thread& self, Thread& next) {
  block_->mark_suspended();
  become(next);
  jump_to(next, &self.context, nullptr);
}

inline void Engine::wait() {
  Thread& self = *thread_;
  Thread* next = block_->choose_other();
  if (next == nullptr) fail_stuck();
  if (next != &self) {
    switch_from(self, *next);
  } else {
    block_->mark_running(self);
  }
}

/// The running thread has returned from the kernel. Returns when another one is to start on its stack.
void Engine::end_thread() {
  settle();
  current.has_changed = true;
  Thread& self = *thread_;
  Stack* stack = self.stack;
  self.stack = nullptr;
  block_->retire(self);
  Thread* next = block_->choose_other();
  if (next == nullptr) {
    if (block_->live() > 0) fail_stuck();
    end_block();
    if (resident_ == 0) {
      stacks_.give(stack);
      leave(stack);
    }
    next = &block_->next_turn(nullptr);
  }
  become(*next);
  if (next->context == nullptr) {
    next->stack = stack;
    arm();
    return;
  }
  stacks_.give(stack);
  void* abandoned = nullptr;
  jump_to(*next, &abandoned, stack);
  __builtin_unreachable();
}

inline Destination Engine::arrive_at_barrier(BarrierKind kind, bool predicate, CallSite site, void* context) {
  settle();
  Thread& self = *thread_;
  self.context = context;
  block_->arrive(self, kind, predicate, site);
  return next_after(self);
}

inline Destination Engine::arrive_at_warp_operation(WarpRequest& request, CallSite site, void* context) {
  settle();
  Thread& self = *thread_;
  self.context = context;
  if (!block_->arrive(self, request, site)) return {context, nullptr};
  return next_after(self);
}

/// Where to go on when `self` waits, or is released already.
inline Destination Engine::next_after(Thread& self) {
  Thread* next = block_->choose_other();
  if (next == nullptr) fail_stuck();
  if (next == &self) {
    block_->mark_running(self);
    return {self.context, nullptr};
  }
  block_->mark_suspended();
  become(*next);
  return destination(*next);
}

void Engine::barrier(BarrierKind kind, bool predicate, CallSite site) {
  settle();
#ifndef NEGZERO_DIRECT_WAITS
  current.has_changed = true;
#endif
  block_->arrive(*thread_, kind, predicate, site);
  wait();
}

void Engine::warp_operation(WarpRequest& request, CallSite site) {
  settle();
  if (block_->arrive(*thread_, request, site)) wait();
}

std::uint32_t Engine::preempt() {
  settle();
#ifndef NEGZERO_DIRECT_WAITS
  // A plain access: this thread does more than to wait. Elsewhere its state shows that.
  current.has_changed = true;
#endif
  block_->note_turn(*thread_, Turn::Works);
  yield();
  return 1 + static_cast<std::uint32_t>(std::countr_zero(block_->random().next() | 1u << 5));
}

void Engine::end_launch() {
  settle();
  fail(LaunchStatus::EndedByObserver, [] { return std::string(); });
}

void Engine::reset_countdown() noexcept {
  if (launch_->settings.schedule.preempt) {
    quantum_ = 1 + static_cast<std::uint32_t>(std::countr_zero(block_->random().next() | 1u << 5));
  } else {
    const Turn last = block_->last_turn();
    quantum_ = last == Turn::Works ? kQuantum : last == Turn::Waits ? kWaitingQuantum : kUncertainQuantum;
  }
  current.countdown = quantum_;
}

std::string Engine::hang_message(bool idle) const {
  const std::string events = " atomics, volatile accesses, fences and sleeps ";
  const std::string who = "thread " + to_string(thread_->index) + " of block " + to_string(block_->index());
  if (idle) return who + " waits in vain: " + std::to_string(idle_) + events + "of all threads have changed nothing";
  const std::uint64_t budget = launch_->settings.event_budget;
  if (thread_->spent > budget) return who + " used up its " + std::to_string(budget) + events + "of one launch";
  return who + " does not come to its end: all threads used up their " + std::to_string(kBudgetOfAll * budget) + events;
}

std::int64_t Engine::tick() noexcept {
  has_read_clock_ = true;
  const std::uint64_t changes = launch_->changes.load(std::memory_order_relaxed);
  const bool has_happened = current.has_changed || std::exchange(clock_changes_, changes) != changes;
  return clock_.read(thread_, has_happened);
}

void Engine::spend(std::uint64_t events, const void* context) {
  settle();
  Thread& self = *thread_;
  unreported_ += events;
  if (unreported_ >= kProgressEvents) {
    unreported_ = 0;
    launch_->go_on();
  }
  const bool changed = std::exchange(current.has_changed, false);
  if (changed) launch_->changes.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t changes = launch_->changes.load(std::memory_order_relaxed);
  const bool knows = context != nullptr;
  Turn turn = Turn::Works;
  if (knows) {
    turn = block_->turn_of(self.id, state_of(context, self.stack->top()), changes);
    if (turn != Turn::Waits) launch_->moves.fetch_add(1, std::memory_order_relaxed);
  }
  if (changed) turn = Turn::Works;
  // A thread that waits for a time does not wait in vain.
  if (std::exchange(has_read_clock_, false)) {
    turn = Turn::Works;
    launch_->moves.fetch_add(1, std::memory_order_relaxed);
  }
  block_->note_turn(self, turn);
  if (block_->is_gathering()) [[unlikely]]
    block_->note_events(self, events, turn == Turn::Waits, changes);
  if (turn == Turn::Works) {
    self.spent += events;
    active_ += events;
  }
  const std::uint64_t progress = changes + launch_->moves.load(std::memory_order_relaxed);
  const std::uint64_t switched = switches_ - std::exchange(seen_switches_, switches_);
  if (std::exchange(progress_, progress) == progress) {
    idle_ += events;
    idle_switches_ += switched;
  } else {
    idle_ = idle_switches_ = 0;
  }
  const Settings& settings = launch_->settings;
  const std::uint64_t threads = resident_ * block_->threads();
  const std::uint64_t each = knows ? kIdleEvents : kBlindIdleEvents + settings.idle_budget / 64;
  const bool idle = idle_ + idle_switches_ / kSwitchesPerIdleEvent > settings.idle_budget + threads * each;
  if (idle || self.spent > settings.event_budget || active_ / kBudgetOfAll > settings.event_budget) {
    fail(LaunchStatus::Hang, [&] { return hang_message(idle); });
  }
  if (launch_->failed.load(std::memory_order_relaxed)) leave();
}

void Engine::countdown_expired(const void* context) {
  if (!launch_->settings.schedule.preempt && block_->is_spared(current.linear_thread)) {
    current.countdown = quantum_;
    return;
  }
  spend(quantum_, context);
  reset_countdown();
  yield();
}

/// Gives the next turn: turns.hpp says to which thread, and why each has one.
void Engine::yield() {
  Thread& self = *thread_;
  const Thread* yields = &self;
  const bool preempt = launch_->settings.schedule.preempt;
  if (block_->ends_visit(self) || (preempt && block_->random().one_in(4))) {
    // The thread that is waited for may be on a host thread that has no core: without this, spinning would use up the
    // budget first.
    if (launch_->settings.host_threads > 1) std::this_thread::yield();
    if (Block* other = other_block(); other != nullptr) {
      block_->mark_suspended();
      enter(*other);
      if (!preempt) reset_countdown();
      yields = nullptr;
    }
    block_->begin_visit();
  }
  Thread& next = block_->next_turn(yields);
  if (&next != &self) switch_from(self, next);
}

// The functions of current.hpp.

void end_thread() { current.engine->end_thread(); }

void yield_thread(const void* context) {
  current.engine->spend(1, context);
  current.engine->yield();
}

void spend_countdown(const void* context) {
  // Outside a kernel no other thread can run: CUDA's words may be called from ordinary host code.
  if (current.engine != nullptr) current.engine->countdown_expired(context);
}

std::byte* allocate_shared(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  return current.engine->allocate_shared(tag, size_bytes, alignment);
}

std::int64_t read_clock() {
  yield_point();
  return current.engine == nullptr ? 0 : current.engine->tick();
}

}  // namespace negzero::engine

// The waits of current.hpp.
extern "C" {

using negzero::engine::BarrierKind;
using negzero::engine::CallSite;
using negzero::engine::current;
using negzero::engine::WarpRequest;

#ifdef NEGZERO_DIRECT_WAITS

// The assembly of fiber.cpp comes here with the context of the thread that waits, and goes where it is told.
negzero::engine::Destination negzero_engine_arrive_at_barrier(BarrierKind kind, bool predicate, CallSite site,
                                                              void* context) {
  return current.engine->arrive_at_barrier(kind, predicate, site, context);
}

negzero::engine::Destination negzero_engine_arrive_at_warp_operation(WarpRequest* request, CallSite site,
                                                                     void* context) {
  return current.engine->arrive_at_warp_operation(*request, site, context);
}

#else

void negzero_engine_wait_at_barrier(BarrierKind kind, bool predicate, CallSite site) {
  current.engine->barrier(kind, predicate, site);
}

void negzero_engine_exchange(WarpRequest* request, CallSite site) { current.engine->warp_operation(*request, site); }

#endif

}  // extern "C"
