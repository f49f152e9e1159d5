// Stacks for fibers, kept from launch to launch.

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace negzero::engine {

/// One stack: [bottom, bottom + size_bytes), growing down. The page below it is not accessible, unless there are very
/// many of them.
struct Stack {
  std::byte* bottom = nullptr;
  std::size_t size_bytes = 0;  ///< a multiple of 16
  [[nodiscard]] std::byte* top() const noexcept { return bottom + size_bytes; }
};

/// Hands out stacks, the most recently returned first. Not thread-safe: each host thread has its own.
class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  /// Returns a free stack. Throws std::bad_alloc when the address space is exhausted.
  [[nodiscard]] Stack* take() {
    if (free_.empty()) grow();
    Stack* stack = free_.back();
    free_.pop_back();
    return stack;
  }
  /// The stack that take() would return next, or null where it would make new ones.
  [[nodiscard]] const Stack* next() const noexcept { return free_.empty() ? nullptr : free_.back(); }
  /// Makes `count` stacks in all, those that are in use included; false where the address space is exhausted.
  [[nodiscard]] bool reserve(std::size_t count);
  void give(Stack* stack) { free_.push_back(stack); }
  /// Takes every stack back, whatever is on it: frames of abandoned fibers are never unwound.
  void reclaim_all();

 private:
  struct Slab {
    std::byte* address;
    std::size_t size_bytes;
    std::unique_ptr<Stack[]> stacks;
  };
  void grow();
  [[nodiscard]] bool try_to_grow();

  std::vector<Slab> slabs_;
  std::vector<Stack*> free_;
};

}  // namespace negzero::engine
