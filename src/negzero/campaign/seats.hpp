// Which kernel each examiner is at: it stays there for a while, because its worker serves one kernel.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace negzero::campaign {

class Seats {
 public:
  /// `start_ms`: about ten times as long as a worker takes to start.
  Seats(std::size_t examiners, std::size_t kernels, std::uint64_t start_ms)
      : seats_(examiners), kernels_(kernels), start_ms_(start_ms) {}

  /// The kernel that an examiner is at now, of those that `is_open`: all are visited again and again, each time for
  /// longer, so that a short run comes to every kernel and a long one seldom waits for workers. Nothing: none is open.
  template <typename IsOpen>
  std::optional<std::size_t> at(std::size_t examiner, std::uint64_t now_ms, const IsOpen& is_open) {
    Seat& seat = seats_[examiner];
    for (std::size_t tries = 0; tries <= kernels_; ++tries) {
      if (seat.until_ms <= now_ms || !is_open(seat.kernel)) {
        seat = {turn_++ % kernels_, now_ms + stay_ms(now_ms)};
      }
      if (is_open(seat.kernel)) return seat.kernel;
    }
    return std::nullopt;
  }

 private:
  struct Seat {
    std::size_t kernel = 0;
    std::uint64_t until_ms = 0;
  };

  /// So that a round takes half as long as all before it together.
  [[nodiscard]] std::uint64_t stay_ms(std::uint64_t now_ms) const {
    constexpr std::uint64_t kLongest = 10000;
    return std::clamp(now_ms * seats_.size() / (2 * kernels_), start_ms_, kLongest);
  }

  std::vector<Seat> seats_;
  std::size_t kernels_, turn_ = 0;
  std::uint64_t start_ms_;
};

}  // namespace negzero::campaign
