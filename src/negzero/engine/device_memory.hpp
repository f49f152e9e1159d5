// Memory that only launches and copies may touch while a launch wrapper runs, as a GPU's.

#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace negzero::engine {

/// The device memory of one case, closed to host code while its launch wrapper runs.
///
///   executor: fills pages ─► close() ─► wrapper: host code ─► launch ─► host code ─► open() ─► executor: reads pages
///   pages:    open                     closed               open     closed        open
///
/// On a GPU, host code that reads or writes device memory crashes. Here its first access is noted, the pages stay open
/// and the code goes on, so that nothing has to be unwound and the process stays usable: host_access() says what
/// happened, and launches after it do nothing.
///
/// Closing is one mprotect() for each range, and opening another. Measured on a virtual machine: 0.7 us each for a
/// range in one huge page, 1.5 us for 16 KiB of small pages, 2.7 us for 64 KiB.
///
/// Needs a handler for SIGSEGV, which is installed at the first close() and passes on all that is not its own. Used
/// from one host thread at a time, but accesses by threads that the wrapper started are noted too.
///
/// In a confined worker these calls carry the runtime's key (runtime_calls.hpp), and host code that makes them itself
/// is refused. That stops what uses the system, not what calls or overwrites this class, which lies in the same memory.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  ~DeviceMemory() { open(); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Opens the memory and forgets ranges, buffers and the access.
  void reset() noexcept;
  /// Adds whole pages. Pages that follow those of the call before join their range. Not while it is closed.
  void add_pages(std::span<std::byte> pages);
  /// Names bytes within the pages, for host_access(). Buffers count in the order of addition.
  void add_buffer(std::string name, std::span<const std::byte> bytes);

  void close() noexcept;
  void open() noexcept;

  /// Whether host code has touched closed pages since reset().
  [[nodiscard]] bool was_accessed() const noexcept { return accessed_.load(std::memory_order_acquire); }
  /// "host code wrote byte 0 of y"; empty where nothing was touched.
  [[nodiscard]] std::string host_access() const;
  /// Whether the system has refused to close pages since reset(): then accesses may have gone unseen.
  [[nodiscard]] bool stayed_open() const noexcept { return stayed_open_; }

  /// Opens the pages for its lifetime: a launch, a copy, an allocation. One within another changes nothing.
  class Use {
   public:
    explicit Use(DeviceMemory* memory) noexcept : memory_(memory) {
      if (memory_ != nullptr) memory_->begin_use();
    }
    ~Use() {
      if (memory_ != nullptr) memory_->end_use();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    DeviceMemory* memory_;
  };

  /// For the signal handler: notes an access to closed pages and opens them. False where `address` lies elsewhere.
  bool take_fault(std::byte* address, bool is_write) noexcept;

 private:
  struct Buffer {
    std::string name;
    std::span<const std::byte> bytes;
  };

  void begin_use() noexcept;
  void end_use() noexcept;
  bool protect(int protection) const noexcept;
  void shut() noexcept;

  std::vector<std::span<std::byte>> ranges_;
  std::vector<Buffer> buffers_;
  bool closed_ = false;
  bool stayed_open_ = false;
  int uses_ = 0;
  std::atomic<bool> accessed_ = false;
  const std::byte* address_ = nullptr;
  bool is_write_ = false;
};

/// Installs the handler for SIGSEGV in good time, for who has no DeviceMemory closed and wants faults noted
/// (distant_memory.hpp).
void catch_faults();

/// Room for the buffers of one case after another, in as few ranges of pages as will do.
class DeviceArena {
 public:
  DeviceArena() = default;
  ~DeviceArena();
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;

  /// Takes all room back, and memory() forgets it. What was mapped stays mapped for the next case.
  void clear() noexcept;
  /// Returns `size_bytes` of room that begins at a multiple of `alignment`, a power of two of at most a page. Its pages
  /// belong to memory(). What it holds is left over. Throws std::bad_alloc where the system has no more.
  [[nodiscard]] std::span<std::byte> take(std::size_t size_bytes, std::size_t alignment);
  [[nodiscard]] DeviceMemory& memory() noexcept { return memory_; }

 private:
  struct Chunk {
    std::span<std::byte> mapped;  ///< as the system gave it
    std::span<std::byte> room;    ///< the part that begins and ends with a huge page
    std::size_t used = 0;
    std::size_t added = 0;  ///< bytes of `room` that memory() knows
  };

  [[nodiscard]] static Chunk map(std::size_t size_bytes);

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
  DeviceMemory memory_;
};

}  // namespace negzero::engine
