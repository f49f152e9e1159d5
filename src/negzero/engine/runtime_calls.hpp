// System calls on device memory and fault handlers that the confinement of a worker permits to its runtime alone.
//
// The filter asks for a key in a register that the call leaves unread; the worker's parent makes the key, and sends it
// once the program runs. Without a key, as in a process that nothing confines, these are the plain calls.

#pragma once

#include <cstddef>
#include <cstdint>

#include <signal.h>

namespace negzero::engine {

/// What a parent sends to a worker. All 0: no key is needed, memory lies where the system puts it.
struct RuntimeKey {
  std::uint64_t key = 0;
  std::uintptr_t place = 0;  ///< the first address for device memory, in a range that holds nothing else
};
void set_runtime_key(RuntimeKey key) noexcept;

/// Maps memory at the next free address of the range of device memory: the shared file `descriptor`, or anonymous
/// memory of this process where it is -1. Null where the system refuses.
[[nodiscard]] std::byte* map_device_memory(std::size_t size_bytes, int descriptor) noexcept;
/// Reserves addresses there without memory behind them: what touches them faults, until protect_device_memory() opens a
/// part, which is zeros then. Less than 1 TiB in one call. Null where the system refuses.
[[nodiscard]] std::byte* reserve_device_memory(std::size_t size_bytes) noexcept;
/// munmap(), mprotect() and madvise(). Return 0, or -1 and set errno.
int unmap_device_memory(void* start, std::size_t size_bytes) noexcept;
int protect_device_memory(void* start, std::size_t size_bytes, int protection) noexcept;
int advise_device_memory(void* start, std::size_t size_bytes, int advice) noexcept;

/// Installs a handler for SIGSEGV or SIGBUS that blocks no other signal while it runs. Returns 0, or -1 and sets errno.
/// `flags` as in sigaction(); SA_SIGINFO is among them.
int handle_fault(int signal, void (*handler)(int, siginfo_t*, void*), int flags) noexcept;

}  // namespace negzero::engine
