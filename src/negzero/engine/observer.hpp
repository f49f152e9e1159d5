// What an engine says about a launch while it runs it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace negzero::engine {

struct Grid;
struct Schedule;
struct SharedTable;

/// Hears what happens in the launches of a stream: give its address to Settings::observer.
///
/// An observed launch runs on one host thread, which makes all calls. Those about blocks and threads come on the stack
/// of a device thread, and may end the launch by Engine::end_launch(). `slot` is the number of a resident block among
/// the resident ones; blocks that follow each other share a slot.
class Observer {
 public:
  virtual void launch_began(const Grid& grid, const Schedule& schedule) = 0;
  /// Comes after each launch_began() that returned. Blocks that are resident after an exception have not ended.
  virtual void launch_ended() noexcept = 0;

  /// The block of index `linear` has begun in a slot, with its dynamic shared memory laid out in `shared`.
  virtual void block_began(std::size_t slot, std::uint64_t linear, unsigned threads, const SharedTable& shared,
                           std::size_t dynamic_bytes) = 0;
  /// Threads of that block run from now on.
  virtual void block_entered(std::size_t slot) noexcept = 0;
  virtual void block_ended(std::size_t slot) noexcept = 0;
  /// The block has met a static shared array for the first time.
  virtual void array_placed(std::size_t slot, const std::byte* address, std::size_t size_bytes) = 0;

  /// All live threads of the block have come to a barrier.
  virtual void barrier_completed(std::size_t slot) = 0;
  /// The lanes of a warp have come to a __syncwarp.
  virtual void warp_synchronised(std::size_t slot, unsigned warp, std::uint32_t lanes) = 0;
  /// The lanes of a warp have come to a shuffle, a vote, a match or a reduction.
  virtual void warp_exchanged(std::size_t slot, unsigned warp, std::uint32_t lanes) = 0;

  /// Host code is about to copy `size_bytes` bytes, or to fill them where `from` is nullptr. False: it may not, and
  /// reason() says why.
  [[nodiscard]] virtual bool may_copy(const void* to, const void* from, std::size_t size_bytes) = 0;
  /// Host code has written device memory between launches, by a copy or a fill.
  virtual void host_wrote(const void* to, std::size_t size_bytes) = 0;
  /// Returns in one line why the observer has ended the launch. Called after it, on the host's own stack: looking up
  /// lines of source needs more room than a fiber has.
  [[nodiscard]] virtual std::string reason() = 0;

 protected:
  ~Observer() = default;
};

}  // namespace negzero::engine
