// One child process that works on the items of one task at a time, and the frames between it and its parent.
//
//   parent -> child   begin, end, request size, singly   request     one a task
//   child -> parent   magic, size, index                 reply       one an item, in order; with another magic where it
//                                                                    is the last one of a child that then ends
//   child -> parent   ready magic, 0, 0                              once, after `prepare`
//   child -> parent   last words' magic, size, code      blame, why  at most once, then it ends

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include <negzero/base/result.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::run {

struct SharedPage;

/// The parent's handle of a child. It is reaped when the handle goes.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// What a child does.
  struct Duties {
    const Isolation::Work& work;
    const Isolation::BatchWork& batch;  ///< may be empty: then every task runs singly
    const Isolation::Prepare& prepare;  ///< may be empty
    int number = 0;                     ///< of the child, for `prepare`
  };
  /// Forks. Of the parent's descriptors the child keeps the standard ones and its socket. Requires !alive().
  [[nodiscard]] base::Status start(const Duties& duties);

  [[nodiscard]] bool alive() const { return pid_ > 0; }
  /// Whether replies are outstanding.
  [[nodiscard]] bool busy() const { return task_.has_value(); }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::uint64_t tag() const { return task_->tag; }  ///< of the task in flight
  [[nodiscard]] std::uint64_t index() const { return next_; }     ///< of the item in flight

  /// Whether an idle child still waits for a task: one that has ended, or has written what was not asked for, does not.
  [[nodiscard]] bool is_waiting() const;
  /// Sends a task of at least one item. One that does not arrive shows itself as the end of the child.
  void assign(Task task);

  /// Reads what has come. False once the other end is closed.
  [[nodiscard]] bool receive();
  enum class Frame : unsigned char { None, Reply, Garbage, LastWords };
  /// Takes the reply to the item in flight out of what has come, if all of it has; `batch_death` is the task's, with
  /// the reply to its last item. After LastWords the child ends.
  [[nodiscard]] Frame take(std::string& reply, std::optional<Death>& batch_death);
  /// What the child said before it ended itself. Requires LastWords.
  struct LastWords {
    Blame blame = Blame::Item;
    int code = 0;
    std::string why;
  };
  [[nodiscard]] const LastWords& last_words() const { return last_words_; }

  /// The limit that the item in flight has passed, in milliseconds: see IsolationOptions::timeout_ms. To be asked
  /// often.
  [[nodiscard]] std::optional<std::uint64_t> overdue(std::uint64_t timeout_ms);
  /// Starts the time of the item in flight again.
  void touch() { last_reply_ = std::chrono::steady_clock::now(); }

  /// Whether the child worked on several items together, so that its death blames none of them.
  [[nodiscard]] bool in_batch() const { return task_ && !task_->singly && task_->begin + 1 < task_->end; }
  /// Gives up the task in flight; returns what is left of it behind the item in flight, when there is anything.
  std::optional<Task> drop_task();
  /// Whether the child has said with its last reply that it takes no more work (retire_worker()).
  [[nodiscard]] bool is_retired() const { return retired_; }
  /// Gives up the task in flight; returns what has no reply. Requires busy().
  [[nodiscard]] Task take_back();
  void kill() const;
  /// Whether the child is dead, be its socket closed or held open by what it has forked. Requires alive().
  [[nodiscard]] bool has_ended() const;
  /// Reaps a child that is ending, or that kill() has ended; says how. A child that lives on although its socket is
  /// closed is killed: its death is Garbage.
  Death end();

 private:
  Frame wait_for_more();
  [[nodiscard]] bool in_kernel() const;

  pid_t pid_ = -1;
  int socket_ = -1;
  SharedPage* page_ = nullptr;
  bool ready_ = false;  ///< the child has finished `prepare`
  bool retired_ = false;
  LastWords last_words_;
  std::string inbox_;
  std::size_t taken_ = 0;
  std::optional<Task> task_;
  std::uint64_t next_ = 0;
  std::chrono::steady_clock::time_point last_reply_{};
  std::chrono::steady_clock::time_point last_progress_{};  ///< when progress_seen_ was seen to change
  std::uint64_t progress_seen_ = 0;
};

}  // namespace negzero::run
