// One block on the host: which of its threads can run, which wait, and when a wait is over.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/engine/current.hpp>
#include <negzero/engine/late_copies.hpp>
#include <negzero/engine/observer.hpp>
#include <negzero/engine/shared_arena.hpp>
#include <negzero/engine/stack_pool.hpp>
#include <negzero/engine/thread_set.hpp>
#include <negzero/engine/turns.hpp>
#include <negzero/engine/waiting.hpp>

namespace negzero::engine {

/// One thread of a block: one cache line, since every switch reads one and writes one.
struct alignas(64) Thread {
  Coordinates index;
  std::uint16_t id = 0;                     ///< linear index in the block
  BarrierKind barrier = BarrierKind::Sync;  ///< the barrier it waits at when `request` is null
  void* context = nullptr;                  ///< where it stopped; null before its start and after its end
  Stack* stack = nullptr;                   ///< the stack that it runs or stopped on
  WarpRequest* request = nullptr;           ///< its part in the warp operation it waits at, or null
  CallSite wait_site{};                     ///< where it waits
  std::uint64_t spent = 0;                  ///< of the event budget
};
static_assert(sizeof(Thread) == 64);

/// Hears of lawful but suspicious behaviour of a block.
class Notes {
 public:
  virtual ~Notes() = default;
  virtual void exited_at_barrier(CallSite site, unsigned exited) = 0;
  /// `source` is the lane that a shuffle would read, or -1 when `lane` is not in its own mask.
  virtual void lane_without_value(CallSite site, WarpKind kind, std::uint32_t mask, unsigned lane, int source) = 0;
  /// Several lanes have come together in an operation that names none, without a __syncwarp of theirs just before.
  virtual void relies_on_convergence(CallSite site, WarpKind kind) = 0;
};

/// The lanes of a block that wait in operations that gather the active lanes of a warp (active.cpp).
struct Active {
  struct Warp {
    std::uint32_t at = 0;       ///< the lanes that wait
    std::uint32_t spins = 0;    ///< lanes that can run, but only ask memory for what does not come
    std::uint32_t spent = 0;    ///< events of the warp's lanes since the first came
    std::uint32_t expired = 0;  ///< how often the others were not waited for any longer
  };
  std::array<Warp, kMaxThreads / kWarpSize> warps{};
  std::uint64_t changes = 0;  ///< of memory, when `spins` was right
  bool is_used = false;       ///< whether a lane has waited; else there is nothing to forget
};

/// The threads of one resident block. Knows waits and their completion; the engine moves between stacks.
class Block {
 public:
  /// `number` is its slot among the blocks of its engine.
  explicit Block(std::size_t number) noexcept : number_(number) {}
  [[nodiscard]] std::size_t number() const noexcept { return number_; }

  /// Lays out threads for blocks of these extents.
  void prepare(Coordinates extents, Notes& notes);
  /// Starts a block: every thread is ready, shared memory is poisoned.
  void begin(Coordinates index, std::uint64_t linear, const Settings& settings, std::size_t dynamic_bytes);

  /// Reports barriers and warp synchronisations to `observer` from now on; null ends that.
  void set_observer(Observer* observer) noexcept { observer_ = observer; }

  // The resident blocks form a ring, in the order in which they started.
  [[nodiscard]] Block* next() const noexcept { return next_; }
  [[nodiscard]] Block* previous() const noexcept { return previous_; }
  /// Joins the ring of `after`, before it; null: a ring of its own.
  void join(Block* after) noexcept {
    next_ = after != nullptr ? after : this;
    previous_ = after != nullptr ? after->previous_ : this;
    next_->previous_ = previous_->next_ = this;
  }
  void leave() noexcept {
    next_->previous_ = previous_;
    previous_->next_ = next_;
  }

