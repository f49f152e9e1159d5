// When a campaign ends, and why.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace negzero::campaign {

/// Whether an end is wanted: polled, never waited for.
using Stop = std::function<bool()>;

/// What a campaign may take.
struct Limits {
  std::uint64_t time_ms = 0;  ///< 0: none
  std::uint64_t cases = 0;    ///< 0: none
  bool first_finding = false;
};

/// Belongs to one thread.
class StopCondition {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Reason : std::uint8_t {
    None,         ///< it goes on, or all its cases have run
    Interrupted,  ///< Ctrl-C
    Time,
    FirstFinding,
    Cases,
  };

  /// `interrupted` may be empty. `now` is the clock, which begins here.
  explicit StopCondition(Stop interrupted = {}, Limits limits = {}, std::function<Clock::time_point()> now = Clock::now)
      : interrupted_(std::move(interrupted)), limits_(limits), now_(std::move(now)), start_(now_()) {}

  /// Why no further case is to begin; the first of several reasons in the order above.
  [[nodiscard]] Reason reason() const {
    if (is_interrupted()) return Reason::Interrupted;
    if (limits_.time_ms != 0 && elapsed_ms() >= limits_.time_ms) return Reason::Time;
    if (limits_.first_finding && found_) return Reason::FirstFinding;
    return limits_.cases != 0 && granted_ >= limits_.cases ? Reason::Cases : Reason::None;
  }
  [[nodiscard]] bool is_over() const { return reason() != Reason::None; }
  /// Whether cases that are under way are to be ended too: they have a second behind a time limit.
  [[nodiscard]] bool ends_cases() const {
    constexpr std::uint64_t kGraceMs = 1000;
    return is_interrupted() || (limits_.time_ms != 0 && elapsed_ms() >= limits_.time_ms + kGraceMs);
  }
  [[nodiscard]] bool is_interrupted() const { return interrupted_ && interrupted_(); }

  /// How many of `wanted` cases may begin: they are counted.
  [[nodiscard]] std::uint64_t grant(std::uint64_t wanted) {
    if (limits_.cases != 0) wanted = std::min(wanted, limits_.cases - granted_);
    granted_ += wanted;
    return wanted;
  }
  /// A finding was made that is a reason to fail.
  void found() { found_ = true; }

  /// Until the limit of time; the greatest number where there is none.
  [[nodiscard]] std::uint64_t left_ms() const {
    if (limits_.time_ms == 0) return std::numeric_limits<std::uint64_t>::max();
    return limits_.time_ms - std::min(limits_.time_ms, elapsed_ms());
  }

  [[nodiscard]] std::uint64_t elapsed_ms() const {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now_() - start_).count());
  }

 private:
  Stop interrupted_;
  Limits limits_;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  std::uint64_t granted_ = 0;
  bool found_ = false;
};

}  // namespace negzero::campaign
