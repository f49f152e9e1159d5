// System calls that carry the key of the runtime.

#include <atomic>
#include <cerrno>
#include <mutex>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/engine/runtime_calls.hpp>

namespace negzero::engine {

namespace {

constexpr std::size_t kStep = std::size_t{1} << 21;

RuntimeKey runtime;
std::mutex place_mutex;

/// Clears the registers in which the key went to the kernel: a later call by other code would carry it.
inline void forget_key() noexcept {
#if defined(__x86_64__)
  asm volatile("xor %%r8d, %%r8d\n xor %%r9d, %%r9d" : : : "r8", "r9", "cc");
#elif defined(__aarch64__)
  asm volatile("mov x4, #0\n mov x5, #0" : : : "x4", "x5");
#endif
}

/// A call whose sixth argument the kernel does not read.
int keyed(long number, void* start, std::size_t size_bytes, int what) noexcept {
  const long result = ::syscall(number, start, size_bytes, static_cast<long>(what), 0L, 0L, runtime.key);
  forget_key();
  return static_cast<int>(result);
}

std::byte* map_at_next_place(std::size_t size_bytes, int protection, int kind, int descriptor) noexcept {
  const std::lock_guard lock(place_mutex);
  if (runtime.place != 0) {
    void* const wanted = reinterpret_cast<void*>(runtime.place);
    void* const made = ::mmap(wanted, size_bytes, protection, kind | MAP_FIXED_NOREPLACE, descriptor, 0);
    if (made != MAP_FAILED) {
      // What is unmapped leaves a hole: the range is large enough for all that a process lives to map.
      runtime.place += (size_bytes + kStep - 1) / kStep * kStep + kStep;
      return static_cast<std::byte*>(made);
    }
  }
  void* const made = ::mmap(nullptr, size_bytes, protection, kind, descriptor, 0);
  return made == MAP_FAILED ? nullptr : static_cast<std::byte*>(made);
}

#if defined(__x86_64__) || defined(__aarch64__)
/// As the kernel has it, which is not as the C library does.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};
#endif

#if defined(__x86_64__)
// What a handler returns to. Debuggers and unwinders know these very bytes.
extern "C" void negzero_return_from_handler();
asm(R"(
  .text
  .p2align 4
  .type negzero_return_from_handler, @function
negzero_return_from_handler:
  movq $15, %rax
  syscall
  .size negzero_return_from_handler, .-negzero_return_from_handler
)");
constexpr unsigned long kHasRestorer = 0x04000000;  // SA_RESTORER
#elif defined(__aarch64__)
// The kernel brings its own.
constexpr void (*negzero_return_from_handler)() = nullptr;
constexpr unsigned long kHasRestorer = 0;
#endif

}  // namespace

void set_runtime_key(RuntimeKey key) noexcept { runtime = key; }

std::byte* map_device_memory(std::size_t size_bytes, int descriptor) noexcept {
  const int kind = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  return map_at_next_place(size_bytes, PROT_READ | PROT_WRITE, kind, descriptor);
}

std::byte* reserve_device_memory(std::size_t size_bytes) noexcept {
  return map_at_next_place(size_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

int unmap_device_memory(void* start, std::size_t size_bytes) noexcept {
  return keyed(SYS_munmap, start, size_bytes, 0);
}

int protect_device_memory(void* start, std::size_t size_bytes, int protection) noexcept {
  return keyed(SYS_mprotect, start, size_bytes, protection);
}

int advise_device_memory(void* start, std::size_t size_bytes, int advice) noexcept {
  return keyed(SYS_madvise, start, size_bytes, advice);
}

int handle_fault(int signal, void (*handler)(int, siginfo_t*, void*), int flags) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  if (runtime.key != 0) {
    const KernelAction action{handler, static_cast<unsigned long>(flags) | kHasRestorer, negzero_return_from_handler,
                              0};
    const long result = ::syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask, runtime.key, 0L);
    forget_key();
    return static_cast<int>(result);
  }
#endif
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = flags;
  return ::sigaction(signal, &action, nullptr);
}

}  // namespace negzero::engine
