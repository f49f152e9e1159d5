// The scheduler of one host thread.
//
// Every switch goes straight from the thread that stops to the thread that runs next: there is no scheduler fiber. The
// jump carries the address at which the context of the fiber that was left is to be stored, or null when that fiber has
// ended.

#include <algorithm>
#include <bit>

#include <negzero/simt/engine.hpp>
#include <negzero/simt/sanitizer.hpp>

namespace negzero::simt {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;

thread_local constinit Current current;

namespace {

// Atomics that a thread performs before others get a turn, without preemption: a spinning thread must let others run, a
// histogram should not pay for it.
constexpr std::uint32_t kQuantum = 64;
constexpr std::size_t kMaxResidentThreads = 16384;

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
  resident_ = 0;
  switches_ = 0;
  clock_ = 0;
  noted_.clear();
  current.block_dim = threads;
  current.grid_dim = launch.grid.blocks;
  current.engine = this;

  Block* first = other_block();
  if (first != nullptr) {
    enter(*first);
    reset_countdown();
    Lane& lane = *block_->choose();
    become(lane);
    lane.stack = stacks_.take();
    const fcontext_t fiber =
        make_fcontext(lane.stack->bottom + lane.stack->size_bytes, lane.stack->size_bytes, fiber_main);
    void* fake_stack = nullptr;
    before_switch(&fake_stack, lane.stack->bottom, lane.stack->size_bytes);
    jump_fcontext(fiber, &host_context_);
    after_switch(fake_stack, nullptr, nullptr);
    if (resident_ > 0) stacks_.reclaim_all();
  }
  current.engine = nullptr;
  current.shared = nullptr;
  const std::lock_guard lock(launch.mutex);
  launch.report.switches += switches_;
}

void Engine::arrive_on_fiber(Transfer from, void* fake_stack) {
  if (from.data == &host_context_) {
    after_switch(fake_stack, &host_stack_bottom_, &host_stack_bytes_);
  } else {
    after_switch(fake_stack, nullptr, nullptr);
  }
  if (from.data != nullptr) *static_cast<fcontext_t*>(from.data) = from.fctx;
}

void Engine::fiber_main(Transfer from) {
  Engine& engine = *current.engine;
  engine.arrive_on_fiber(from, nullptr);
  const Grid& grid = engine.launch_->grid;
  for (;;) {
    grid.body(grid.arguments);
    engine.end_thread();
  }
}

void Engine::end_thread() {
  Lane& self = *lane_;
  Stack* stack = self.stack;
  self.stack = nullptr;
  block_->retire(self);
  Lane* next = block_->choose();
  if (next == nullptr) {
    if (block_->live() > 0) {
      WaitDescription waits = describe_waits(*block_);
      fail(LaunchStatus::DivergentBarrier, std::move(waits.text), waits.first);
    }
    end_block();
    if (resident_ == 0) {
      stacks_.give(stack);
      leave();
    }
    next = block_->choose();
  }
  become(*next);
  if (next->context == nullptr) {
    next->stack = stack;
    return;
  }
  stacks_.give(stack);
  ++switches_;
  before_switch(nullptr, next->stack->bottom, next->stack->size_bytes);
  jump_fcontext(next->context, nullptr);
  __builtin_unreachable();
}

void Engine::wait() {
  Lane& self = *lane_;
  Lane* next = block_->choose();
  if (next == nullptr) {
    WaitDescription waits = describe_waits(*block_);
    fail(LaunchStatus::DivergentBarrier, std::move(waits.text), waits.first);
  }
  if (next != &self) {
    switch_from(self, *next);
  } else {
    block_->mark_running(self);
  }
}

void Engine::switch_from(Lane& self, Lane& next) {
  become(next);
  ++switches_;
  fcontext_t target = next.context;
  if (target == nullptr) {
    next.stack = stacks_.take();
    target = make_fcontext(next.stack->bottom + next.stack->size_bytes, next.stack->size_bytes, fiber_main);
  }
  void* fake_stack = nullptr;
  before_switch(&fake_stack, next.stack->bottom, next.stack->size_bytes);
  const Transfer from = jump_fcontext(target, &self.context);
  arrive_on_fiber(from, fake_stack);
}

void Engine::become(Lane& next) noexcept {
  lane_ = &next;
  block_->mark_running(next);
  current.thread_index = next.index;
  current.linear_thread = next.id;
}

void Engine::enter(Block& block) noexcept {
  block_ = &block;
  current.block_index = block.index();
  current.shared = &block.shared().table();
}

bool Engine::start_block(Block& block) {
  std::uint64_t linear = 0;
  if (launch_->failed.load(std::memory_order_relaxed) || !launch_->next_block(linear)) return false;
  block.begin(launch_->block_index(linear), linear, launch_->settings, launch_->grid.dynamic_shared_bytes);
  return true;
}

/// Another resident block to run: a new one while there is room, else the next in turn, else null.
Block* Engine::other_block() {
  if (resident_ < max_resident_) {
    if (resident_ == blocks_.size()) blocks_.push_back(std::make_unique<Block>());
    Block& block = *blocks_[resident_];
    block.prepare(launch_->grid.threads, *this);
    if (start_block(block)) {
      ++resident_;
      return &block;
    }
  }
  if (resident_ <= 1) return nullptr;
  for (std::size_t i = 0; i < resident_; ++i) {
    if (blocks_[i].get() == block_) return blocks_[(i + 1) % resident_].get();
  }
  return nullptr;
}

/// The running block has ended: enters another one, unless none is left.
void Engine::end_block() {
  if (const int overrun = block_->shared().overrun(); overrun >= 0) {
    const bool dynamic = static_cast<std::size_t>(overrun) == block_->shared().table().count;
    fail(LaunchStatus::SharedOverrun,
         "block " + to_string(block_->index()) + " wrote outside " +
             (dynamic ? "its dynamic shared memory" : "shared array " + std::to_string(overrun)) +
             " (arrays count in the order in which the block met them)",
         {});
  }
  if (start_block(*block_)) {
    enter(*block_);
    return;
  }
  const auto ended = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.get() == block_; });
  std::rotate(ended, ended + 1, blocks_.begin() + static_cast<std::ptrdiff_t>(resident_));
  if (--resident_ > 0) enter(*blocks_[0]);
}

