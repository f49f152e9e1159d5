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
    case Kind::Told:
      return message;
  }
  return "unknown";
}

/// The parent's side: children, the tasks that a death left unfinished, and the loop.
class Isolation::Pool {
 public:
  explicit Pool(const Isolation& owner) : options_(owner.options_), owner_(owner) {
    for (int i = 0; i < std::max(1, owner.options_.jobs); ++i) children_.push_back(std::make_unique<WorkerProcess>());
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
    problem_.reset();
    last_turn_ = Clock::now();
    while (!stop()) {
      bool any_busy = false;
      for (std::size_t i = 0; i < children_.size(); ++i) {
        if (const base::Status fed = feed(static_cast<int>(i), next); !fed) return fed;
        any_busy = any_busy || children_[i]->busy();
      }
      if (!any_busy) return base::Ok{};
      wait_and_read(on_event);
      if (problem_) return *std::exchange(problem_, std::nullopt);
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

  base::Status feed(int number, const Next& next) {
    WorkerProcess& child = *children_[static_cast<std::size_t>(number)];
    if (child.busy()) return base::Ok{};
    std::optional<Task> task = next_task(next);
    if (!task) return base::Ok{};
    // Whoever ended while it had nothing to do must not be held against the next item.
    if (child.alive() && !child.is_waiting()) {
      child.kill();
      child.end();
    }
    if (!child.alive()) {
      const WorkerProcess::Duties duties{owner_.work_, owner_.batch_, owner_.prepare_, number};
      if (const base::Status started = child.start(duties); !started) return started;
    }
    child.assign(std::move(*task));
    return base::Ok{};
  }

  void wait_and_read(const OnEvent& on_event) {
    polls_.clear();
    owners_.clear();
    ended_.clear();
    for (auto& child : children_) {
      if (!child->busy()) continue;
      polls_.push_back({child->socket(), POLLIN, 0});
      owners_.push_back(child.get());
      ended_.push_back(child->has_ended());
    }
    ::poll(polls_.data(), polls_.size(), kPollMs);
    const bool stalled = Clock::now() - std::exchange(last_turn_, Clock::now()) > kStall;
    for (std::size_t i = 0; i < polls_.size(); ++i) {
      WorkerProcess& child = *owners_[i];
      if (stalled) child.touch();
      // Whoever had ended before and has left nothing unread is gone, although something it forked may hold its socket.
      const bool open = polls_[i].revents == 0 ? !ended_[i] : child.receive();
      if (!deliver(child, on_event)) continue;
      if (!open) {
        bury(child, std::nullopt, on_event);
      } else if (const auto limit_ms = child.overdue(options_.timeout_ms)) {
        child.kill();
        bury(child, Death::Kind::Hang, on_event, *limit_ms);
      }
    }
  }

  /// Hands out complete replies. False when the child had to be given up.
  bool deliver(WorkerProcess& child, const OnEvent& on_event) {
    std::string reply;
    std::optional<Death> batch_death;
    while (child.busy()) {
      const std::uint64_t tag = child.tag(), index = child.index();
      switch (child.take(reply, batch_death)) {
        case WorkerProcess::Frame::None:
          return true;
        case WorkerProcess::Frame::Garbage:
          child.kill();
          bury(child, Death::Kind::Garbage, on_event);
          return false;
        case WorkerProcess::Frame::LastWords:
          if (child.last_words().blame == Blame::Machine) {
            const auto kind = static_cast<base::ErrorKind>(child.last_words().code);
            problem_ = {kind <= base::ErrorKind::Unavailable ? kind : base::ErrorKind::Infrastructure,
                        child.last_words().why};
          }
          bury(child, Death::Kind::Told, on_event);
          return false;
        case WorkerProcess::Frame::Reply: {
          const bool wanted = on_event({tag, index, std::nullopt, std::move(reply), std::move(batch_death)});
          if (child.is_retired() && child.busy() && wanted) unfinished_.push_back(child.take_back());
          if (child.is_retired() || (child.busy() && !wanted)) {
            // The rest of a task that is not wanted: a fresh process is cheaper than waiting for it.
            child.kill();
            child.end();
            return false;
          }
        }
      }
    }
    return true;
  }

  /// Reports the death of a child that has ended or was killed. An idle one has nothing to be blamed for.
  void bury(WorkerProcess& child, std::optional<Death::Kind> known, const OnEvent& on_event,
            std::uint64_t limit_ms = 0) {
    if (!child.busy()) {
      child.end();
      return;
    }
    Event event{child.tag(), child.index(), std::nullopt, "", std::nullopt};
    const bool in_batch = owner_.batch_ && child.in_batch();
    std::optional<Task> rest = in_batch ? child.take_back() : child.drop_task();
    const WorkerProcess::LastWords words = child.last_words();
    Death death = child.end();
    if (known) death.kind = *known;
    if (known) death.code = static_cast<int>(std::min<std::uint64_t>(limit_ms, std::numeric_limits<int>::max()));
    if (known == Death::Kind::Told) {
      death.code = words.code;
      death.message = words.why;
    }
    if (problem_) return;
    if (in_batch) {
      rest->singly = true;
      rest->batch_death = std::move(death);
      unfinished_.push_back(std::move(*rest));
      return;
    }
    event.death = std::move(death);
    if (on_event(event) && rest) unfinished_.push_back(std::move(*rest));
  }

  const IsolationOptions& options_;
  const Isolation& owner_;
  std::optional<base::Error> problem_;  ///< why the loop has to end
  std::vector<std::unique_ptr<WorkerProcess>> children_;
  std::vector<Task> unfinished_;
  bool more_ = true;  ///< next() has not said that there is nothing left
  Clock::time_point last_turn_{};
  std::vector<pollfd> polls_;
  std::vector<WorkerProcess*> owners_;
  std::vector<bool> ended_;
};

Isolation::Isolation(const IsolationOptions& options, Work work, BatchWork batch, Prepare prepare)
    : options_(options), work_(std::move(work)), batch_(std::move(batch)), prepare_(std::move(prepare)) {
  if (!options_.in_process) pool_ = std::make_unique<Pool>(*this);
}

Isolation::~Isolation() = default;

base::Status Isolation::run(const Next& next, const OnEvent& on_event, const Stop& stop) {
  return pool_ ? pool_->run(next, on_event, stop) : run_in_process(next, on_event, stop);
}

base::Status Isolation::run_in_process(const Next& next, const OnEvent& on_event, const Stop& stop) {
  if (prepare_ && !std::exchange(prepared_, true)) {
    if (const base::Status prepared = prepare_(0); !prepared) return prepared;
  }
  while (std::optional<Task> task = next()) {
    for (std::uint64_t index = task->begin; index < task->end; ++index) {
      if (stop()) return base::Ok{};
      if (!on_event({task->tag, index, std::nullopt, work_(task->request, index), std::nullopt})) break;
    }
  }
  return base::Ok{};
}

}  // namespace negzero::run
