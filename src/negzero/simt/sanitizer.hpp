// The address sanitizer's view of fibers and shared memory; nothing in builds without it.

#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NEGZERO_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEGZERO_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef NEGZERO_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace negzero::simt {

#ifdef NEGZERO_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
inline void poison_memory(const void* address, std::size_t size_bytes) {
  __asan_poison_memory_region(address, size_bytes);
}
inline void unpoison_memory(const void* address, std::size_t size_bytes) {
  __asan_unpoison_memory_region(address, size_bytes);
}
/// Announces a jump to the stack [bottom, bottom + size_bytes). A null `fake_stack` says that this stack is left for
/// good.
inline void before_switch(void** fake_stack, const void* bottom, std::size_t size_bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, size_bytes);
}
/// Ends a jump on the stack that was reached; reports the bounds of the one that was left.
inline void after_switch(void* fake_stack, const void** bottom_left, std::size_t* size_bytes_left) {
  __sanitizer_finish_switch_fiber(fake_stack, bottom_left, size_bytes_left);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison_memory(const void*, std::size_t) {}
inline void unpoison_memory(const void*, std::size_t) {}
inline void before_switch(void**, const void*, std::size_t) {}
inline void after_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace negzero::simt
