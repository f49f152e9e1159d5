// What a running device thread reads, and how it waits.

#pragma once

#include <cstddef>
#include <cstdint>

#include <negzero/engine/build.hpp>
#include <negzero/engine/stream.hpp>

namespace negzero::engine {

class Engine;

/// Names one NEGZERO_SHARED declaration: each has a static one. Never const, so that no linker folds two of them.
struct SharedTag {
  const char* name;
  std::size_t element_bytes;
  std::size_t extents[3];  ///< of the dimensions, from the right; 0 where there is none
  const char* format;      ///< of its elements: "F32", "F64"; nullptr: they are no numbers of these
};

/// The static shared arrays that the threads of one block have met so far.
struct SharedTable {
  struct Entry {
    const SharedTag* tag;
    std::byte* address;
    std::size_t size_bytes;
  };
  static constexpr std::size_t kCapacity = 32;
  Entry entries[kCapacity];
  std::size_t count = 0;
  std::byte* dynamic = nullptr;  ///< dynamic shared memory
  std::uintptr_t begin = 0;      ///< the whole arena, for is_shared
  std::uintptr_t size_bytes = 0;
};

/// What the device thread that runs on this host thread sees. The engine rewrites it at every switch.
///
/// A plain thread-local block, not a pointer to a thread's state: threadIdx costs one load, and a kernel without
/// barriers runs at the speed of a loop. Fibers never move between host threads, so a compiler may keep its address.
struct Current {
  Coordinates thread_index;
  std::uint32_t linear_thread = 0;
  Coordinates block_index;
  std::uint32_t countdown = 0;  ///< yield points left until the engine is asked
  std::uint32_t run_ahead = 0;  ///< threads after this one in its row that may start without asking the engine
  bool has_changed = false;     ///< something happened that others may wait for, since the engine last looked
  Extents block_dim;
  Extents grid_dim;
  SharedTable* shared = nullptr;
  const int* barrier_value = nullptr;  ///< of the block's last barrier
  Engine* engine = nullptr;            ///< null outside a kernel
};

// initial-exec: a plugin that is loaded later reaches it without a call. Not under the sanitizers: their check for null
// takes the flags of the addition that forms the address, and the linker turns that addition into a lea, which sets
// none.
#ifdef NEGZERO_SANITIZE
extern thread_local constinit Current current;
#else
extern thread_local constinit Current current __attribute__((tls_model("initial-exec")));
#endif

inline namespace NEGZERO_BUILD {

/// Makes the next thread of the row the running one, on the stack of the one that has just ended; false when the engine
/// must choose. This is what runs kernels without waits at the speed of a loop.
NEGZERO_INLINE bool advance() {
  if (current.run_ahead == 0) return false;
  --current.run_ahead;
  ++current.thread_index.x;
  ++current.linear_thread;
  return true;
}

}  // namespace NEGZERO_BUILD

/// The running thread has returned from the kernel. Returns when another thread, now the running one, is to start on
/// the same stack; does not return when none is.
void end_thread();

/// The line of a kernel file that makes a call, as the compiler knows it. The column tells two calls on one line apart.
struct CallSite {
  const char* file;
  int line;
  unsigned column;
};

enum class BarrierKind : std::uint8_t { Sync, Count, And, Or };

/// Waits until all live threads of the block have come to the same place.
extern "C" void negzero_engine_wait_at_barrier(BarrierKind kind, bool predicate, CallSite site);

enum class WarpKind : std::uint8_t {
  Sync,
  Shuffle,
  ShuffleUp,
  ShuffleDown,
  ShuffleXor,
  Ballot,
  Any,
  All,
  MatchAny,
  MatchAll,
  Add,
  Min,
  Max,
  MinSigned,
  MaxSigned,
  And,
  Or,
  Xor,
  Gather,      ///< each lane gets the bytes of all 32: what instructions on matrices need
  ActiveMask,  ///< the lanes that come together: Block::arrive_among_active()
  Coalesced    ///< the same, of which some schedules give a drawn part
};
/// Whether it is a shuffle, a vote, a match or a reduction.
[[nodiscard]] constexpr bool is_exchange(WarpKind kind) noexcept {
  return kind != WarpKind::Sync && kind < WarpKind::Gather;
}
/// Whether lanes of that kind meet without having named each other.
[[nodiscard]] constexpr bool gathers_active(WarpKind kind) noexcept { return kind >= WarpKind::ActiveMask; }

/// One lane's part in a Gather. Lanes that give different sizes do not meet.
struct Gathering {
  const void* piece;  ///< `size_bytes` bytes, which may be none
  void* all;          ///< room for 32 pieces, in the order of the lanes; those of missing lanes are poison
  std::size_t size_bytes;
};

/// One lane's part in a warp operation.
struct WarpRequest {
  std::uint64_t value = 0;      ///< operand, then the result; the address of a Gathering
  std::uint32_t mask = 0;       ///< the lanes that take part
  std::uint32_t operand = 0;    ///< source lane, delta or lane mask of a shuffle; the size of a Gathering
  std::uint32_t segment = 0;    ///< 32 - width of a shuffle
  std::uint8_t size_bytes = 4;  ///< of the value
  WarpKind kind = WarpKind::Sync;
};

/// Waits until all live lanes of `request->mask` have come to an operation of that kind and mask; where the kind
/// gathers_active(), until no other lane of the warp can come. Leaves the lane's result in `request->value`.
extern "C" void negzero_engine_exchange(WarpRequest* request, CallSite site);

/// The same where request.kind gathers_active(). Lanes come together where their calls are one instruction, reached from
/// the same place: a function that two ways of a branch call makes two calls, as a GPU's program has them, though both
/// have one line. `request.value`: what __builtin_return_address(0) is beside the call.
NEGZERO_CONVERGENT void gather_active(WarpRequest& request, CallSite site);
/// A number for the place of such a call. `from`: where it returns to, `frame`: of the function that it calls.
[[nodiscard]] std::uint64_t place_of_gathering(std::uint64_t outer, const void* from, const void* frame) noexcept;

/// Calls function(context): at `context` lie the registers that a call preserves, then the return address, then the
/// caller's frames; with the memory that others can write, that is all the caller goes on with. Null where the
/// processor's registers are not known.
extern "C" void negzero_engine_with_context(void (*function)(const void* context));

/// Lets others run: always after __nanosleep, and whenever the countdown of yield points runs out.
void yield_thread(const void* context);
void spend_countdown(const void* context);

/// Places a shared array that the block has not met yet, filled with poison.
std::byte* allocate_shared(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment);

/// A count that rises with every call: time as the host executor knows it.
std::int64_t read_clock();

/// Counts the running block in at a grid-wide barrier. Returns the number that has_grid_arrived() takes.
std::uint64_t arrive_at_grid();
/// Whether all blocks of the grid have come to that barrier. Does not wait.
[[nodiscard]] bool has_grid_arrived(std::uint64_t target);

/// Up to 16 bytes that a thread has read and that it writes when it waits for them.
struct LateCopy {
  void* to;
  std::uint64_t stage;  ///< which of the groups that the owner counts, from 1
  unsigned size_bytes;  ///< 1, 2, 4, 8 or 16
  alignas(16) unsigned char bytes[16];
};
/// Keeps a copy of the running thread, and writes poison to its target. `owner` is the address of the barrier or
/// pipeline that it belongs to, or null for groups of cp.async, which are the thread's.
void begin_late_copy(const void* owner, const LateCopy& copy);
/// Hands out the thread's oldest copy of that owner and of no stage above `last_stage`; false where it has none.
[[nodiscard]] bool take_late_copy(const void* owner, std::uint64_t last_stage, LateCopy& copy);
/// Adds `more` to the groups of cp.async that the running thread has committed. Returns how many there are.
std::uint64_t commit_late_copies(std::uint64_t more);

enum class FenceScope : std::uint8_t { Block, Device };

inline namespace NEGZERO_BUILD {

/// Tells whether an atomic has changed memory: a thread that only asks in vain does not make a launch go on.
NEGZERO_INLINE void note_change(bool changed) {
  if (changed) current.has_changed = true;
}

NEGZERO_INLINE void wait_at_barrier(BarrierKind kind, CallSite site) {
  negzero_engine_wait_at_barrier(kind, false, site);
}
/// Returns the number of threads whose predicate held for Count, 1 or 0 for And and Or.
NEGZERO_INLINE int reduce_at_barrier(BarrierKind kind, bool predicate, CallSite site) {
  negzero_engine_wait_at_barrier(kind, predicate, site);
  return *current.barrier_value;
}

NEGZERO_INLINE void exchange(WarpRequest& request, CallSite site) { negzero_engine_exchange(&request, site); }

NEGZERO_INLINE void yield_point() {
  if (--current.countdown == 0) [[unlikely]]
    negzero_engine_with_context(spend_countdown);
}
NEGZERO_INLINE void sleep_thread() { negzero_engine_with_context(yield_thread); }

NEGZERO_INLINE void fence(FenceScope) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  yield_point();
}

NEGZERO_INLINE std::byte* shared_address(const SharedTag& tag, std::size_t size_bytes, std::size_t alignment) {
  const SharedTable& table = *current.shared;
  for (std::size_t i = 0; i < table.count; ++i) {
    if (table.entries[i].tag == &tag) return table.entries[i].address;
  }
  return allocate_shared(tag, size_bytes, alignment);
}
NEGZERO_INLINE std::byte* dynamic_shared() { return current.shared->dynamic; }

/// Whether `address` lies in the shared memory of the running block. False outside a kernel.
[[nodiscard]] NEGZERO_INLINE bool is_shared(const void* address) {
  const SharedTable* table = current.shared;
  return table != nullptr && reinterpret_cast<std::uintptr_t>(address) - table->begin < table->size_bytes;
}

/// Where the shared memory of the running block begins.
[[nodiscard]] NEGZERO_INLINE std::uintptr_t shared_begin() { return current.shared->begin; }

NEGZERO_INLINE std::int64_t clock_count() { return read_clock(); }

}  // namespace NEGZERO_BUILD

/// One launch as the templates of launch hand it over.
struct Grid {
  Coordinates blocks;
  Coordinates threads;
  std::size_t dynamic_shared_bytes = 0;
  bool uses_fma = false;                          ///< the kernel's object was compiled for CPUs that have FMA
  void (*body)(const void* arguments) = nullptr;  ///< runs threads for ever: advance(), end_thread()
  const void* arguments = nullptr;
  std::size_t arguments_bytes = 0;
};

/// Runs all threads of a grid and records the outcome in `stream`.
void run_grid(Stream& stream, const Grid& grid);

}  // namespace negzero::engine
