// CUDA's loads and stores with cache hints, and address spaces, on the host.

#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <negzero/cuda/threads.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

// With a hint they are ordinary loads and stores.
#define NEGZERO_LOAD(name)                  \
  template <typename T>                     \
  NEGZERO_INLINE T name(const T* address) { \
    return *address;                        \
  }
#define NEGZERO_STORE(name)                                                    \
  template <typename T>                                                        \
  NEGZERO_INLINE void name(T* address, const std::type_identity_t<T>& value) { \
    *address = value;                                                          \
  }
NEGZERO_LOAD(__ldg)
NEGZERO_LOAD(__ldca)
NEGZERO_LOAD(__ldcg)
NEGZERO_LOAD(__ldcs)
NEGZERO_LOAD(__ldlu)
NEGZERO_LOAD(__ldcv)
NEGZERO_STORE(__stwb)
NEGZERO_STORE(__stcg)
NEGZERO_STORE(__stcs)
NEGZERO_STORE(__stwt)
#undef NEGZERO_LOAD
#undef NEGZERO_STORE

/// Whether a generic pointer is to shared memory, as on the device.
[[nodiscard]] NEGZERO_INLINE unsigned __isShared(const void* address) { return threads::is_shared(address) ? 1u : 0u; }
[[nodiscard]] NEGZERO_INLINE unsigned __isGlobal(const void* address) { return threads::is_shared(address) ? 0u : 1u; }

/// Offsets into the shared memory of the block: they fit into 32 bits, as on the device, where kernels keep them so.
NEGZERO_INLINE std::size_t __cvta_generic_to_shared(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - threads::shared_begin();
}
NEGZERO_INLINE void* __cvta_shared_to_generic(std::size_t offset) {
  return reinterpret_cast<void*>(threads::shared_begin() + offset);
}
NEGZERO_INLINE std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}
NEGZERO_INLINE void* __cvta_global_to_generic(std::size_t address) { return reinterpret_cast<void*>(address); }

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global
