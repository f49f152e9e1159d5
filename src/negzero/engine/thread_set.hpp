// A set of threads of one block, as bits.

#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace negzero::engine {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kWarpSize = 32;

class ThreadSet {
 public:
  void clear() noexcept {
    if (occupied_ == 0) return;
    words_.fill(0);
    occupied_ = 0;
  }
  /// Makes it {0, ..., count - 1}.
  void fill(unsigned count) noexcept {
    occupied_ = (1u << (count + 63) / 64) - 1;
    for (unsigned w = 0; w < words_.size(); ++w) {
      const unsigned rest = count > 64 * w ? count - 64 * w : 0;
      words_[w] = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }
  }
  void insert(unsigned id) noexcept {
    words_[id / 64] |= std::uint64_t{1} << (id % 64);
    occupied_ |= 1u << (id / 64);
  }
  void remove(unsigned id) noexcept { keep(id / 64, ~(std::uint64_t{1} << (id % 64))); }
  /// Removes first, ..., last - 1.
  void remove_range(unsigned first, unsigned last) noexcept {
    for (unsigned id = first; id < last; id = (id / 64 + 1) * 64) {
      std::uint64_t gone = ~std::uint64_t{0} << (id % 64);
      if (id / 64 == last / 64) gone &= ~(~std::uint64_t{0} << (last % 64));
      keep(id / 64, ~gone);
    }
  }
  [[nodiscard]] bool contains(unsigned id) const noexcept { return (words_[id / 64] >> (id % 64) & 1) != 0; }
  /// The members of warp `warp`, one bit a lane.
  [[nodiscard]] std::uint32_t warp(unsigned warp) const noexcept {
    return static_cast<std::uint32_t>(words_[warp / 2] >> (warp % 2 * 32));
  }
  void insert_warp(unsigned warp, std::uint32_t lanes) noexcept {
    words_[warp / 2] |= std::uint64_t{lanes} << (warp % 2 * 32);
    occupied_ |= (lanes != 0 ? 1u : 0u) << (warp / 2);
  }
  /// Moves all members of `other` here.
  void take_all(ThreadSet& other) noexcept {
    for (unsigned w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
    occupied_ |= other.occupied_;
    other.clear();
  }
  /// The smallest member that is at least `from`, or the smallest of all where there is none; -1 where the set is
  /// empty. Requires from < kMaxThreads.
  [[nodiscard]] int next_in_circle(unsigned from) const noexcept {
    unsigned w = from / 64;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    if (word == 0) {
      if (occupied_ == 0) return -1;
      const unsigned after = occupied_ & (~1u << w);
      w = static_cast<unsigned>(std::countr_zero(after != 0 ? after : occupied_));
      word = words_[w];
    }
    return static_cast<int>(w * 64) + std::countr_zero(word);
  }
  /// The same among the threads that are members of `other` too.
  [[nodiscard]] int next_in_both(const ThreadSet& other, unsigned from) const noexcept {
    const std::uint32_t occupied = occupied_ & other.occupied_;
    const unsigned first = from / 64;
    for (std::uint32_t rest = occupied & (~0u << first); rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint64_t word =
          words_[w] & other.words_[w] & (w == first ? ~std::uint64_t{0} << (from % 64) : ~std::uint64_t{0});
      if (word != 0) return static_cast<int>(w * 64) + std::countr_zero(word);
    }
    for (std::uint32_t rest = occupied; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<unsigned>(std::countr_zero(rest));
      if (const std::uint64_t word = words_[w] & other.words_[w]; word != 0)
        return static_cast<int>(w * 64) + std::countr_zero(word);
    }
    return -1;
  }
  /// The largest member that is at most `from`, or the largest of all where there is none; -1 where the set is empty.
  /// Requires from < kMaxThreads.
  [[nodiscard]] int previous_in_circle(unsigned from) const noexcept {
    unsigned w = from / 64;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} >> (63 - from % 64));
    if (word == 0) {
      if (occupied_ == 0) return -1;
      const unsigned before = occupied_ & ((1u << w) - 1);
      w = static_cast<unsigned>(std::bit_width(before != 0 ? before : occupied_)) - 1;
      word = words_[w];
    }
    return static_cast<int>(w * 64) + 63 - std::countl_zero(word);
  }

 private:
  void keep(unsigned w, std::uint64_t members) noexcept {
    words_[w] &= members;
    occupied_ &= ~((words_[w] == 0 ? 1u : 0u) << w);
  }

  std::array<std::uint64_t, kMaxThreads / 64> words_{};
  std::uint32_t occupied_ = 0;  ///< bit w: words_[w] is not zero
};

}  // namespace negzero::engine
