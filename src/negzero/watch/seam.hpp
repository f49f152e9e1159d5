// How watched kernel code waits and reads: the functions of engine/current.hpp once more, with the watch's part.
//
// All but what must know the registers of the kernel is out of line: nothing of the engine's memory is then touched by
// code that reports its accesses, and the engine itself runs with the reports off.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/build.hpp>
#include <negzero/engine/current.hpp>

namespace negzero::watch {

class WatchState;

// initial-exec: as engine::current. Definitions need the attribute too.
#ifdef NEGZERO_SANITIZE
#define NEGZERO_WATCH_TLS
#else
#define NEGZERO_WATCH_TLS __attribute__((tls_model("initial-exec")))
#endif

/// Hears what the running code reports: null in the engine and outside a kernel.
extern thread_local constinit WatchState* listening NEGZERO_WATCH_TLS;

void start_thread();
void end_thread();  ///< returns when another thread is to start on this stack
void wait_at_barrier(engine::BarrierKind kind, engine::CallSite site);
[[nodiscard]] int reduce_at_barrier(engine::BarrierKind kind, bool predicate, engine::CallSite site);
void exchange(engine::WarpRequest& request, engine::CallSite site);
NEGZERO_CONVERGENT void gather_active(engine::WarpRequest& request, engine::CallSite site);
[[nodiscard]] std::byte* shared_address(const engine::SharedTag& tag, std::size_t size_bytes, std::size_t alignment);
[[nodiscard]] std::byte* dynamic_shared();
[[nodiscard]] bool is_shared(const void* address);
[[nodiscard]] std::uintptr_t shared_begin();
[[nodiscard]] std::int64_t clock_count();
std::uint64_t arrive_at_grid();
[[nodiscard]] bool has_grid_arrived(std::uint64_t target);
void begin_late_copy(const void* owner, const engine::LateCopy& copy);
[[nodiscard]] bool take_late_copy(const void* owner, std::uint64_t last_stage, engine::LateCopy& copy);
std::uint64_t commit_late_copies(std::uint64_t more);

void note_fence(engine::FenceScope scope);
void spend_yield_point(const void* context);
void yield_thread(const void* context);

inline namespace NEGZERO_BUILD {

NEGZERO_INLINE void yield_point() { engine::negzero_engine_with_context(spend_yield_point); }
NEGZERO_INLINE void sleep_thread() { engine::negzero_engine_with_context(yield_thread); }
NEGZERO_INLINE void fence(engine::FenceScope scope) {
  note_fence(scope);
  yield_point();
}

}  // namespace NEGZERO_BUILD

}  // namespace negzero::watch
