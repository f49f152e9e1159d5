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

namespace negzero::engine {

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
/// Forgets what the frames of the running stack, up to `top`, have poisoned. To be called last on a stack that is left
/// for good: no frame on it returns, and other frames will lie where these do. (Parameters that a caller passes in
/// memory have no frame of their own: clang checks them against whatever is left there.)
[[gnu::noinline]] inline void forget_frames(const std::byte* top) {
  const auto* const here = static_cast<const std::byte*>(__builtin_frame_address(0));
  unpoison_memory(here, static_cast<std::size_t>(top - here));
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
inline void forget_frames(const std::byte*) {}
inline void after_switch(void*, const void**, std::size_t*) {}
#endif

}  // namespace negzero::engine
