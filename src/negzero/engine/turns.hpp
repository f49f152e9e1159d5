// Whose turn it is where threads yield: every ready thread has one within a bounded number of turns.

#pragma once

#include <negzero/engine/stream.hpp>
#include <negzero/engine/thread_set.hpp>

namespace negzero::engine {

/// The turns of one block's threads. A thread that waits for memory yields: after 64 events at most, or at once where
/// it sleeps. Who runs then is not a matter of the order that threads take from barrier to barrier: that one begins
/// anew wherever threads meet, so that a thread that comes later in it might never run. Instead:
///
///  * Turns go round the block by themselves: `turn_` only moves on, whatever runs in between, and skips none that is
///    ready but the one that yields, which has just run. A ready thread stays ready until it runs. So it runs within as
///    many of these turns as the block has threads.
///  * Other turns lie between them, never more than kFree - 1 to one of these: in random order they are drawn; and
///    where one that waits yields, every second turn goes to a thread that has done something in its last turn. It may
///    be the one that all wait for: without this, a lock of 16,384 threads would be held for as many turns.
///  * Blocks are visited in a ring. A visit begins with a turn, and ends where the turns come round, a thread yields
///    for the second time or kPatience turns in a row were spent on waiting: after one yield a thread at most. A block
///    that starts joins the ring, as often as there is room; one that ends hands its place to the next of the grid, as
///    often as there are blocks. So every resident block is visited again and again, and every ready thread of each has
///    its turn within a bounded number of visits.
///  * The countdown of events is shared. A thread that finds it run out need not yield if it is its first time in this
///    visit, or each histogram would suspend threads for nothing. So between two turns lie at most as many countdowns
///    as the block has threads, and one more.
///
/// None of this depends on where threads stop, on luck, or on what is known of their states.
class Turns {
 public:
  /// A block starts. `before_first` is the position before the first thread of its order.
  void begin(int before_first) noexcept {
    turn_ = before_first;
    free_turns_ = 0;
    busy_.clear();
    begin_visit();
  }
  void begin_visit() noexcept {
    yielded_.clear();
    spared_.clear();
    in_vain_ = 0;
  }
  /// Notes what the thread that runs has done in its turn: something, or nothing but to wait.
  void note(unsigned id, bool waits) noexcept {
    if (waits) {
      busy_.remove(id);
      ++in_vain_;
    } else {
      busy_.insert(id);
      in_vain_ = 0;
    }
  }
  /// Whether the next turn may go to any thread.
  [[nodiscard]] bool is_free() noexcept { return ++free_turns_ % kFree != 0; }
  /// The thread that has the next turn because it has done something, or -1. Only where `self` has waited.
  [[nodiscard]] int busy(const ThreadSet& ready, unsigned self) noexcept {
    if (in_vain_ == 0 || in_vain_ % 2 != 0) return -1;
    return ready.next_in_both(busy_, (self + 1) % kMaxThreads);
  }
  /// The thread that has its turn next, unless it is free. `self` yields; -1: none does. Requires a ready thread.
  [[nodiscard]] unsigned next(const ThreadSet& ready, Order order, int self) noexcept {
    turn_ = after(ready, order);
    if (turn_ == self) turn_ = after(ready, order);
    return static_cast<unsigned>(turn_);
  }
  /// Whether this visit ends where `self` yields.
  [[nodiscard]] bool ends_visit(const ThreadSet& ready, Order order, unsigned self) noexcept {
    if (yielded_.contains(self) || in_vain_ >= kPatience) return true;
    yielded_.insert(self);
    if (order == Order::Random) return false;
    const int next = after(ready, order);
    return order == Order::Forward ? next <= turn_ : next >= turn_;
  }
  [[nodiscard]] bool is_spared(unsigned id) noexcept {
    if (spared_.contains(id)) return false;
    spared_.insert(id);
    return true;
  }

 private:
  static constexpr unsigned kFree = 4;
  static constexpr unsigned kPatience = 32;

  [[nodiscard]] int after(const ThreadSet& ready, Order order) const noexcept {
    return order == Order::Backward ? ready.previous_in_circle(static_cast<unsigned>(turn_ - 1) % kMaxThreads)
                                    : ready.next_in_circle(static_cast<unsigned>(turn_ + 1) % kMaxThreads);
  }

  int turn_ = -1;  ///< the thread whose turn it was last
  unsigned free_turns_ = 0;
  unsigned in_vain_ = 0;  ///< turns in a row, in this visit
  ThreadSet busy_;        ///< did something in their last turn
  ThreadSet yielded_;     ///< in this visit
  ThreadSet spared_;      ///< in this visit
};

}  // namespace negzero::engine
