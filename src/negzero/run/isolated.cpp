// Work on numbered items in child processes: an item that kills, hangs or corrupts its process is reported, and the
// work goes on in a fresh one.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include <negzero/base/duration.hpp>
#include <negzero/run/isolated.hpp>
#include <negzero/run/worker_process.hpp>

namespace negzero::run {

namespace {

using Next = std::function<std::optional<Task>()>;
using OnEvent = std::function<bool(const Event&)>;
using Stop = std::function<bool()>;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 50;
// A loop that comes back this late was itself not running (a suspended terminal, a busy listener): nobody hung.
constexpr std::chrono::milliseconds kStall{1000};

base::Status run_in_process(const Isolation::Work& work, const Next& next, const OnEvent& on_event, const Stop& stop) {
  while (std::optional<Task> task = next()) {
    for (std::uint64_t index = task->begin; index < task->end; ++index) {
      if (stop()) return base::Ok{};
      if (!on_event({task->tag, index, std::nullopt, work(task->request, index)})) break;
    }
  }
  return base::Ok{};
}

}  // namespace

std::string Death::to_string() const {
  switch (kind) {
    case Kind::Signal:
      return fmt::format("killed by signal {} ({})", code, ::strsignal(code));
    case Kind::Exit:
      return fmt::format("the process ended itself with exit status {}", code);
    case Kind::Hang:
      return "no answer within " + base::duration_text(static_cast<std::uint64_t>(code));
    case Kind::Garbage:
      return "the process wrote to, or closed, the socket to its parent";
  }
  return "unknown";
}

/// The parent's side: children, the tasks that a death left unfinished, and the loop.
class Isolation::Pool {
 public:
  Pool(const IsolationOptions& options, const Work& work) : options_(options), work_(work) {
    for (int i = 0; i < std::max(1, options.jobs); ++i) children_.push_back(std::make_unique<WorkerProcess>());
  }

  base::Status run(const Next& next, const OnEvent& on_event, const Stop& stop) {
    base::Status result = loop(next, on_event, stop);
    // Nothing in flight is wanted any more. Idle children stay for the next run.
    for (auto& child : children_) {
      if (!child->busy()) continue;
      child->kill();
      child->end();
    }
    unfinished_.clear();
    return result;
  }

 private:
  base::Status loop(const Next& next, const OnEvent& on_event, const Stop& stop) {
    more_ = true;
    last_turn_ = Clock::now();
    while (!stop()) {
      bool any_busy = false;
      for (auto& child : children_) {
        if (const base::Status fed = feed(*child, next); !fed) return fed;
        any_busy = any_busy || child->busy();
      }
      if (!any_busy) return base::Ok{};
      wait_and_read(on_event);
    }
    return base::Ok{};
  }

  std::optional<Task> next_task(const Next& next) {
    if (!unfinished_.empty()) {
      Task task = std::move(unfinished_.back());
      unfinished_.pop_back();
      return task;
    }
    while (more_) {
      std::optional<Task> task = next();
      if (!task) more_ = false;
      if (task && task->begin < task->end) return task;
    }
    return std::nullopt;
  }

  base::Status feed(WorkerProcess& child, const Next& next) {
    if (child.busy()) return base::Ok{};
    std::optional<Task> task = next_task(next);
    if (!task) return base::Ok{};
    // Whoever ended while it had nothing to do must not be held against the next item.
    if (child.alive() && !child.is_waiting()) {
      child.kill();
      child.end();
    }
    if (!child.alive()) {
      if (const base::Status started = child.start(work_, sockets()); !started) return started;
    }
    child.assign(std::move(*task));
    return base::Ok{};
  }

  [[nodiscard]] std::vector<int> sockets() const {
    std::vector<int> result;
    for (const auto& child : children_) {
      if (child->alive()) result.push_back(child->socket());
    }
    return result;
  }

  void wait_and_read(const OnEvent& on_event) {
    polls_.clear();
    owners_.clear();
    for (auto& child : children_) {
      if (!child->busy()) continue;
      polls_.push_back({child->socket(), POLLIN, 0});
      owners_.push_back(child.get());
    }
    ::poll(polls_.data(), polls_.size(), kPollMs);
    const bool stalled = Clock::now() - std::exchange(last_turn_, Clock::now()) > kStall;
    for (std::size_t i = 0; i < polls_.size(); ++i) {
      WorkerProcess& child = *owners_[i];
      if (stalled) child.touch();
      const bool open = polls_[i].revents == 0 || child.receive();
      if (!deliver(child, on_event)) continue;
      if (!open) {
        bury(child, std::nullopt, on_event);
      } else if (child.overdue(options_.timeout_ms)) {
        child.kill();
        bury(child, Death::Kind::Hang, on_event);
      }
    }
  }

  /// Hands out complete replies. False when the child had to be given up.
  bool deliver(WorkerProcess& child, const OnEvent& on_event) {
    std::string reply;
    while (child.busy()) {
      const std::uint64_t tag = child.tag(), index = child.index();
      switch (child.take(reply)) {
        case WorkerProcess::Frame::None:
          return true;
        case WorkerProcess::Frame::Garbage:
          child.kill();
          bury(child, Death::Kind::Garbage, on_event);
          return false;
        case WorkerProcess::Frame::Reply:
          if (!on_event({tag, index, std::nullopt, std::move(reply)}) && child.busy()) {
            // The rest of the task is not wanted: a fresh process is cheaper than waiting for it.
            child.kill();
            child.end();
            return false;
          }
      }
    }
    return true;
  }

  /// Reports the death of a child that has ended or was killed. An idle one has nothing to be blamed for.
  void bury(WorkerProcess& child, std::optional<Death::Kind> known, const OnEvent& on_event) {
    if (!child.busy()) {
      child.end();
      return;
    }
    Event event{child.tag(), child.index(), std::nullopt, ""};
    std::optional<Task> rest = child.drop_task();
    event.death = child.end();
    if (known) event.death->kind = *known;
    if (known) event.death->code = *known == Death::Kind::Hang ? limit_ms() : 0;
    if (on_event(event) && rest) unfinished_.push_back(std::move(*rest));
  }

  [[nodiscard]] int limit_ms() const {
    return static_cast<int>(std::min<std::uint64_t>(options_.timeout_ms, std::numeric_limits<int>::max()));
  }

  const IsolationOptions& options_;
  const Isolation::Work& work_;
  std::vector<std::unique_ptr<WorkerProcess>> children_;
  std::vector<Task> unfinished_;
  bool more_ = true;  ///< next() has not said that there is nothing left
  Clock::time_point last_turn_{};
  std::vector<pollfd> polls_;
  std::vector<WorkerProcess*> owners_;
};

Isolation::Isolation(const IsolationOptions& options, Work work) : options_(options), work_(std::move(work)) {
  if (!options_.in_process) pool_ = std::make_unique<Pool>(options_, work_);
}

Isolation::~Isolation() = default;

base::Status Isolation::run(const Next& next, const OnEvent& on_event, const Stop& stop) {
  if (pool_) return pool_->run(next, on_event, stop);
  return run_in_process(work_, next, on_event, stop);
}

}  // namespace negzero::run
