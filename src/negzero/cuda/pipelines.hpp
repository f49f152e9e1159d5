// cuda::pipeline and cuda::memcpy_async of libcu++ on the host.

#pragma once

#include <algorithm>

#include <negzero/cuda/barriers.hpp>

// NOLINTNEXTLINE: libcu++ has it at global scope.
namespace cuda {
inline namespace NEGZERO_BUILD {

enum class pipeline_role { producer, consumer };
enum class async_contract_fulfillment { none, async };

/// A size of bytes, of memory that is aligned as promised.
template <::std::size_t Alignment>
struct aligned_size_t {
  static constexpr ::std::size_t align = Alignment;
  ::std::size_t value;
  NEGZERO_INLINE explicit aligned_size_t(::std::size_t size_bytes) : value(size_bytes) {}
  NEGZERO_INLINE operator ::std::size_t() const { return value; }
};

template <thread_scope Scope, ::std::uint8_t Stages>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state&) = delete;

  // For make_pipeline().
  barrier<Scope> negzero_full[Stages], negzero_free[Stages];
  unsigned negzero_producers;
};

/// A ring of stages that producers fill and consumers empty.
template <thread_scope Scope>
class pipeline {
 public:
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = delete;

  /// Waits until all consumers have released the stage.
  NEGZERO_INLINE void producer_acquire() {
    if (head_ >= stages_) free_[head_ % stages_].wait_for_end_of(head_ / stages_ - 1);
  }
  /// Ends the thread's copies into the stage, and hands it over.
  NEGZERO_INLINE void producer_commit() {
    details::host::end_copies(this, negzero_stage());
    static_cast<void>(full_[head_ % stages_].arrive());
    ++head_;
  }
  /// Waits until all producers have handed over the next stage.
  NEGZERO_INLINE void consumer_wait() { full_[tail_ % stages_].wait_for_end_of(tail_ / stages_); }
  NEGZERO_INLINE void consumer_release() {
    static_cast<void>(free_[tail_ % stages_].arrive());
    ++tail_;
  }

  // For the functions of this header.
  NEGZERO_INLINE pipeline(barrier<Scope>* full, barrier<Scope>* free, unsigned stages)
      : full_(full), free_(free), stages_(stages) {}
  NEGZERO_INLINE ::std::uint64_t negzero_stage() const { return head_ + 1; }

 private:
  barrier<Scope>*full_, *free_;
  unsigned stages_;
  ::std::uint64_t head_ = 0, tail_ = 0;  ///< stages that this thread has committed, and released
};

/// A thread's own pipeline: groups of cp.async, in the order of their commits.
template <>
class pipeline<thread_scope_thread> {
 public:
  pipeline(pipeline&&) = default;
  pipeline& operator=(pipeline&&) = delete;

  NEGZERO_INLINE void producer_acquire() {}
  NEGZERO_INLINE void producer_commit() { ++head_; }
  NEGZERO_INLINE void consumer_wait() {
    if (tail_ < head_) details::host::end_copies(this, ++tail_);
  }
  NEGZERO_INLINE void consumer_release() {}
  NEGZERO_INLINE bool quit() { return true; }

  // For the functions of this header.
  NEGZERO_INLINE pipeline() = default;
  NEGZERO_INLINE ::std::uint64_t negzero_stage() const { return head_ + 1; }
  NEGZERO_INLINE void wait_prior(::std::uint64_t left) {
    if (head_ > left) tail_ = ::std::max(tail_, head_ - left);
    details::host::end_copies(this, tail_);
  }

 private:
  ::std::uint64_t head_ = 0, tail_ = 0;  ///< stages that were committed, and waited for
};

NEGZERO_INLINE pipeline<thread_scope_thread> make_pipeline() { return {}; }

/// Waits until all committed stages but the last Prior have arrived.
template <::std::uint8_t Prior>
NEGZERO_INLINE void pipeline_consumer_wait_prior(pipeline<thread_scope_thread>& pipe) {
  pipe.wait_prior(Prior);
}

namespace details {

template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
NEGZERO_INLINE pipeline<Scope> make_shared_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                                    ::std::ptrdiff_t producers, ::std::ptrdiff_t consumers) {
  if (group.thread_rank() == 0) {
    for (unsigned i = 0; i < Stages; ++i) {
      init(&state->negzero_full[i], producers);
      init(&state->negzero_free[i], consumers);
    }
  }
  group.sync();
  return {state->negzero_full, state->negzero_free, Stages};
}

}  // namespace details

/// A pipeline in which every thread is producer and consumer. All threads of the group call it, and wait for each
/// other.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
NEGZERO_INLINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state) {
  const auto all = static_cast<::std::ptrdiff_t>(group.size());
  return details::make_shared_pipeline(group, state, all, all);
}
/// A pipeline in which every thread has one role.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
NEGZERO_INLINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                             pipeline_role role) {
  if (group.thread_rank() == 0) state->negzero_producers = 0;
  group.sync();
  if (role == pipeline_role::producer) details::host::global::atomicAdd(&state->negzero_producers, 1u);
  group.sync();
  const auto all = static_cast<::std::ptrdiff_t>(group.size()),
             producers = static_cast<::std::ptrdiff_t>(state->negzero_producers);
  return details::make_shared_pipeline(group, state, producers, all - producers);
}
/// The same, where the first threads of the group are the producers.
template <typename Group, thread_scope Scope, ::std::uint8_t Stages>
NEGZERO_INLINE pipeline<Scope> make_pipeline(const Group& group, pipeline_shared_state<Scope, Stages>* state,
                                             ::std::size_t producers) {
  const auto first = static_cast<::std::ptrdiff_t>(producers);
  return details::make_shared_pipeline(group, state, first, static_cast<::std::ptrdiff_t>(group.size()) - first);
}

namespace details {

template <typename>
inline constexpr ::std::size_t kPromised = 0;
template <::std::size_t Alignment>
inline constexpr ::std::size_t kPromised<aligned_size_t<Alignment>> = Alignment;

/// Begins the copy of one thread among several. A promised alignment is relied on: the watch finds where it is broken.
template <typename Size, typename Sync>
NEGZERO_INLINE async_contract_fulfillment begin(void* to, const void* from, Size size, Sync& sync, ::std::size_t rank,
                                                ::std::size_t threads) {
  const ::std::size_t found = reinterpret_cast<::std::uintptr_t>(to) | reinterpret_cast<::std::uintptr_t>(from);
  host::begin_copy(to, from, static_cast<::std::size_t>(size), kPromised<Size> != 0 ? kPromised<Size> : found, &sync,
                   sync.negzero_stage(), rank, threads);
  return async_contract_fulfillment::async;
}

}  // namespace details

/// Begins a copy that is over when the barrier's phase, or the pipeline's stage, is. `size` is in bytes.
template <typename Size, typename Sync>
NEGZERO_INLINE async_contract_fulfillment memcpy_async(void* to, const void* from, Size size, Sync& sync) {
  return details::begin(to, from, size, sync, 0, 1);
}
/// The same by all threads of a group, each a share.
template <typename Group, typename Size, typename Sync>
NEGZERO_INLINE async_contract_fulfillment memcpy_async(const Group& group, void* to, const void* from, Size size,
                                                       Sync& sync) {
  return details::begin(to, from, size, sync, static_cast<::std::size_t>(group.thread_rank()),
                        static_cast<::std::size_t>(group.size()));
}

}  // namespace NEGZERO_BUILD
}  // namespace cuda
