// One child process that works on the items of one task at a time, and the frames between it and its parent.
//
//   parent -> child   begin, end, request size   request          one a task
//   child -> parent   magic, reply size, index   reply            one an item, in order

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include <negzero/base/result.hpp>
#include <negzero/run/isolated.hpp>

namespace negzero::run {

/// The parent's handle of a child. It is reaped when the handle goes.
class WorkerProcess {
 public:
  WorkerProcess() = default;
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Forks. `others` are sockets of the parent that the child must not keep open. Requires !alive().
  [[nodiscard]] base::Status start(const Isolation::Work& work, std::span<const int> others);

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
  enum class Frame : unsigned char { None, Reply, Garbage };
  /// Takes the reply to the item in flight out of what has come, if all of it has.
  [[nodiscard]] Frame take(std::string& reply);

  [[nodiscard]] bool overdue(std::uint64_t timeout_ms) const;
  /// Starts the time of the item in flight again.
  void touch() { last_progress_ = std::chrono::steady_clock::now(); }

  /// Gives up the task in flight; returns what is left of it behind the item in flight, when there is anything.
  std::optional<Task> drop_task();
  void kill() const;
  /// Reaps a child that is ending, or that kill() has ended; says how. A child that lives on although its socket is
  /// closed is killed: its death is Garbage.
  Death end();

 private:
  Frame wait_for_more();

  pid_t pid_ = -1;
  int socket_ = -1;
  volatile unsigned char* mark_ = nullptr;  ///< one page shared with the child: whether a kernel runs
  std::string inbox_;
  std::size_t taken_ = 0;
  std::optional<Task> task_;
  std::uint64_t next_ = 0;
  std::chrono::steady_clock::time_point last_progress_{};
};

}  // namespace negzero::run
