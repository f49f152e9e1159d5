// cuda::barrier of libcu++ on the host.
//
// A barrier is one word that threads change by atomics, with fences of its scope around them: the watch orders memory
// by these as it does for code that spells them, so that a wait comes after all arrivals of its phase and after nothing
// else. `std` is libcu++'s in this namespace, where a file names it: the standard library's is ::std.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/atomic.hpp>
#include <negzero/cuda/late_copies.hpp>
#include <negzero/cuda/sync.hpp>

// NOLINTNEXTLINE: libcu++ has it at global scope.
namespace cuda {
inline namespace NEGZERO_BUILD {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

namespace details {

namespace host = negzero::cuda_on_host;
namespace threads = negzero::cuda_on_host::threads;

struct NoCompletion {};

template <thread_scope Scope>
NEGZERO_INLINE void order_memory() {
  using negzero::engine::FenceScope;
  if (Scope != thread_scope_thread) {
    threads::fence(Scope == thread_scope_block ? FenceScope::Block : FenceScope::Device);
  }
}

/// Stages of copies that belong to a barrier: a thread ends all of them at once.
inline constexpr ::std::uint64_t kAllStages = ~::std::uint64_t{0};

}  // namespace details

/// Threads that wait for each other, phase by phase. In shared memory init() makes one, as no constructor runs there.
///
/// Copies that a thread binds to a barrier end when the same thread arrives at it next. A GPU needs no such arrival: a
/// thread that begins copies and never arrives is not supported.
template <thread_scope Scope, typename Completion = details::NoCompletion>
class barrier {
  static_assert(::std::is_same_v<Completion, details::NoCompletion>,
                "negzero: a barrier with a completion function does not exist on the host");

 public:
  class arrival_token {
    friend class barrier;
    ::std::uint64_t phase = 0;
  };

  barrier() = default;
  explicit barrier(::std::ptrdiff_t expected) { init(this, expected); }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  static constexpr ::std::ptrdiff_t max() { return kCount; }
  friend NEGZERO_INLINE void init(barrier* self, ::std::ptrdiff_t expected) {
    const auto count = static_cast<::std::uint64_t>(expected);
    self->state_ = count << kExpectedAt | count << kPendingAt;
  }

  [[nodiscard]] NEGZERO_INLINE arrival_token arrive(::std::ptrdiff_t update = 1) {
    arrival_token token;
    token.phase = take(static_cast<::std::uint64_t>(update), 0);
    return token;
  }
  NEGZERO_INLINE void wait(arrival_token&& token) const { wait_for_end_of(token.phase); }
  NEGZERO_INLINE bool try_wait(arrival_token&& token) const {
    details::threads::sleep_thread();
    return has_ended(token.phase);
  }
  NEGZERO_INLINE void wait_parity(bool parity) const {
    while (!has_ended(parity ? 1 : 0, 1)) details::threads::sleep_thread();
  }
  NEGZERO_INLINE bool try_wait_parity(bool parity) const {
    details::threads::sleep_thread();
    return has_ended(parity ? 1 : 0, 1);
  }
  NEGZERO_INLINE void arrive_and_wait() { wait_for_end_of(take(1, 0)); }
  /// Arrives, and counts in no later phase.
  NEGZERO_INLINE void arrive_and_drop() { take(1, 1); }

  // For pipelines.
  /// Waits until the phase of that number, of 24 bits, is over; the barrier is in it or in the next.
  NEGZERO_INLINE void wait_for_end_of(::std::uint64_t phase) const {
    while (!has_ended(phase)) details::threads::sleep_thread();
  }
  NEGZERO_INLINE ::std::uint64_t negzero_stage() const { return details::kAllStages; }

 private:
  static constexpr int kExpectedAt = 20, kPhaseAt = 40, kPendingAt = 0;
  static constexpr ::std::uint64_t kCount = (1u << 20) - 1, kPhase = (1u << 24) - 1;

  /// Whether the phase, of which `bits` are known, is over. Orders memory after it is.
  NEGZERO_INLINE bool has_ended(::std::uint64_t phase, ::std::uint64_t bits = kPhase) const {
    if (((__atomic_load_n(&state_, __ATOMIC_RELAXED) >> kPhaseAt ^ phase) & bits) == 0) return false;
    details::order_memory<Scope>();
    return true;
  }

  /// Counts arrivals, and takes `dropped` threads out of the phases that follow. Returns the number of the phase.
  NEGZERO_INLINE ::std::uint64_t take(::std::uint64_t count, ::std::uint64_t dropped) {
    details::host::end_copies(this, details::kAllStages);
    details::order_memory<Scope>();
    for (auto before = __atomic_load_n(&state_, __ATOMIC_RELAXED);;) {
      const ::std::uint64_t expected = (before >> kExpectedAt & kCount) - dropped,
                            pending = before >> kPendingAt & kCount;
      const ::std::uint64_t phase = before >> kPhaseAt;
      const bool ends = pending <= count;
      const unsigned long long after = ((ends ? phase + 1 : phase) & kPhase) << kPhaseAt | expected << kExpectedAt |
                                       (ends ? expected : pending - count) << kPendingAt;
      const auto found = details::host::global::atomicCAS(&state_, before, after);
      if (found == before) return phase;
      before = found;
    }
  }

  unsigned long long state_;  ///< of the phase: arrivals that it lacks, arrivals that the next one expects, its number
};

}  // namespace NEGZERO_BUILD
}  // namespace cuda
