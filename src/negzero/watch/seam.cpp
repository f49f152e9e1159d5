// How watched kernel code waits: as other code does, with the reports off while the engine works.

#include <negzero/watch/seam.hpp>
#include <negzero/watch/state.hpp>

namespace negzero::watch {

thread_local constinit WatchState* listening NEGZERO_WATCH_TLS = nullptr;
thread_local constinit WatchState* on_duty NEGZERO_WATCH_TLS = nullptr;

namespace {

/// The engine's time between two stretches of kernel code. The thread that goes on afterwards may be another one.
class InEngine {
 public:
  InEngine() noexcept { listening = nullptr; }
  ~InEngine() { listening = on_duty; }
  InEngine(const InEngine&) = delete;
  InEngine& operator=(const InEngine&) = delete;
};

void wait(engine::BarrierKind kind, bool predicate, engine::CallSite site) {
  if (listening != nullptr) listening->close_reads();
  const InEngine in_engine;
  engine::negzero_engine_wait_at_barrier(kind, predicate, site);
}

}  // namespace

void start_thread() { listening = on_duty; }

void end_thread() {
  if (listening != nullptr) listening->close_reads();
  listening = nullptr;
  if (!engine::advance()) engine::end_thread();
}

void wait_at_barrier(engine::BarrierKind kind, engine::CallSite site) { wait(kind, false, site); }

int reduce_at_barrier(engine::BarrierKind kind, bool predicate, engine::CallSite site) {
  wait(kind, predicate, site);
  return *engine::current.barrier_value;
}

void exchange(engine::WarpRequest& request, engine::CallSite site) {
  if (listening != nullptr) listening->close_reads();
  const InEngine in_engine;
  engine::negzero_engine_exchange(&request, site);
}

void gather_active(engine::WarpRequest& request, engine::CallSite site) {
  request.value =
      engine::place_of_gathering(request.value, __builtin_return_address(0), __builtin_frame_address(0));
  watch::exchange(request, site);
}

void spend_yield_point(const void* context) {
  const InEngine in_engine;
  if (--engine::current.countdown == 0) engine::spend_countdown(context);
}

void yield_thread(const void* context) {
  const InEngine in_engine;
  engine::yield_thread(context);
}

void note_fence(engine::FenceScope scope) {
  if (listening != nullptr) listening->fence(scope);
}

std::byte* shared_address(const engine::SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  const InEngine in_engine;
  return engine::shared_address(tag, size_bytes, alignment);
}

void begin_late_copy(const void* owner, const engine::LateCopy& copy) {
  if (listening != nullptr) listening->copy_began(reinterpret_cast<std::uintptr_t>(copy.to), copy.size_bytes);
  const InEngine in_engine;
  engine::begin_late_copy(owner, copy);
}

bool take_late_copy(const void* owner, std::uint64_t last_stage, engine::LateCopy& copy) {
  const bool is_taken = [&] {
    const InEngine in_engine;
    return engine::take_late_copy(owner, last_stage, copy);
  }();
  if (is_taken && listening != nullptr) {
    listening->copy_lands(reinterpret_cast<std::uintptr_t>(copy.to), copy.size_bytes);
  }
  return is_taken;
}

std::uint64_t commit_late_copies(std::uint64_t more) {
  const InEngine in_engine;
  return engine::commit_late_copies(more);
}

std::byte* dynamic_shared() { return engine::dynamic_shared(); }

bool is_shared(const void* address) { return engine::is_shared(address); }

std::uintptr_t shared_begin() { return engine::shared_begin(); }

std::int64_t clock_count() {
  const InEngine in_engine;
  return engine::read_clock();
}

namespace {

/// Orders memory at the arrival at a grid-wide barrier, or at its end: as if an atomic counted the blocks, between two
/// fences.
void order_at_grid(AccessKind kind) {
  static constinit char counter = 0;
  if (listening == nullptr) return;
  listening->fence(engine::FenceScope::Device);
  listening->synchronise(kind, reinterpret_cast<std::uintptr_t>(&counter), engine::current.linear_thread);
  listening->fence(engine::FenceScope::Device);
}

}  // namespace

std::uint64_t arrive_at_grid() {
  order_at_grid(AccessKind::AtomicUpdate);
  const InEngine in_engine;
  return engine::arrive_at_grid();
}

bool has_grid_arrived(std::uint64_t target) {
  if (!engine::has_grid_arrived(target)) return false;
  order_at_grid(AccessKind::AtomicRead);
  return true;
}

}  // namespace negzero::watch
