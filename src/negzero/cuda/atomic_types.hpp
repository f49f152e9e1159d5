// cuda::atomic and cuda::atomic_ref of libcu++ on the host, and cuda::std as the standard library.
//
// Orders are fences around an atomic of CUDA: the watch orders memory by these as it does for code that spells them.
// A scope is not narrower here than the device's.

#pragma once

#include <atomic>

#include <negzero/cuda/barriers.hpp>

// NOLINTNEXTLINE: libcu++ has it at global scope.
namespace cuda {
inline namespace NEGZERO_BUILD {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace details {

/// What atomic and atomic_ref share: Self says where the object is.
template <typename Self, typename T, thread_scope Scope>
class AtomicObject {
 public:
  using value_type = T;

  NEGZERO_INLINE T load(memory_order order = memory_order_seq_cst) const {
    // Other threads run here, as it may be what a loop waits for.
    threads::yield_point();
    const T result = ::std::bit_cast<T>(__atomic_load_n(bits(), __ATOMIC_RELAXED));
    if (order != memory_order_relaxed) order_memory<Scope>();
    return result;
  }
  NEGZERO_INLINE void store(T value, memory_order order = memory_order_seq_cst) const {
    if (order != memory_order_relaxed) order_memory<Scope>();
    threads::yield_point();
    __atomic_store_n(bits(), ::std::bit_cast<Bits>(value), __ATOMIC_RELAXED);
    host::note_change(true);
    if (order == memory_order_seq_cst) order_memory<Scope>();
  }
  NEGZERO_INLINE T exchange(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T) { return value; });
  }
  NEGZERO_INLINE bool compare_exchange_strong(T& expected, T desired, memory_order order = memory_order_seq_cst,
                                              memory_order = memory_order_seq_cst) const {
    bool is_same = false;
    const T old = update(order, [&](T now) {
      is_same = __builtin_memcmp(&now, &expected, sizeof(T)) == 0;
      return is_same ? desired : now;
    });
    if (!is_same) expected = old;
    return is_same;
  }
  NEGZERO_INLINE bool compare_exchange_weak(T& expected, T desired, memory_order order = memory_order_seq_cst,
                                            memory_order failure = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, desired, order, failure);
  }
  /// Until the object has other bits than `old`.
  NEGZERO_INLINE void wait(T old, memory_order order = memory_order_seq_cst) const {
    for (T now = load(order); __builtin_memcmp(&old, &now, sizeof(T)) == 0; now = load(order)) threads::sleep_thread();
  }
  NEGZERO_INLINE void notify_one() const {}
  NEGZERO_INLINE void notify_all() const {}

  NEGZERO_INLINE T fetch_add(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return static_cast<T>(old + value); });
  }
  NEGZERO_INLINE T fetch_sub(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return static_cast<T>(old - value); });
  }
  NEGZERO_INLINE T fetch_and(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return static_cast<T>(old & value); });
  }
  NEGZERO_INLINE T fetch_or(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return static_cast<T>(old | value); });
  }
  NEGZERO_INLINE T fetch_xor(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return static_cast<T>(old ^ value); });
  }
  NEGZERO_INLINE T fetch_max(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return old < value ? value : old; });
  }
  NEGZERO_INLINE T fetch_min(T value, memory_order order = memory_order_seq_cst) const {
    return update(order, [value](T old) { return value < old ? value : old; });
  }

  NEGZERO_INLINE operator T() const { return load(); }
  NEGZERO_INLINE T operator+=(T value) const { return static_cast<T>(fetch_add(value) + value); }
  NEGZERO_INLINE T operator-=(T value) const { return static_cast<T>(fetch_sub(value) - value); }
  NEGZERO_INLINE T operator&=(T value) const { return fetch_and(value) & value; }
  NEGZERO_INLINE T operator|=(T value) const { return fetch_or(value) | value; }
  NEGZERO_INLINE T operator^=(T value) const { return fetch_xor(value) ^ value; }
  NEGZERO_INLINE T operator++() const { return *this += 1; }
  NEGZERO_INLINE T operator++(int) const { return fetch_add(1); }
  NEGZERO_INLINE T operator--() const { return *this -= 1; }
  NEGZERO_INLINE T operator--(int) const { return fetch_sub(1); }

 private:
  using Bits =
      ::std::conditional_t<sizeof(T) == 8, ::std::uint64_t,
                           ::std::conditional_t<sizeof(T) == 4, ::std::uint32_t,
                                                ::std::conditional_t<sizeof(T) == 2, ::std::uint16_t, ::std::uint8_t>>>;
  static_assert(sizeof(T) == sizeof(Bits), "negzero: atomics of 1, 2, 4 or 8 bytes");

  NEGZERO_INLINE T* address() const { return static_cast<const Self*>(this)->negzero_address(); }
  NEGZERO_INLINE auto bits() const { return reinterpret_cast<Bits __attribute__((may_alias))*>(address()); }

  template <typename Change>
  NEGZERO_INLINE T update(memory_order order, Change change) const {
    if (order != memory_order_relaxed && order != memory_order_acquire && order != memory_order_consume)
      order_memory<Scope>();
    const T old = host::global::atomic_update(address(), change);
    if (order != memory_order_relaxed && order != memory_order_release) order_memory<Scope>();
    return old;
  }
};

}  // namespace details

template <typename T, thread_scope Scope = thread_scope_system>
class atomic_ref : public details::AtomicObject<atomic_ref<T, Scope>, T, Scope> {
 public:
  NEGZERO_INLINE explicit atomic_ref(T& object) : address_(&object) {}
  atomic_ref(const atomic_ref&) = default;
  atomic_ref& operator=(const atomic_ref&) = delete;
  NEGZERO_INLINE T operator=(T value) const { return this->store(value), value; }
  NEGZERO_INLINE T* negzero_address() const { return address_; }

 private:
  T* address_;
};

/// Trivial, so that it can lie in shared memory, where no constructor runs.
template <typename T, thread_scope Scope = thread_scope_system>
class atomic : public details::AtomicObject<atomic<T, Scope>, T, Scope> {
 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  NEGZERO_INLINE T operator=(T value) { return this->store(value), value; }
  NEGZERO_INLINE T* negzero_address() const { return const_cast<T*>(&value_); }

 private:
  T value_;
};

NEGZERO_INLINE void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order == memory_order_relaxed) return;
  if (scope == thread_scope_block) return details::order_memory<thread_scope_block>();
  details::order_memory<thread_scope_device>();
}

}  // namespace NEGZERO_BUILD

/// libcu++'s own standard library: names of the host's, but for atomics, which are those above.
namespace std {
using namespace ::std;
template <typename T>
using atomic = ::cuda::atomic<T>;
template <typename T>
using atomic_ref = ::cuda::atomic_ref<T>;
using ::cuda::atomic_thread_fence;
}  // namespace std
}  // namespace cuda
