// Which basic blocks of watched kernel code a host thread runs, and how often: kernel files that are compiled to be
// watched call a function at the beginning of each (-fsanitize-coverage=trace-pc).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace negzero::watch {

/// A basic block of the program that ran.
struct CoveredBlock {
  std::uint32_t place = 0;  ///< bytes from the start of the program to it: the same in each process of one build
  std::uint32_t times = 0;  ///< that it ran, modulo 2^32
  friend bool operator==(const CoveredBlock&, const CoveredBlock&) = default;
};

/// A table of blocks. It is large, and made to be used again and again.
class Coverage {
 public:
  /// Most blocks that are noted: what runs for the first time after them is not.
  static constexpr std::size_t kMost = 1024;

  Coverage() { used_.reserve(kMost); }
  ~Coverage() { stop(); }
  Coverage(const Coverage&) = delete;
  Coverage& operator=(const Coverage&) = delete;

  /// Forgets all blocks, and notes what this thread runs from now on, in place of another table that did.
  void start();
  void stop();
  /// In the order in which they ran first. None in builds for other sanitizers, which have no watched kernels.
  [[nodiscard]] std::vector<CoveredBlock> blocks() const;

  /// The block at that address runs.
  void note(const void* address) {
    const auto low = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(address));
    Slot& slot = slots_[home_of(low)];
    if (slot.address != low) [[unlikely]]
      return note_elsewhere(low);
    ++slot.times;
  }

 private:
  struct Slot {
    std::uint32_t address = 0;  ///< its low bits; 0: the slot is free
    std::uint32_t times = 0;
  };
  static constexpr std::size_t kSlots = 4 * kMost;
  /// Two blocks lie five bytes apart or more, for each holds a call, and those of a kernel lie together.
  [[nodiscard]] static constexpr std::size_t home_of(std::uint32_t address) { return address / 4 % kSlots; }
  void note_elsewhere(std::uint32_t address);

  std::array<Slot, kSlots> slots_{};  ///< each at its home, or behind it where that is taken
  std::vector<std::uint16_t> used_;   ///< the slots that are not free
};

}  // namespace negzero::watch