  /// The thread that the order runs next, where the running thread has just begun to wait or ended; null when none is
  /// ready.
  [[nodiscard]] Thread* choose_other() noexcept {
    if (planned_ == nullptr) return thread_of(choice(random_));
    if (order_ == Order::Random) static_cast<void>(random_.next());
    return std::exchange(planned_, nullptr);
  }
  /// The thread that has its turn next, where `self` yields or (null) another block has run until now: turns.hpp.
  [[nodiscard]] Thread& next_turn(const Thread* self) noexcept {
    planned_ = nullptr;
    if (self != nullptr) {
      if (const int busy = turns_.busy(ready_, self->id); busy >= 0) return threads_[static_cast<unsigned>(busy)];
    }
    if (order_ == Order::Random && turns_.is_free()) return *thread_of(choice(random_));
    return threads_[turns_.next(ready_, order_, self != nullptr ? static_cast<int>(self->id) : -1)];
  }
  /// Begins a visit: another block, or another visit of this one, has just ended.
  void begin_visit() noexcept { turns_.begin_visit(); }
  /// Whether the visit ends where `self` yields.
  [[nodiscard]] bool ends_visit(const Thread& self) noexcept {
    if (order_ == Order::Random && random().one_in(8)) return true;
    return turns_.ends_visit(ready_, order_, self.id) || live_ == 1;
  }
  /// Whether the running thread need not yield yet although the countdown has run out: once a visit.
  [[nodiscard]] bool is_spared(unsigned id) noexcept { return turns_.is_spared(id); }
  /// What choose_other() will return if no other thread becomes ready until then, or null. While one thread runs, the
  /// memory of the next can be fetched, and no switch waits for the set of ready threads that the last one has changed.
  [[nodiscard]] const Thread* plan() noexcept {
    base::Random random = random_;
    int id = choice(random);
    if (id == cursor_) id = order_ == Order::Random ? ready_.next_in_circle((cursor_ + 1u) % kMaxThreads) : -1;
    planned_ = id == cursor_ ? nullptr : thread_of(id);
    return planned_;
  }
  /// Notes that `thread` runs now: orders go on from it.
  void mark_running(const Thread& thread) noexcept { cursor_ = static_cast<int>(thread.id); }
  /// What the last turn of the block was like. Works where none has had one.
  [[nodiscard]] Turn last_turn() const noexcept { return last_turn_; }
  /// Notes what the turn of `thread`, which is about to end, was like.
  void note_turn(const Thread& thread, Turn turn) noexcept {
    last_turn_ = turn;
    turns_.note(thread.id, turn != Turn::Works);
  }
  /// How many threads after `thread`, which is about to start, Forward would start one by one within its row.
  [[nodiscard]] std::uint32_t run_ahead(const Thread& thread) const noexcept {
    return order_ == Order::Forward && !any_suspended_ ? extents_.x - 1 - thread.index.x : 0;
  }
  void mark_suspended() noexcept { any_suspended_ = true; }

  /// `thread` waits at a barrier; all are released when it is the last live one.
  void arrive(Thread& thread, BarrierKind kind, bool predicate, CallSite site) {
    thread.request = nullptr;
    thread.barrier = kind;
    thread.wait_site = site;
    ready_.remove(thread.id);
    at_barrier_.insert(thread.id);
    if (arrived_++ == 0) {
      first_arrival_ = &thread;
    } else if (const CallSite& first = first_arrival_->wait_site;
               first.line != site.line || first.column != site.column || first_arrival_->barrier != kind ||
               (first.file != site.file && std::strcmp(first.file, site.file) != 0)) {
      sites_differ_ = true;
    }
    predicates_ += predicate ? 1 : 0;
    if (arrived_ == live_) release_barrier();
    if (active_lanes_ > 0) [[unlikely]]
      complete_active(thread.id / kWarpSize);
  }
  /// The value of the barrier that was released last.
  [[nodiscard]] const int& barrier_value() const noexcept { return barrier_value_; }
  /// `thread` waits at a warp operation; its group is released when all of its live lanes wait alike. Returns false
  /// when it need not wait.
  [[nodiscard]] bool arrive(Thread& thread, WarpRequest& request, CallSite site);
  /// Whether any thread waits in arrive_among_active().
  [[nodiscard]] bool is_gathering() const noexcept { return active_lanes_ > 0; }
  /// Notes that `thread`, which can run, has spent events. `waits`: it comes back to a state that it has been in while
  /// memory, which has had `changes` changes, stays as it is.
  void note_events(const Thread& thread, std::uint64_t events, bool waits, std::uint64_t changes);

  /// `thread` has returned from the kernel. Threads that waited only for it go on.
  void retire(Thread& thread) {
    ready_.remove(thread.id);
    alive_.remove(thread.id);
    thread.context = nullptr;
    thread.spent = 0;
    --live_;
    if (arrived_ == live_ && arrived_ > 0) release_barrier();
    if (waiting_lanes_ > 0) complete_warp(thread.id / kWarpSize);
    if (active_lanes_ > 0) [[unlikely]]
      complete_active(thread.id / kWarpSize);
  }
  /// Threads first, ..., last - 1 have started and returned while none of the block waited.
  void retire_range(unsigned first, unsigned last) noexcept {
    ready_.remove_range(first, last);
    alive_.remove_range(first, last);
    live_ -= last - first;
    planned_ = nullptr;
  }

  [[nodiscard]] unsigned live() const noexcept { return live_; }
  [[nodiscard]] unsigned threads() const noexcept { return static_cast<unsigned>(threads_.size()); }
  [[nodiscard]] Thread& thread(unsigned id) noexcept { return threads_[id]; }
  [[nodiscard]] const std::vector<Thread>& every_thread() const noexcept { return threads_; }
  /// Notes a turn of a thread that asks for others to run in that state; `changes`: of memory so far, below 2^40.
  Turn turn_of(unsigned id, std::uint64_t state, std::uint64_t changes) noexcept {
    // What is known of the thread of that number in an earlier block or launch is not held against this one.
    return waiting_[id].turn(state, era_ << 40 | changes);
  }
  [[nodiscard]] bool is_alive(const Thread& thread) const noexcept { return alive_.contains(thread.id); }
  [[nodiscard]] Coordinates index() const noexcept { return index_; }
  [[nodiscard]] std::uint64_t linear() const noexcept { return linear_; }
  [[nodiscard]] SharedArena& shared() noexcept { return shared_; }
  [[nodiscard]] LateCopies& late_copies() noexcept { return late_copies_; }
  [[nodiscard]] base::Random& random() noexcept {
    planned_ = nullptr;
    return random_;
  }

