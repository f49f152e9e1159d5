// The functions that compilers call for each load and store under -fsanitize=thread, for kernel files compiled to be
// watched. The sanitizer itself is never linked: its names are ours here. Plain builds of files that use `volatile`
// call them too, to no other end than that a spinning thread lets others run.
//
// What a watched kernel does between two hooks is its own code and CUDA's words; the engine runs with the hooks off.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <negzero/engine/fiber.hpp>
#include <negzero/watch/access.hpp>
#include <negzero/watch/seam.hpp>

#ifndef NEGZERO_SANITIZE

using negzero::engine::current;
using negzero::engine::FenceScope;
using negzero::watch::AccessKind;
using negzero::watch::listening;
using negzero::watch::on_duty;
using negzero::watch::Reading;

namespace {

/// A device thread that clears `listening` is watched all the same: its next access to a buffer, or just beside
/// one, switches the watch on again. The engine, which runs with the hooks off, touches none. False elsewhere.
bool resumes(std::uintptr_t at) {
  if (on_duty == nullptr || !on_duty->is_at_a_buffer(at)) return false;
  listening = on_duty;
  return true;
}

/// threadIdx and its like live in `current`, which is no memory of a kernel.
inline bool is_current(std::uintptr_t at) { return at - reinterpret_cast<std::uintptr_t>(&current) < sizeof current; }

template <AccessKind kKind>
inline __attribute__((always_inline)) void report(const volatile void* address, std::size_t size_bytes,
                                                  const void* site) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (is_current(at) || (listening == nullptr && !resumes(at))) return;
  listening->access<kKind>(at, size_bytes, site);
}

template <AccessKind kKind, std::size_t kBytes, Reading kReading>
__attribute__((noinline)) void report_in_full(std::uintptr_t at, const void* site) {
  listening->access<kKind, kReading>(at, kBytes, site);
}

template <AccessKind kKind, std::size_t kBytes>
__attribute__((noinline, cold)) void report_misaligned(std::uintptr_t at, const void* site) {
  listening->misaligned(at, kKind, kBytes, site, {});
}

template <AccessKind kKind, std::size_t kBytes, Reading kReading>
__attribute__((noinline, cold)) void report_unwatched(std::uintptr_t at, const void* site) {
  if (is_current(at) || !resumes(at)) return;
  if (at % kBytes != 0) listening->misaligned(at, kKind, kBytes, site, {});
  listening->access<kKind, kReading>(at, kBytes, site);
}

/// The same for an access whose type is as aligned as it is large. The most common one, a read of an input, needs no
/// frame.
template <AccessKind kKind, std::size_t kBytes, Reading kReading = Reading::Use>
inline __attribute__((always_inline)) void report_aligned(const volatile void* address, const void* site) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (listening == nullptr) [[unlikely]]
    return report_unwatched<kKind, kBytes, kReading>(at, site);
  if (is_current(at)) return;
  if (at % kBytes != 0) [[unlikely]]
    return report_misaligned<kKind, kBytes>(at, site);
  if (kKind == AccessKind::Read && listening->reads_input(at, kBytes)) return;
  report_in_full<kKind, kBytes, kReading>(at, site);
}

void report_copy(void* to, const void* from, std::size_t size_bytes, const void* site) {
  if (size_bytes == 0) return;
  const auto target = reinterpret_cast<std::uintptr_t>(to);
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  if (listening == nullptr && !resumes(target) && !resumes(source)) return;
  if (is_current(source)) {
    listening->access<AccessKind::Write>(target, size_bytes, site);
  } else {
    listening->copy(target, source, size_bytes, site);
  }
}

/// What the compiler says about an array or a pointer: the layout is that of the undefined behaviour sanitizer.
struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeDescriptor {
  std::uint16_t kind, info;
  char name[1];
};
/// The value of an index as the sanitizer hands it over. `info` of an integer type is log2 of its bits, times 2, plus 1
/// where it is signed; what has more bits than a pointer comes by its address.
std::intptr_t value_of(std::uintptr_t handed, const TypeDescriptor& type) {
  const unsigned bits = 1u << (type.info >> 1);
  if (bits > 64) return static_cast<std::intptr_t>(*reinterpret_cast<const std::uint64_t*>(handed));
  if ((type.info & 1) == 0) return static_cast<std::intptr_t>(handed);
  return static_cast<std::intptr_t>(handed << (64 - bits)) >> (64 - bits);
}
struct OutOfBounds {
  SourceLocation place;
  const TypeDescriptor* array_type;
  const TypeDescriptor* index_type;
};
struct TypeMismatch {
  SourceLocation place;
  const TypeDescriptor* type;
  unsigned char log_alignment;
  unsigned char check;
};

template <AccessKind kKind>
inline __attribute__((always_inline)) void report_atomic(const volatile void* address, std::size_t size_bytes,
                                                         const void* site) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (listening == nullptr && !resumes(at)) return;
  if (at % size_bytes != 0) listening->misaligned(at, kKind, size_bytes, site, {});
  listening->access<kKind>(at, size_bytes, site);
}

