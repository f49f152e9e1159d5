// What clock64() says while the threads that read it take turns.

#pragma once

#include <algorithm>
#include <cstdint>

namespace negzero::engine {

/// On a GPU threads wait side by side; here one after another. So a reading moves the time by what a reading takes,
/// divided by the number of threads that read in turn: each of them then sees the time go by as on a GPU, and who backs
/// off from a lock backs off for as many turns of the others as there. (Where each reading moved the time for all, 700
/// threads that back off from a semaphore of three, however long, were always in each other's way.)
///
/// While nothing happens but readings the time goes faster and faster, so that a wait of a millisecond costs thousands
/// of readings and not millions.
class Clock {
 public:
  /// A launch begins.
  void begin() noexcept { *this = Clock{}; }

  /// The time that `reader` reads, in cycles: never less than at the reading before. `has_happened`: something besides
  /// readings, since then.
  [[nodiscard]] std::int64_t read(const void* reader, bool has_happened) noexcept {
    count(reader);
    quiet_ = has_happened ? 0 : quiet_ + 1;
    const std::uint64_t leap = std::min<std::uint64_t>(quiet_ / (kPatience * readers_), kMostLeap);
    time_ += (kCyclesPerReading << kFraction << leap) / readers_;
    return static_cast<std::int64_t>(time_ >> kFraction);
  }

 private:
  // A GPU's clock goes on by some tens of cycles from one reading to the next.
  static constexpr std::uint64_t kCyclesPerReading = 32;
  static constexpr unsigned kFraction = 16;
  /// Readings of each in which nothing happens, before time goes twice as fast, and again.
  static constexpr std::uint64_t kPatience = 2;
  static constexpr std::uint64_t kMostLeap = 10;
  /// Readings in a row after which a thread is the only one that reads: more than one turn has.
  static constexpr std::uint64_t kAlone = 256;

  static constexpr std::uint64_t kFew = 64, kMostReaders = std::uint64_t{1} << 16;

  /// Estimates how many threads read in turn, by one of them: how many others come between its turns.
  void count(const void* reader) noexcept {
    if (reader == last_) {
      if (++in_a_row_ >= kAlone) readers_ = 1;
      return;
    }
    last_ = reader;
    in_a_row_ = 0;
    ++others_;
    if (reader == hand_ || hand_ == nullptr) {
      hand_ = reader;
      readers_ = others_;
      others_ = 0;
    } else if (others_ > 4 * readers_ + kFew) {
      // It reads no more, or there are many more than there were.
      readers_ = std::min(2 * readers_, kMostReaders);
      hand_ = reader;
      others_ = 0;
    }
  }

  std::uint64_t time_ = 0;  ///< cycles, times 2^kFraction
  std::uint64_t readers_ = 1;
  std::uint64_t quiet_ = 0;     ///< readings since something else happened
  std::uint64_t others_ = 0;    ///< turns since the hand's
  std::uint64_t in_a_row_ = 0;  ///< readings of `last_`
  const void* last_ = nullptr;  ///< who read last
  const void* hand_ = nullptr;  ///< by whom they are counted
};

}  // namespace negzero::engine