 private:
  void release_barrier();
  void complete_warp(unsigned warp);
  void complete_warp_group(unsigned warp, const WarpRequest& request);
  void arrive_among_active(Thread& thread, WarpRequest& request);
  void complete_active(unsigned warp);
  void release_active(unsigned warp);
  [[nodiscard]] bool are_synchronised(unsigned warp, std::uint32_t lanes) const noexcept;
  void note_synchronised(unsigned warp, std::uint32_t lanes) noexcept;
  /// The ready thread that the order takes, or -1.
  [[nodiscard]] int choice(base::Random& random) const noexcept {
    if (order_ == Order::Forward) return ready_.next_in_circle(static_cast<unsigned>(cursor_ + 1) % kMaxThreads);
    if (order_ == Order::Backward) return ready_.previous_in_circle(static_cast<unsigned>(cursor_ - 1) % kMaxThreads);
    // The first ready thread from a random one on: not uniform, but every ready thread has a chance, at a tenth of the
    // cost of counting them.
    return ready_.next_in_circle(static_cast<unsigned>(random.below(threads())));
  }
  [[nodiscard]] Thread* thread_of(int id) noexcept { return id < 0 ? nullptr : &threads_[static_cast<unsigned>(id)]; }
  void restart_order(unsigned first, unsigned count) noexcept {
    planned_ = nullptr;
    cursor_ = order_ == Order::Backward ? static_cast<int>(first + count) : static_cast<int>(first) - 1;
  }

  std::size_t number_;
  std::vector<Thread> threads_;
  std::vector<Waiting> waiting_;
  ThreadSet ready_;
  ThreadSet alive_;
  ThreadSet at_barrier_;
  std::array<std::uint32_t, kMaxThreads / kWarpSize> at_warp_operation_{};
  unsigned live_ = 0;
  unsigned arrived_ = 0;
  unsigned predicates_ = 0;
  unsigned waiting_lanes_ = 0;             ///< at warp operations, in the whole block
  unsigned active_lanes_ = 0;              ///< the same at those that gather the active lanes
  std::uint32_t barriers_ = 0;             ///< another number after each barrier and for each block
  const Thread* first_arrival_ = nullptr;  ///< at the barrier that is being gathered
  bool sites_differ_ = false;
  bool any_suspended_ = false;
  bool divides_active_ = false;  ///< coalesced_threads() gives drawn parts of the lanes that come together
  Turn last_turn_ = Turn::Works;
  Order order_ = Order::Forward;
  std::uint8_t poison_ = 0;
  int barrier_value_ = 0;
  int cursor_ = -1;
  Thread* planned_ = nullptr;
  Block* next_ = nullptr;
  Block* previous_ = nullptr;
  Coordinates extents_;
  Coordinates index_;
  std::uint64_t linear_ = 0;
  std::uint64_t era_ = 0;  ///< another one for each block that was begun
  base::Random random_{0};
  Notes* notes_ = nullptr;
  Observer* observer_ = nullptr;
  SharedArena shared_;
  LateCopies late_copies_;
  Active active_;
  /// The lanes of each warp whose last wait was for a __syncwarp, unless a barrier has come since.
  struct Synchronised {
    std::uint32_t lanes = 0;
    std::uint32_t barriers = 0;                       ///< Block::barriers_ then
    std::array<std::uint32_t, kWarpSize> together{};  ///< the lanes of that __syncwarp, for each of `lanes`
  };
  std::array<Synchronised, kMaxThreads / kWarpSize> synchronised_{};
  // Last, so that what every barrier touches lies close together.
  Turns turns_;
};

/// One line that says which live threads of `block` wait where, and the first of them.
struct WaitDescription {
  std::string text;
  Coordinates first;
};
[[nodiscard]] WaitDescription describe_waits(const Block& block);

/// "__shfl_down_sync" and so on.
[[nodiscard]] const char* to_string(WarpKind kind) noexcept;
[[nodiscard]] const char* to_string(BarrierKind kind) noexcept;
/// "(1,0,0)"
[[nodiscard]] std::string to_string(Coordinates c);
/// "gemm.cu:41": the file without its folders.
[[nodiscard]] std::string to_string(CallSite site);
/// "0x0000ffff"
[[nodiscard]] std::string mask_to_string(std::uint32_t mask);

}  // namespace negzero::engine