/// `changes`: the bits that differ between what is expected and what is stored in its place.
template <typename T, typename Changes>
inline __attribute__((always_inline)) void report_compare(const volatile T* address, Changes changes,
                                                          const void* site) {
  if (listening == nullptr && !resumes(reinterpret_cast<std::uintptr_t>(address))) return;
  listening->about_to_swap(static_cast<T>(changes));
  report_atomic<AccessKind::AtomicCompare>(address, sizeof(T), site);
}

}  // namespace

#define NEGZERO_SITE __builtin_return_address(0)
#define NEGZERO_HOOKS(size)                                                                                      \
  void __tsan_read##size(void* p) { report_aligned<AccessKind::Read, size>(p, NEGZERO_SITE); }                   \
  void __tsan_write##size(void* p) { report_aligned<AccessKind::Write, size>(p, NEGZERO_SITE); }                 \
  void __tsan_unaligned_read##size(void* p) { report<AccessKind::Read>(p, size, NEGZERO_SITE); }                 \
  void __tsan_unaligned_write##size(void* p) { report<AccessKind::Write>(p, size, NEGZERO_SITE); }               \
  void __tsan_read_write##size(void* p) {                                                                        \
    report<AccessKind::Read>(p, size, NEGZERO_SITE);                                                             \
    report<AccessKind::Write>(p, size, NEGZERO_SITE);                                                            \
  }                                                                                                              \
  void __tsan_unaligned_read_write##size(void* p) {                                                              \
    report<AccessKind::Read>(p, size, NEGZERO_SITE);                                                             \
    report<AccessKind::Write>(p, size, NEGZERO_SITE);                                                            \
  }                                                                                                              \
  void __tsan_volatile_write##size(void* p) { report_volatile<AccessKind::AtomicStore>(p, size, NEGZERO_SITE); } \
  void __tsan_unaligned_volatile_write##size(void* p) {                                                          \
    report_volatile<AccessKind::AtomicStore>(p, size, NEGZERO_SITE);                                             \
  }                                                                                                              \
  NEGZERO_VOLATILE_READ(volatile_read##size, size)                                                               \
  NEGZERO_VOLATILE_READ(unaligned_volatile_read##size, size)

#ifdef NEGZERO_DIRECT_WAITS
// A thread that waits reads a volatile: its registers are kept where they can be looked at, as by with_context. Above
// the six of them lies the address where the kernel goes on.
asm(R"(
  .macro negzero_volatile_read name
  .p2align 4
  .globl __tsan_\name
  .type __tsan_\name, @function
__tsan_\name:
  )" NEGZERO_PUSH_PRESERVED R"(
  movq %rsp, %rsi
  subq $8, %rsp
  call negzero_watched_\name@PLT
  addq $56, %rsp
  ret
  .size __tsan_\name, .-__tsan_\name
  .endm
)");
#define NEGZERO_VOLATILE_READ(name, size)                                                                   \
  asm(".text\n negzero_volatile_read " #name);                                                              \
  void negzero_watched_##name(void* p, const void* context) {                                               \
    report_volatile<AccessKind::AtomicRead>(p, size, static_cast<const void* const*>(context)[6], context); \
  }
#else
#define NEGZERO_VOLATILE_READ(name, size) \
  void __tsan_##name(void* p) { report_volatile<AccessKind::AtomicRead>(p, size, NEGZERO_SITE); }
#endif

namespace {
/// A spinning thread must let others run, watched or not.
template <AccessKind kKind>
inline __attribute__((always_inline)) void report_volatile(const volatile void* address, std::size_t size_bytes,
                                                           const void* site, const void* context = nullptr) {
  negzero::watch::spend_yield_point(context);
  if constexpr (writes(kKind)) current.has_changed = true;
  report<kKind>(address, size_bytes, site);
}
}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

NEGZERO_HOOKS(1)
NEGZERO_HOOKS(2)
NEGZERO_HOOKS(4)
NEGZERO_HOOKS(8)
NEGZERO_HOOKS(16)

void __tsan_read_range(void* p, std::size_t size) {
  if (size > 0) report<AccessKind::Read>(p, size, NEGZERO_SITE);
}
void __tsan_write_range(void* p, std::size_t size) {
  if (size > 0) report<AccessKind::Write>(p, size, NEGZERO_SITE);
}
// What memcpy, memmove and memset are to watched objects (watched_calls.hpp).
void* negzero_watched_memcpy(void* to, const void* from, std::size_t size) {
  report_copy(to, from, size, NEGZERO_SITE);
  return std::memcpy(to, from, size);
}
void* negzero_watched_memmove(void* to, const void* from, std::size_t size) {
  report_copy(to, from, size, NEGZERO_SITE);
  return std::memmove(to, from, size);
}
void* negzero_watched_memset(void* to, int value, std::size_t size) {
  if (size > 0) report<AccessKind::Write>(to, size, NEGZERO_SITE);
  return std::memset(to, value, size);
}
// What loads of these sizes are to watched objects of g++.
void negzero_watched_read2(void* p) { report_aligned<AccessKind::Read, 2, Reading::MaybeLess>(p, NEGZERO_SITE); }
void negzero_watched_read4(void* p) { report_aligned<AccessKind::Read, 4, Reading::MaybeLess>(p, NEGZERO_SITE); }
void negzero_watched_read8(void* p) { report_aligned<AccessKind::Read, 8, Reading::MaybeLess>(p, NEGZERO_SITE); }
// Newer versions of clang have names of their own for them.
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  report_copy(to, from, size, NEGZERO_SITE);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  report_copy(to, from, size, NEGZERO_SITE);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  if (size > 0) report<AccessKind::Write>(to, size, NEGZERO_SITE);
  return std::memset(to, value, size);
}

// Orders are always relaxed: CUDA's atomics are, and whatever else a kernel file uses runs on one host thread here.
#define NEGZERO_ATOMIC_UPDATE(bits, type, name, builtin)                    \
  type __tsan_atomic##bits##_##name(volatile type* p, type value, int) {    \
    report_atomic<AccessKind::AtomicUpdate>(p, sizeof(type), NEGZERO_SITE); \
    return builtin(p, value, __ATOMIC_RELAXED);                             \
  }
