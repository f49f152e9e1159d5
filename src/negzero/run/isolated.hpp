// Work on numbered items in child processes: an item that kills, hangs or corrupts its process is reported, and the
// work goes on in a fresh one.
//
//   parent: next() -> Task{request, begin, end} ----> child: for i in [begin, end): work(request, i)
//           on_event(Reply i | Died i) <------------------- one framed reply an item, in order
//
// Replies come one at a time and in order, so when a child dies the item in flight is the one after its last reply:
// nothing has to be written anywhere for a death to be attributed. Children that work on many items at once are the
// exception: what such a batch leaves unanswered runs again one by one. (Halving the batch until one item is left, the
// obvious way, costs a process and, for a hang, a time limit at every step; single items cost microseconds.)

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::run {

/// How a child ended while it worked on an item.
struct Death {
  enum class Kind : unsigned char {
    Signal,   ///< `code` is the signal
    Exit,     ///< the process ended by itself; `code` is its exit status
    Hang,     ///< no reply within the time limit; it was killed; `code` is that limit in milliseconds
    Garbage,  ///< what came through its socket was no reply of ours, or it closed the socket and lived on
    Told,     ///< the process ended itself and said why: end_worker(); `message` is what it said, `code` its number
  };
  Kind kind = Kind::Signal;
  int code = 0;
  bool in_kernel = false;  ///< mark_kernel() was in force
  std::string message{};
  /// "killed by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string to_string() const;
};

/// Items [begin, end) of one request.
struct Task {
  std::string request{};
  std::uint64_t begin = 0, end = 0;
  std::uint64_t tag = 0;  ///< the caller's own number for the task, given back in events
  bool singly = false;    ///< one item after the other, although the workers could take them together
  /// How the child ended that worked on these items together: nobody could be blamed, so that they run singly. Set by
  /// Isolation.
  std::optional<Death> batch_death{};
};

/// In a child: says whether a kernel runs from now on, so that a death can tell a kernel's doing from ours. Threads
/// count: a kernel runs until as many ends as beginnings were told. Elsewhere it does nothing.
void mark_kernel(bool runs) noexcept;

/// In a child: the item in flight leaves something behind that later ones shall not meet (device variables of a launch
/// that did not come to its end). The child ends after its reply, and a fresh one goes on. Elsewhere it does nothing.
void retire_worker() noexcept;

/// In a child: what somebody who works on an item counts up to show that it goes on. Elsewhere null.
[[nodiscard]] std::uint64_t* progress_counter() noexcept;

/// Whether this process is a child of an Isolation.
[[nodiscard]] bool in_worker() noexcept;

/// Whose doing it is that a worker ends itself.
enum class Blame : unsigned char {
  Item,     ///< the item in flight did something from which the process cannot recover
  Machine,  ///< no item: what the work needs is gone (a lost GPU). Isolation::run() returns it as an error
};

/// In a child: ends it, with the reason and its number told to the parent. Requires in_worker(). From any thread.
[[noreturn]] void end_worker(Blame blame, int code, std::string_view why) noexcept;

/// One item done, or the death of its process.
struct Event {
  std::uint64_t tag = 0, index = 0;
  std::optional<Death> death;
  std::string reply;  ///< when there is no death
  /// At the last item of a batch that ended its process, where none of its items did so alone.
  std::optional<Death> batch_death{};
};

struct IsolationOptions {
  static constexpr std::uint64_t kPatience = 10;
  int jobs = 1;  ///< child processes at a time
  /// Longest time for a kernel that shows no progress (progress_counter()). One that does, and what is no kernel's
  /// work (mark_kernel()), has kPatience times as long.
  std::uint64_t timeout_ms = 10000;
  bool in_process = false;  ///< no children: for debuggers and fuzzers; a crash then ends the program
};

/// Child processes that work on items. They are forked when first needed and kept between calls of run().
///
/// `work` runs in a child, so it sees the parent's memory as it was at the fork. There its standard output is sent to
/// standard error, a Ctrl-C is ignored (SIGTERM and SIGHUP too), no core is written, the kernel's out-of-memory killer
/// takes it before the parent, and an exception that leaves `work` ends it. Needs a caller without threads of its own.
class Isolation {
 public:
  using Work = std::function<std::string(std::string_view request, std::uint64_t index)>;
  /// Takes the replies to the next items.
  using Emit = std::function<void(std::span<const std::string> replies)>;
  /// All items of a task together, for work that is only fast so (launches on a GPU). Must emit one reply an item, in
  /// order. When a child dies with several items unanswered nobody is blamed: they run again in fresh children, one by
  /// one, through Work.
  using BatchWork =
      std::function<void(std::string_view request, std::uint64_t begin, std::uint64_t end, const Emit& emit)>;
  /// What a child does once, before its first task. `number` counts the children from 0 and stays when one is replaced.
  /// Its error is run()'s; it may take as long as kPrepareMs.
  using Prepare = std::function<base::Status(int number)>;
  static constexpr std::uint64_t kPrepareMs = 60000;

  Isolation(const IsolationOptions& options, Work work, BatchWork batch = {}, Prepare prepare = {});
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  /// Runs tasks until next() returns nothing for the first time and all replies are there. Every item of a task gets
  /// exactly one event, unless `on_event` says by returning false that the rest of that task is not wanted. A task
  /// without items is skipped. `stop` is polled at least ten times a second; once true, busy children are killed and
  /// run() returns. Errors are infrastructure errors (fork or socketpair failed, `prepare` failed, a child ended by
  /// Blame::Machine); items in flight then have no event. In-process, an exception of `work` passes through.
  [[nodiscard]] base::Status run(const std::function<std::optional<Task>()>& next,
                                 const std::function<bool(const Event&)>& on_event, const std::function<bool()>& stop);

 private:
  class Pool;
  [[nodiscard]] base::Status run_in_process(const std::function<std::optional<Task>()>& next,
                                            const std::function<bool(const Event&)>& on_event,
                                            const std::function<bool()>& stop);

  IsolationOptions options_;
  Work work_;
  BatchWork batch_;
  Prepare prepare_;
  bool prepared_ = false;  ///< in-process
  std::unique_ptr<Pool> pool_;
};

}  // namespace negzero::run