void Engine::leave() {
  before_switch(nullptr, host_stack_bottom_, host_stack_bytes_);
  jump_fcontext(host_context_, nullptr);
  __builtin_unreachable();
}

void Engine::fail(LaunchStatus status, std::string message, Coordinates thread) {
  launch_->fail(status, std::move(message), *block_, thread);
  // Destroy before the stack is abandoned: nothing on it is unwound.
  std::string().swap(message);
  leave();
}

int Engine::barrier(BarrierKind kind, bool predicate, Place place) {
  block_->arrive(*lane_, kind, predicate, place);
  wait();
  return block_->barrier_value();
}

void Engine::warp_operation(WarpRequest& request, Place place) {
  block_->arrive(*lane_, request, place);
  if (lane_->request != nullptr) wait();
}

void Engine::reset_countdown() noexcept {
  quantum_ = launch_->settings.schedule.preempt
                 ? 1 + static_cast<std::uint32_t>(std::countr_zero(block_->random().next() | 1u << 5))
                 : kQuantum;
  current.countdown = quantum_;
}

void Engine::spend(std::uint64_t events) {
  Lane& self = *lane_;
  self.spent += events;
  const std::uint64_t budget = launch_->settings.event_budget;
  if (self.spent > budget) {
    fail(LaunchStatus::Hang,
         "thread " + to_string(self.index) + " of block " + to_string(block_->index()) + " used up its " +
             std::to_string(budget) + " atomics, fences and sleeps of one launch",
         self.index);
  }
  if (launch_->failed.load(std::memory_order_relaxed)) leave();
}

void Engine::countdown_expired() {
  spend(quantum_);
  reset_countdown();
  yield();
}

void Engine::yield() {
  Lane& self = *lane_;
  Lane* next = block_->choose();
  const bool preempt = launch_->settings.schedule.preempt;
  if (block_->starts_round(self, *next) || (preempt && block_->random().one_in(4))) {
    if (Block* other = other_block(); other != nullptr) {
      enter(*other);
      next = block_->choose();
    }
  }
  if (next != &self) switch_from(self, *next);
}

std::byte* Engine::allocate_shared(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  std::byte* address = block_->shared().allocate(tag, size_bytes, alignment);
  if (address == nullptr) {
    fail(LaunchStatus::InvalidLaunch,
         "block " + to_string(block_->index()) + " needs " +
             std::to_string(block_->shared().used_bytes() + size_bytes) + " bytes of shared memory in " +
             std::to_string(block_->shared().table().count + 1) + " arrays; at most " +
             std::to_string(kMaxSharedBytes) + " bytes in " + std::to_string(SharedTable::kCapacity) + " arrays exist",
         lane_->index);
  }
  return address;
}

bool Engine::first_time(Place place, int topic) {
  for (const Noted& noted : noted_) {
    if (noted.topic == topic && noted.place.line == place.line && noted.place.file == place.file) return false;
  }
  noted_.push_back({place, topic});
  return true;
}

void Engine::exited_at_barrier(Place place, unsigned exited) {
  if (!first_time(place, -1)) return;
  launch_->warn("barrier at " + to_string(place) + " in block " + to_string(block_->index()) + ": " +
                std::to_string(exited) + " threads had exited and counted as arrived");
}

void Engine::lane_without_value(Place place, WarpKind kind, std::uint32_t mask, unsigned lane, int source) {
  if (!first_time(place, source < 0 ? -2 : 0)) return;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) hex += kDigits[mask >> shift & 15];
  std::string text = std::string(to_string(kind)) + " at " + to_string(place) + " with mask " + hex + " in block " +
                     to_string(block_->index()) + ": lane " + std::to_string(lane);
  text += source < 0 ? " is not in its own mask" : " reads lane " + std::to_string(source) + ", which takes no part";
  launch_->warn(std::move(text));
}

}  // namespace negzero::simt
