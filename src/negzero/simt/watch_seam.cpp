// The seam of watched kernels: as that of the others, with the reports off while the engine works.

#include <negzero/simt/watch_state.hpp>

namespace negzero::simt {

namespace {

/// The engine's time between two stretches of kernel code. The thread that goes on afterwards may be another one.
class InEngine {
 public:
  InEngine() noexcept { current.watch = nullptr; }
  ~InEngine() {
    if (current.engine != nullptr) current.watch = current.engine->watch();
  }
  InEngine(const InEngine&) = delete;
  InEngine& operator=(const InEngine&) = delete;
};

}  // namespace

void watched_start_thread() { current.watch = current.engine->watch(); }

void watched_end_thread() {
  if (current.watch != nullptr) current.watch->close_reads();
  current.watch = nullptr;
  if (!advance()) end_thread();
}

void watched_wait_at_barrier(BarrierKind kind, bool predicate, Place place) {
  if (current.watch != nullptr) current.watch->close_reads();
  const InEngine in_engine;
  negzero_simt_wait_at_barrier(kind, predicate, place);
}

int watched_barrier_value() { return *current.barrier_value; }

void watched_exchange(WarpRequest& request, Place place) {
  if (current.watch != nullptr) current.watch->close_reads();
  const InEngine in_engine;
  negzero_simt_exchange(&request, place);
}

void watched_yield_point(const void* context) {
  const InEngine in_engine;
  if (--current.countdown == 0) spend_countdown(context);
}

void watched_yield_thread(const void* context) {
  const InEngine in_engine;
  yield_thread(context);
}

void watched_fence(FenceScope scope) {
  if (current.watch != nullptr) current.watch->fence(scope);
}

std::byte* watched_shared_address(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  const InEngine in_engine;
  return shared_address(tag, size_bytes, alignment);
}

std::byte* watched_dynamic_shared() { return dynamic_shared(); }

bool watched_is_shared(const void* address) { return is_shared(address); }

std::int64_t watched_read_clock() {
  const InEngine in_engine;
  return read_clock();
}

}  // namespace negzero::simt
