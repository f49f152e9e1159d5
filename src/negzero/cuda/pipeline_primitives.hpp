// __pipeline_memcpy_async() and its like on the host: groups of cp.async, which each thread commits and waits for.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/cuda/late_copies.hpp>

namespace negzero::cuda_on_host::global {
inline namespace NEGZERO_BUILD {

/// Begins to copy 4, 8 or 16 bytes, aligned as such, from global to shared memory. The last `zeros` bytes of the target
/// are filled with 0 instead. Any other size is an error of CUDA's too.
NEGZERO_INLINE void __pipeline_memcpy_async(void* to, const void* from, std::size_t size_bytes, std::size_t zeros = 0) {
  const std::uint64_t stage = threads::commit_late_copies(0) + 1;
  if ((size_bytes != 4 && size_bytes != 8 && size_bytes != 16) || zeros > size_bytes) __builtin_trap();
  if (zeros != 0) {
    begin_copies<unsigned char>(to, from, size_bytes, zeros, nullptr, stage);
  } else {
    begin_copy(to, from, size_bytes, size_bytes, nullptr, stage);
  }
}
NEGZERO_INLINE void __pipeline_commit() { threads::commit_late_copies(1); }
/// Waits until all committed groups but the last `prior` have arrived.
NEGZERO_INLINE void __pipeline_wait_prior(std::size_t prior) {
  const std::uint64_t committed = threads::commit_late_copies(0);
  if (committed > prior) end_copies(nullptr, committed - prior);
}

}  // namespace NEGZERO_BUILD
}  // namespace negzero::cuda_on_host::global
