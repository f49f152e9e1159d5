// Copies that threads of a block have begun and not ended: cp.async and what CUDA builds on it.
//
// A GPU may write the target of such a copy at any time until the thread waits. Until then the host keeps poison there:
// neither what was in the target nor what will be can be relied on.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/engine/current.hpp>

namespace negzero::engine {

/// The copies of the threads of one block.
class LateCopies {
 public:
  /// Forgets all of them. Costs nothing where no thread has begun one.
  void clear() noexcept { threads_.clear(); }
  /// Of two copies of a thread to one place that are both on their way, only the later one is kept: the earlier one's
  /// end must not make the place look ready.
  void begin(std::uint32_t thread, const void* owner, const LateCopy& copy);
  /// Removes the thread's first copy that belongs to the owner and to no stage above `last`.
  [[nodiscard]] std::optional<LateCopy> take(std::uint32_t thread, const void* owner, std::uint64_t last);
  /// Counts groups of cp.async that the thread has committed, `more` of them now.
  std::uint64_t commit(std::uint32_t thread, std::uint64_t more) { return of(thread).committed += more; }

 private:
  struct Begun {
    const void* owner;
    LateCopy copy;
  };
  struct OfThread {
    std::vector<Begun> copies;  ///< in the order in which they began
    std::uint64_t committed = 0;
  };
  OfThread& of(std::uint32_t thread) {
    if (thread >= threads_.size()) threads_.resize(thread + 1);
    return threads_[thread];
  }
  std::vector<OfThread> threads_;
};

}  // namespace negzero::engine
