// How long something takes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>

namespace negzero::base {

/// Runs from its making on.
class Stopwatch {
 public:
  enum class Of : unsigned char {
    Time,     ///< as it goes by
    OwnTime,  ///< what all threads of this process computed: it does not go on while others have the cores
  };
  explicit Stopwatch(Of of = Of::Time) : clock_(of == Of::Time ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID) {}

  [[nodiscard]] std::uint64_t us() const { return (now_ns() - start_ns_) / 1000; }

 private:
  [[nodiscard]] std::uint64_t now_ns() const {
    std::timespec now{};
    ::clock_gettime(clock_, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  }

  clockid_t clock_;
  std::uint64_t start_ns_ = now_ns();
};

/// Microseconds in the 32 bits that messages have for them: more than an hour is an hour.
[[nodiscard]] inline std::uint32_t message_us(std::uint64_t us) noexcept {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(us, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace negzero::base
