// A set of threads of one block, as bits.

#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace negzero::simt {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kWarpSize = 32;

class ThreadSet {
 public:
  void clear() noexcept { words_.fill(0); }
  /// Makes it {0, ..., count - 1}.
  void fill(unsigned count) noexcept {
    for (unsigned w = 0; w < words_.size(); ++w) {
      const unsigned rest = count > 64 * w ? count - 64 * w : 0;
      words_[w] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
  }
  void insert(unsigned id) noexcept { words_[id / 64] |= std::uint64_t{1} << (id % 64); }
  void remove(unsigned id) noexcept { words_[id / 64] &= ~(std::uint64_t{1} << (id % 64)); }
  /// Removes first, ..., last - 1.
  void remove_range(unsigned first, unsigned last) noexcept {
    for (unsigned id = first; id < last; id = (id / 64 + 1) * 64) {
      std::uint64_t gone = ~std::uint64_t{0} << (id % 64);
      if (id / 64 == last / 64) gone &= ~(~std::uint64_t{0} << (last % 64));
      words_[id / 64] &= ~gone;
    }
  }
  [[nodiscard]] bool contains(unsigned id) const noexcept { return (words_[id / 64] >> (id % 64) & 1) != 0; }
  /// The members of warp `warp`, one bit a lane.
  [[nodiscard]] std::uint32_t warp(unsigned warp) const noexcept {
    return static_cast<std::uint32_t>(words_[warp / 2] >> (warp % 2 * 32));
  }
  void insert_warp(unsigned warp, std::uint32_t lanes) noexcept {
    words_[warp / 2] |= std::uint64_t{lanes} << (warp % 2 * 32);
  }
  /// Moves all members of `other` here.
  void take_all(ThreadSet& other) noexcept {
    for (unsigned w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    other.clear();
  }
  /// The smallest member that is at least `from`, or -1.
  [[nodiscard]] int at_or_after(unsigned from) const noexcept {
    unsigned w = from / 64;
    if (w >= words_.size()) return -1;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++w == words_.size()) return -1;
      word = words_[w];
    }
    return static_cast<int>(w * 64) + std::countr_zero(word);
  }
  /// The largest member that is at most `from`, or -1. `from` may be -1.
  [[nodiscard]] int at_or_before(int from) const noexcept {
    if (from < 0) return -1;
    int w = from / 64;
    std::uint64_t word = words_[static_cast<unsigned>(w)] & (~std::uint64_t{0} >> (63 - from % 64));
    while (word == 0) {
      if (--w < 0) return -1;
      word = words_[static_cast<unsigned>(w)];
    }
    return w * 64 + 63 - std::countl_zero(word);
  }

 private:
  std::array<std::uint64_t, kMaxThreads / 64> words_{};
};

}  // namespace negzero::simt
