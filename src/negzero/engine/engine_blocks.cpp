// The blocks of one host thread: how they start and end, what they ask for, and how a launch ends before its time.

#include <algorithm>
#include <utility>

#include <negzero/engine/engine.hpp>
#include <negzero/engine/sanitizer.hpp>

namespace negzero::engine {

namespace {

// As Settings::resident_blocks says.
constexpr std::size_t kMostThreads = 131072;
constexpr std::size_t kMostBlocks = 8192;
// Events and switches. Some turns of every thread, at the pace of those that wait: a block that starts too early costs
// memory alone.
constexpr std::uint64_t kIdleBeforeMore = 1024;
constexpr std::uint64_t kIdleBeforeMoreEach = 16;

}  // namespace

void Engine::enter(Block& block) noexcept {
  block_ = &block;
  current.block_index = block.index();
  current.shared = &block.shared().table();
  current.barrier_value = &block.barrier_value();
  if (observer_ != nullptr) observer_->block_entered(block.number());
}

bool Engine::start_block(Block& block) {
  std::uint64_t linear = 0;
  if (launch_->failed.load(std::memory_order_relaxed) || !launch_->next_block(lowest_first_, linear)) {
    all_started_ = true;
    return false;
  }
  block.begin(launch_->block_index(linear), linear, launch_->settings, launch_->grid.dynamic_shared_bytes);
  if (observer_ != nullptr) {
    observer_->block_began(block.number(), linear, block.threads(), block.shared().table(),
                           launch_->grid.dynamic_shared_bytes);
  }
  return true;
}

/// Makes room for as many blocks again where those that are resident wait in vain, and may wait for one that has not
/// started. From then on the lowest blocks start first, whatever the schedule says: GPUs start blocks in ascending
/// order, and what waits for lower blocks only (a look-back) then ends without all of them being resident, which are
/// more than any GPU or this memory holds.
void Engine::make_room() {
  const std::size_t threads = block_->threads();
  if (idle_ + idle_switches_ < kIdleBeforeMore + resident_ * threads * kIdleBeforeMoreEach) return;
  lowest_first_ = true;
  const std::size_t most = std::min({2 * max_resident_, kMostThreads / threads, kMostBlocks});
  if (most > max_resident_ && stacks_.reserve(most * threads)) max_resident_ = most;
}

/// Starts one more block, unless none is left.
Block* Engine::start_another() {
  if (spare_.empty()) {
    blocks_.push_back(std::make_unique<Block>(blocks_.size()));
    spare_.push_back(blocks_.back().get());
  }
  Block& block = *spare_.back();
  block.prepare(launch_->grid.threads, *this);
  block.set_observer(observer_);
  if (!start_block(block)) return nullptr;
  spare_.pop_back();
  block.join(first_);
  if (first_ == nullptr) first_ = &block;
  ++resident_;
  return &block;
}

/// Another resident block to run: a new one while there is room, else the next in turn, else null.
Block* Engine::other_block() {
  if (all_started_) return resident_ > 1 ? block_->next() : nullptr;
  if (resident_ > 0 && resident_ == max_resident_) make_room();
  if (resident_ < max_resident_) {
    if (Block* another = start_another(); another != nullptr) return another;
  }
  return resident_ > 1 ? block_->next() : nullptr;
}

/// The running block has ended: enters another one, unless none is left. Of the resident ones that is the one that
/// started before it: where each block waits for the next, all of them end one after another.
void Engine::end_block() {
  if (observer_ != nullptr) observer_->block_ended(block_->number());
  if (const int overrun = block_->shared().overrun(); overrun >= 0) {
    const bool dynamic = static_cast<std::size_t>(overrun) == block_->shared().table().count;
    fail(LaunchStatus::SharedOverrun, [&] {
      return "block " + to_string(block_->index()) + " wrote outside " +
             (dynamic ? "its dynamic shared memory" : "shared array " + std::to_string(overrun)) +
             " (arrays count in the order in which the block met them)";
    });
  }
  if (start_block(*block_)) {
    enter(*block_);
    return;
  }
  if (--resident_ == 0) return;
  Block& ended = *block_;
  if (first_ == &ended) first_ = ended.next();
  enter(*ended.previous());
  ended.leave();
  spare_.push_back(&ended);
  block_->begin_visit();
}

/// Back to the host's stack, for good. `ended`: the stack of the running thread, where that has ended.
void Engine::leave(const Stack* ended) {
  on_fiber_ = false;
  before_switch(nullptr, host_stack_bottom_, host_stack_bytes_);
  void* abandoned = nullptr;
  if (ended != nullptr) forget_frames(ended->top());
  switch_fiber(&abandoned, {host_context_, nullptr});
  __builtin_unreachable();
}

void Engine::note_failure(LaunchStatus status, std::string message) {
  launch_->fail(status, std::move(message), *block_, current.thread_index);
}

void Engine::fail_stuck() {
  WaitDescription waits = describe_waits(*block_);
  current.thread_index = waits.first;
  fail(LaunchStatus::DivergentBarrier, [&] { return std::move(waits.text); });
}

std::byte* Engine::allocate_shared(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  std::byte* address = block_->shared().allocate(tag, size_bytes, alignment);
  if (address == nullptr) {
    fail(LaunchStatus::InvalidLaunch, [&] {
      return "block " + to_string(block_->index()) + " needs " +
             std::to_string(block_->shared().used_bytes() + size_bytes) + " bytes of shared memory in " +
             std::to_string(block_->shared().table().count + 1) + " arrays; at most " +
             std::to_string(kMaxSharedBytes) + " bytes in " + std::to_string(SharedTable::kCapacity) + " arrays exist";
    });
  }
  if (observer_ != nullptr) observer_->array_placed(block_->number(), address, size_bytes);
  return address;
}

bool Engine::first_time(CallSite site, int topic) {
  for (const Noted& noted : noted_) {
    if (noted.topic == topic && noted.site.line == site.line && noted.site.column == site.column &&
        noted.site.file == site.file)
      return false;
  }
  noted_.push_back({site, topic});
  return true;
}

void Engine::exited_at_barrier(CallSite site, unsigned exited) {
  if (!first_time(site, -1)) return;
  launch_->warn("barrier at " + to_string(site) + " in block " + to_string(block_->index()) + ": " +
                std::to_string(exited) + " threads had exited and counted as arrived");
}

void Engine::lane_without_value(CallSite site, WarpKind kind, std::uint32_t mask, unsigned lane, int source) {
  if (!first_time(site, source < 0 ? -2 : 0)) return;
  std::string text = std::string(to_string(kind)) + " at " + to_string(site) + " with mask " + mask_to_string(mask) +
                     " in block " + to_string(block_->index()) + ": lane " + std::to_string(lane);
  text += source < 0 ? " is not in its own mask" : " reads lane " + std::to_string(source) + ", which takes no part";
  launch_->warn(std::move(text));
}

void Engine::relies_on_convergence(CallSite site, WarpKind kind) {
  if (!first_time(site, -3)) return;
  launch_->warn(
      std::string(to_string(kind)) + " at " + to_string(site) +
      " relies on convergence that CUDA does not promise: no __syncwarp of these lanes comes directly before");
}

std::uint64_t arrive_at_grid() {
  Launch& launch = current.engine->launch();
  const std::uint64_t before = launch.grid_arrivals.fetch_add(1, std::memory_order_acq_rel);
  note_change(true);
  return (before / launch.blocks + 1) * launch.blocks;
}

bool has_grid_arrived(std::uint64_t target) {
  return current.engine->launch().grid_arrivals.load(std::memory_order_acquire) >= target;
}

}  // namespace negzero::engine