#define NEGZERO_ATOMICS(bits, type)                                                                            \
  type __tsan_atomic##bits##_load(const volatile type* p, int) {                                               \
    report_atomic<AccessKind::AtomicRead>(p, sizeof(type), NEGZERO_SITE);                                      \
    return __atomic_load_n(p, __ATOMIC_RELAXED);                                                               \
  }                                                                                                            \
  void __tsan_atomic##bits##_store(volatile type* p, type value, int) {                                        \
    report_atomic<AccessKind::AtomicStore>(p, sizeof(type), NEGZERO_SITE);                                     \
    __atomic_store_n(p, value, __ATOMIC_RELAXED);                                                              \
  }                                                                                                            \
  type __tsan_atomic##bits##_exchange(volatile type* p, type value, int) {                                     \
    report_atomic<AccessKind::AtomicExchange>(p, sizeof(type), NEGZERO_SITE);                                  \
    return __atomic_exchange_n(p, value, __ATOMIC_RELAXED);                                                    \
  }                                                                                                            \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                             \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                             \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                             \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                               \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                             \
  NEGZERO_ATOMIC_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                           \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* p, type* expected, type value, int, int) {  \
    report_compare(p, *expected ^ value, NEGZERO_SITE);                                                        \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? 1 : 0; \
  }                                                                                                            \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* p, type* expected, type value, int, int) {    \
    report_compare(p, *expected ^ value, NEGZERO_SITE);                                                        \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ? 1 : 0; \
  }                                                                                                            \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* p, type expected, type value, int, int) {     \
    report_compare(p, expected ^ value, NEGZERO_SITE);                                                         \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);               \
    return expected;                                                                                           \
  }
NEGZERO_ATOMICS(8, unsigned char)
NEGZERO_ATOMICS(16, unsigned short)
NEGZERO_ATOMICS(32, unsigned)
NEGZERO_ATOMICS(64, unsigned long)

void __tsan_atomic_thread_fence(int) {
  if (listening != nullptr) listening->fence(FenceScope::Device);
}
void __tsan_atomic_signal_fence(int) {}

// -fsanitize=alignment: a compiler may split a vector load before the hooks see it, so their addresses do not show it.
void __ubsan_handle_type_mismatch_v1(TypeMismatch* data, std::uintptr_t pointer) {
  if (listening == nullptr || pointer % (std::uintptr_t{1} << data->log_alignment) == 0) return;
  // A store, or a member function or constructor called on the object: of ours, only copies have those.
  const bool store = data->check == 1 || data->check == 4 || data->check == 5;
  listening->misaligned(pointer, store ? AccessKind::Write : AccessKind::Read, std::size_t{1} << data->log_alignment,
                        NEGZERO_SITE, {});
}
void __ubsan_handle_type_mismatch_v1_abort(TypeMismatch* data, std::uintptr_t pointer) {
  __ubsan_handle_type_mismatch_v1(data, pointer);
}

// -fsanitize=bounds: the shadow knows buffers, not the arrays in them, nor those of a thread's own.
void __ubsan_handle_out_of_bounds(OutOfBounds* data, std::uintptr_t index) {
  if (listening == nullptr) return;
  listening->index_outside(data->place.file, data->place.line, data->array_type->name,
                           value_of(index, *data->index_type), NEGZERO_SITE);
}
void __ubsan_handle_out_of_bounds_abort(OutOfBounds* data, std::uintptr_t index) {
  __ubsan_handle_out_of_bounds(data, index);
}

}  // extern "C"

#endif
