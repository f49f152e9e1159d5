// What a watched launch knows about memory: who may read and write which byte, and who last did.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/engine/observer.hpp>
#include <negzero/engine/stream.hpp>

namespace negzero::watch {

enum class FindingKind : std::uint8_t {
  OutOfBounds,    ///< an address in no buffer, or a byte of a buffer that is part of no element
  Uninitialised,  ///< a read of a byte that nothing has written
  Forbidden,      ///< a read of a byte that the contract does not let the kernel read, or a write to an input
  Race,           ///< two accesses that nothing orders, at least one of them a write, not both atomic
  EqualStores,    ///< a race of two plain stores of one same value
  Misaligned,     ///< an address that is no multiple of the size of the access: an error on a GPU
};

/// "out_of_bounds", "uninitialised", "forbidden", "race", "equal_stores" or "misaligned".
[[nodiscard]] const char* to_string(FindingKind kind) noexcept;

/// One access as a finding names it.
struct WatchedAccess {
  std::string what;   ///< "read", "write", "atomic", "volatile read" ...
  std::string place;  ///< "file:line", or "program+0x1234" where no debug information is found
  engine::Coordinates block, thread;
  unsigned size_bytes = 0;
};

/// How a warning of Watch::by_value() begins.
inline constexpr std::string_view kByValue = "ordered by a shuffle's value only: ";

/// What a watched launch ended with.
struct WatchFinding {
  FindingKind kind = FindingKind::OutOfBounds;
  WatchedAccess access;
  std::optional<WatchedAccess> other;  ///< the earlier access of a race
  std::string where;                   ///< buffer and element: "element 12 of a", "4 bytes past the 48 bytes of a"
  std::string message;                 ///< all of it as one sentence
};

/// What the caller allows for bytes of a region.
enum class Permission : std::uint8_t {
  None = 0,   ///< not to be touched: padding between rows
  Read = 1,   ///< an input
  Write = 2,  ///< written only: it must not be read, not even after a write
  ReadWrite = 3,
};

/// Memory that a kernel may use. Byte offsets count from `begin`.
struct WatchedRegion {
  const void* begin = nullptr;
  std::size_t size_bytes = 0;
  std::size_t element_bytes = 4;  ///< 0: unknown, and findings count bytes
  std::string name;
  /// Says in words which element a byte belongs to; "element 12 of a" where it is empty.
  std::function<std::string(std::size_t byte)> describe{};
  /// Says an element in words; its bytes where it is empty.
  std::function<std::string(const std::byte* element)> value{};
};

class WatchState;

/// The watch over the launches of one stream: give observer() to engine::Settings::observer. Regions stay until
/// clear().
///
/// A kernel file that was compiled for watching reports each load and store. One that touches memory outside every
/// region, its own stack, read-only data of the program and the launch's arguments ends the launch with a finding,
/// before the access happens.
///
/// Two accesses that nothing orders, at least one of them a write and not both atomic, are a race. One exception: the
/// CUDA C++ Programming Guide ("Atomic Functions", atomicAdd of double by atomicCAS) starts its loop with a plain read
/// of the address, whose value only the compare and swap that follows decides about. A plain read of at most 8 bytes
/// that is unordered with atomics alone is therefore confirmed, and no race with them, if the next atomic, barrier,
/// warp operation or fence of its thread is an atomicCAS that covers its bytes: the same place, or the word around it.
/// The finding of any other such read comes at that operation, at the end of the thread, or when one instruction reads
/// the place again, as in a loop that waits for a flag. A plain write is never confirmed, nor a read that races with
/// one. What a kernel does with a read value besides the compare and swap is not looked at. A loop that is left on the
/// first value alone, without having compared, has a race. A loop that waits by plain reads and then compares and swaps
/// is found under schedules in which it waits: where the first value lets it through, it does what the guide's loop
/// does.
///
/// A 16-bit number is often changed by an atomicCAS of the aligned word around it, where the GPU or the type has no
/// atomic of its own (PyTorch's gpuAtomicAdd of __half). Two bytes of that word belong to no element where the number
/// is the last of a region or lies beside bytes that must not be touched. An atomicCAS of such a word that changes none
/// of those bytes is a warning, one for each line of source, and so is a plain read of it that the thread's next
/// atomic, barrier, warp operation or fence confirms, as above, by an atomicCAS of the same word.
///
/// Launches of a watched stream run on one host thread, and are ordered one after another. Not for use from two host
/// threads at a time.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Forgets all regions and the finding.
  void clear();
  /// Adds a region whose bytes have one permission. Regions may not overlap. Returns its index.
  std::size_t add(WatchedRegion region, Permission permission, bool initialised);
  /// Says that addresses `around` a buffer, none of them memory but what are regions of their own, mean places in it:
  /// an access there is out of bounds, and named by how far it lies from the buffer's beginning.
  void add_nowhere(WatchedRegion buffer, std::span<const std::byte> around);
  /// Changes the permission of bytes [first, first + count) of a region.
  void set(std::size_t region, std::size_t first, std::size_t count, Permission permission, bool initialised);
  /// Why a byte with Permission::None or Write must not be read, as the end of a sentence, for reports.
  void set_reason(std::size_t region, std::string reason);

  /// The finding that ended a launch. Places are looked up when this is asked for the first time.
  [[nodiscard]] const std::optional<WatchFinding>& finding();
  /// The first two stores of one same value that nothing orders. They end no launch, so that they hide nothing else.
  [[nodiscard]] std::optional<WatchFinding> equal_stores() const;
  /// Races of two lanes of one warp that both took part in a shuffle, vote, match or reduction after the first access
  /// and before the second, once for each pair of lines, as warnings that begin with kByValue. They end no launch. Such
  /// a function orders no memory (BlockClocks::meet()), but GPUs hold its lanes together until all have come, so that
  /// what is at fault is the source and seldom a value.
  [[nodiscard]] std::vector<std::string> by_value() const;
  /// What else was legal but suspicious since clear(), each once.
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept;
  /// Whether a kernel has touched variables at namespace scope (`__device__`) since clear(): what a launch that was
  /// ended leaves in them, the next one meets.
  [[nodiscard]] bool saw_variables() const noexcept;

  /// What the engine reports to.
  [[nodiscard]] engine::Observer& observer() noexcept;

 private:
  std::unique_ptr<WatchState> state_;
};

}  // namespace negzero::watch
