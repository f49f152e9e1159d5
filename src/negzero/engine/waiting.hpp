// Distinguishes a thread that waits from a thread that works.

#pragma once

#include <cstddef>
#include <cstdint>

namespace negzero::engine {

/// Everything that a thread goes on with, as one number: the registers that a call preserves, which lie at `context`,
/// and its frames above them, up to `top`, where its stack begins. Whatever else a thread may read is memory that
/// others can write. (Two states are one number by accident once in 2^64.)
[[nodiscard]] std::uint64_t state_of(const void* context, const void* top) noexcept;

/// What a turn shows of its thread. First: memory has changed, so nothing yet.
enum class Turn : std::uint8_t { First, Waits, Works };

/// A thread that comes back to a state it has been in, while memory has stayed as it was, will come back for ever: it
/// waits. One that counts, computes or looks elsewhere is in a new state each time. States are compared as Brent's
/// algorithm for cycles does (BIT 20, 1980): with one that is kept, and replaced after 1, 2, 4, ... others.
class Waiting {
 public:
  /// Takes note of the state in which a thread asks for others to run. `changes`: another number whenever
  /// memory has changed, or another thread is meant.
  Turn turn(std::uint64_t state, std::uint64_t changes) noexcept {
    if (changes != changes_) {
      *this = Waiting{};
      changes_ = changes;
      kept_ = state;
      return Turn::First;
    }
    if (state == kept_) {
      others_ = 0;
      came_back_ = true;
      return Turn::Waits;
    }
    ++others_;
    // Turns end where they will: of a round of several states any may be seen next.
    if (came_back_ && others_ <= kLongestRound) return Turn::Waits;
    // Before it works again, see whether it comes back to another state: where it is only let run for shorter, it does,
    // and to say that it works would let it run for longer again, and so on for ever.
    if (came_back_ && others_ == kLongestRound + 1) kept_ = state;
    if (came_back_ && others_ <= kLongestRound + kProbe) return Turn::Waits;
    if (others_ >= patience_) {
      kept_ = state;
      others_ = 0;
      came_back_ = false;
      if (patience_ < kMostPatience) patience_ *= 2;
    }
    return Turn::Works;
  }

 private:
  // Registers of the kernel may hold what its inlined calls count, 64 values in several phases.
  static constexpr std::uint32_t kLongestRound = 1024;
  static constexpr std::uint32_t kProbe = 64;
  static constexpr std::uint32_t kMostPatience = 1u << 16;

  std::uint64_t kept_ = 0;
  std::uint64_t changes_ = ~std::uint64_t{0};
  std::uint32_t others_ = 0;  ///< states since the kept one
  std::uint32_t patience_ = 1;
  bool came_back_ = false;
};

}  // namespace negzero::engine
