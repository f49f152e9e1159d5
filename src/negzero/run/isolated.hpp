// Work on numbered items in child processes: an item that kills, hangs or corrupts its process is reported, and the
// work goes on in a fresh one.
//
//   parent: next() -> Task{request, begin, end} ----> child: for i in [begin, end): work(request, i)
//           on_event(Reply i | Died i) <------------------- one framed reply an item, in order
//
// Replies come one at a time and in order, so when a child dies the item in flight is the one after its last reply:
// nothing has to be written anywhere for a death to be attributed.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>

namespace negzero::run {

/// Items [begin, end) of one request.
struct Task {
  std::string request;
  std::uint64_t begin = 0, end = 0;
  std::uint64_t tag = 0;  ///< the caller's own number for the task, given back in events
};

/// How a child ended while it worked on an item.
struct Death {
  enum class Kind : unsigned char {
    Signal,   ///< `code` is the signal
    Exit,     ///< the process ended by itself; `code` is its exit status
    Hang,     ///< no reply within the time limit; it was killed; `code` is the limit in milliseconds
    Garbage,  ///< what came through its socket was no reply of ours, or it closed the socket and lived on
  };
  Kind kind = Kind::Signal;
  int code = 0;
  bool in_kernel = false;  ///< mark_kernel() was in force
  /// "killed by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string to_string() const;
};

/// In a child: says whether a kernel runs from now on, so that a death can tell a kernel's doing from ours. Elsewhere
/// it does nothing.
void mark_kernel(bool runs) noexcept;

/// One item done, or the death of its process.
struct Event {
  std::uint64_t tag = 0, index = 0;
  std::optional<Death> death;
  std::string reply;  ///< when there is no death
};

struct IsolationOptions {
  int jobs = 1;                      ///< child processes at a time
  std::uint64_t timeout_ms = 10000;  ///< longest time for one item
  bool in_process = false;           ///< no children: for debuggers and fuzzers; a crash then ends the program
};

/// Child processes that work on items. They are forked when first needed and kept between calls of run().
///
/// `work` runs in a child, so it sees the parent's memory as it was at the fork. There its standard output is sent to
/// standard error, a Ctrl-C is ignored (SIGTERM and SIGHUP too), no core is written, the kernel's out-of-memory killer
/// takes it before the parent, and an exception that leaves `work` ends it. Needs a caller without threads of its own.
class Isolation {
 public:
  using Work = std::function<std::string(std::string_view request, std::uint64_t index)>;

  Isolation(const IsolationOptions& options, Work work);
  ~Isolation();
  Isolation(const Isolation&) = delete;
  Isolation& operator=(const Isolation&) = delete;

  /// Runs tasks until next() returns nothing for the first time and all replies are there. Every item of a task gets
  /// exactly one event, unless `on_event` says by returning false that the rest of that task is not wanted. A task
  /// without items is skipped. `stop` is polled at least ten times a second; once true, busy children are killed and
  /// run() returns. Errors are infrastructure errors (fork or socketpair failed). In-process, an exception of `work`
  /// passes through.
  [[nodiscard]] base::Status run(const std::function<std::optional<Task>()>& next,
                                 const std::function<bool(const Event&)>& on_event, const std::function<bool()>& stop);

 private:
  class Pool;
  IsolationOptions options_;
  Work work_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace negzero::run
