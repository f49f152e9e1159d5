// Work on numbered items in child processes: an item that kills, hangs or corrupts its process is reported, and the
// work goes on in a fresh one.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/isolated.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMagic = 0x6e677a30;  // "0zgn": tells our frames from what a kernel wrote to a stray descriptor
constexpr std::uint32_t kMaxReply = 1u << 28;

struct TaskHeader {
  std::uint64_t begin, end, request_bytes;
};
struct ReplyHeader {
  std::uint32_t magic, bytes;
  std::uint64_t index;
};

bool write_all(int fd, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::send(fd, at, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::read(fd, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

/// The life of a child: tasks in, replies out, until the parent closes the socket.
[[noreturn]] void serve(int fd, const Isolation::Work& work) {
  std::string request, frame;
  for (TaskHeader task; read_all(fd, &task, sizeof task);) {
    request.resize(task.request_bytes);
    if (!read_all(fd, request.data(), request.size())) break;
    for (std::uint64_t index = task.begin; index < task.end; ++index) {
      const std::string reply = work(request, index);
      const ReplyHeader header{kMagic, static_cast<std::uint32_t>(reply.size()), index};
      frame.assign(reinterpret_cast<const char*>(&header), sizeof header);
      frame += reply;
      if (!write_all(fd, frame.data(), frame.size())) ::_exit(0);
    }
  }
  ::_exit(0);
}

void become_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::fflush(nullptr);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

class Child {
 public:
  ~Child() { end(); }

  /// Forks. `others` are sockets of the parent that the child must not keep open.
  base::Status start(const Isolation::Work& work, const std::vector<int>& others) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return base::infrastructure_error(
          fmt::format("cannot make a socket pair for a worker: {}", std::strerror(errno)));
    }
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    if (pid < 0) {
      const int reason = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      return base::infrastructure_error(fmt::format("cannot fork a worker process: {}", std::strerror(reason)));
    }
    if (pid == 0) {
      ::close(ends[0]);
      for (const int fd : others) ::close(fd);
      become_child();
      serve(ends[1], work);
    }
    ::close(ends[1]);
    fd_ = ends[0];
    pid_ = pid;
    inbox_.clear();
    return base::Ok{};
  }

  [[nodiscard]] bool alive() const { return pid_ > 0; }
  [[nodiscard]] bool busy() const { return task_.has_value(); }
  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] const Task& task() const { return *task_; }
  [[nodiscard]] std::uint64_t index() const { return next_; }

  void assign(Task task) {
    next_ = task.begin;
    task_ = std::move(task);
    const TaskHeader header{task_->begin, task_->end, task_->request.size()};
    // A child that is already dead shows itself as end of file on the next read.
    if (write_all(fd_, &header, sizeof header)) (void)write_all(fd_, task_->request.data(), task_->request.size());
    touch();
  }
  void touch() { last_progress_ = Clock::now(); }
  [[nodiscard]] bool overdue(std::uint64_t timeout_ms) const {
    return busy() && Clock::now() - last_progress_ > std::chrono::milliseconds(timeout_ms);
  }

  /// Reads what there is. False at end of file.
  bool receive() {
    char buffer[65536];
    const ssize_t done = ::recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (done > 0) {
      inbox_.append(buffer, static_cast<std::size_t>(done));
      touch();
      return true;
    }
    return done < 0 && (errno == EAGAIN || errno == EINTR);
  }

  enum class Frame : unsigned char { None, Reply, Garbage };
  Frame take(std::string& reply) {
    ReplyHeader header;
    if (inbox_.size() - taken_ < sizeof header) return compact();
    std::memcpy(&header, inbox_.data() + taken_, sizeof header);
    if (!busy() || header.magic != kMagic || header.index != next_ || header.bytes > kMaxReply) return Frame::Garbage;
    if (inbox_.size() - taken_ < sizeof header + header.bytes) return compact();
    reply.assign(inbox_, taken_ + sizeof header, header.bytes);
    taken_ += sizeof header + header.bytes;
    if (++next_ == task_->end) task_.reset();
    return Frame::Reply;
  }

  /// Kills and reaps; returns the rest of the task after the item in flight, when there is one.
  std::optional<Task> rest_after_death() {
    std::optional<Task> rest;
    if (task_ && next_ + 1 < task_->end) {
      rest = std::move(task_);
      rest->begin = next_ + 1;
    }
    task_.reset();
    return rest;
  }

  /// Reaps a child that ended by itself, or kills it. Returns how it ended.
  Death end() {
    Death death;
    if (!alive()) return death;
    ::close(fd_);
    // A child that closed its socket is ending; one that hangs or babbles is not, and is killed at once by the caller.
    int status = 0;
    for (int tries = 0; ::waitpid(pid_, &status, tries < 200 ? WNOHANG : 0) == 0; ++tries) {
      if (tries == 199) ::kill(pid_, SIGKILL);
      ::usleep(500);
    }
    pid_ = -1;
    fd_ = -1;
    inbox_.clear();
    taken_ = 0;
    if (WIFSIGNALED(status)) return {Death::Kind::Signal, WTERMSIG(status)};
    return {Death::Kind::Exit, WEXITSTATUS(status)};
  }
  void kill() const { ::kill(pid_, SIGKILL); }

 private:
  Frame compact() {
    inbox_.erase(0, taken_);
    taken_ = 0;
    return Frame::None;
  }

  pid_t pid_ = -1;
  int fd_ = -1;
  std::string inbox_;
  std::size_t taken_ = 0;
  std::optional<Task> task_;
  std::uint64_t next_ = 0;
  Clock::time_point last_progress_;
};

base::Status run_in_process(const Isolation::Work& work, const std::function<std::optional<Task>()>& next,
                            const std::function<bool(const Event&)>& on_event, const std::function<bool()>& stop) {
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
      return "no answer within the time limit";
    case Kind::Garbage:
      return "the process wrote over the pipe to its parent";
  }
  return "unknown";
}

/// The parent's side: children, the tasks that a death left unfinished, and the loop.
class Isolation::Pool {
 public:
  using Next = std::function<std::optional<Task>()>;
  using OnEvent = std::function<bool(const Event&)>;

  Pool(const IsolationOptions& options, const Work& work) : options_(options), work_(work) {
    for (int i = 0; i < std::max(1, options.jobs); ++i) children_.push_back(std::make_unique<Child>());
  }

  base::Status run(const Next& next, const OnEvent& on_event, const std::function<bool()>& stop) {
    unfinished_.clear();
    while (!stop()) {
      bool any_busy = false;
      for (auto& child : children_) {
        if (const base::Status fed = feed(*child, next); !fed) return fed;
        any_busy = any_busy || child->busy();
      }
      if (!any_busy) return base::Ok{};
      wait_and_read(on_event);
    }
    for (auto& child : children_) {
      if (!child->busy()) continue;
      child->kill();
      (void)child->rest_after_death();
      child->end();
    }
    return base::Ok{};
  }

 private:
  base::Status feed(Child& child, const Next& next) {
    if (child.busy()) return base::Ok{};
    std::optional<Task> task;
    if (!unfinished_.empty()) {
      task = std::move(unfinished_.back());
      unfinished_.pop_back();
    } else {
      task = next();
    }
    if (!task || task->begin >= task->end) return base::Ok{};
    if (!child.alive()) {
      if (const base::Status started = child.start(work_, sockets()); !started) return started;
    }
    child.assign(std::move(*task));
    return base::Ok{};
  }

  [[nodiscard]] std::vector<int> sockets() const {
    std::vector<int> fds;
    for (const auto& child : children_) {
      if (child->alive()) fds.push_back(child->fd());
    }
    return fds;
  }

  void wait_and_read(const OnEvent& on_event) {
    std::vector<pollfd> polls;
    std::vector<Child*> owners;
    for (auto& child : children_) {
      if (!child->busy()) continue;
      polls.push_back({child->fd(), POLLIN, 0});
      owners.push_back(child.get());
    }
    ::poll(polls.data(), polls.size(), 50);
    for (std::size_t i = 0; i < polls.size(); ++i) {
      Child& child = *owners[i];
      const bool open = polls[i].revents == 0 || child.receive();
      const bool clean = deliver(child, on_event);
      if (!clean) continue;
      if (!open) {
        bury(child, std::nullopt, on_event);
      } else if (child.overdue(options_.timeout_ms)) {
        child.kill();
        bury(child, Death{Death::Kind::Hang, 0}, on_event);
      }
    }
  }

  /// Hands out complete replies. False when the child had to be given up.
  bool deliver(Child& child, const OnEvent& on_event) {
    std::string reply;
    for (;;) {
      const std::uint64_t tag = child.busy() ? child.task().tag : 0;
      const std::uint64_t index = child.index();
      switch (child.take(reply)) {
        case Child::Frame::None:
          return true;
        case Child::Frame::Garbage:
          child.kill();
          bury(child, Death{Death::Kind::Garbage, 0}, on_event);
          return false;
        case Child::Frame::Reply:
          if (!on_event({tag, index, std::nullopt, std::move(reply)}) && child.busy()) {
            // The rest of the task is not wanted: a fresh process is cheaper than waiting for it.
            child.kill();
            (void)child.rest_after_death();
            child.end();
            return false;
          }
      }
    }
  }

  void bury(Child& child, std::optional<Death> known, const OnEvent& on_event) {
    const bool was_busy = child.busy();
    Event event;
    if (was_busy) {
      event.tag = child.task().tag;
      event.index = child.index();
    }
    std::optional<Task> rest = child.rest_after_death();
    const Death seen = child.end();
    event.death = known ? *known : seen;
    if (was_busy && on_event(event) && rest) unfinished_.push_back(std::move(*rest));
  }

  const IsolationOptions& options_;
  const Isolation::Work& work_;
  std::vector<std::unique_ptr<Child>> children_;
  std::vector<Task> unfinished_;
};

Isolation::Isolation(const IsolationOptions& options, Work work) : options_(options), work_(std::move(work)) {
  if (!options_.in_process) pool_ = std::make_unique<Pool>(options_, work_);
}

Isolation::~Isolation() = default;

base::Status Isolation::run(const std::function<std::optional<Task>()>& next,
                            const std::function<bool(const Event&)>& on_event, const std::function<bool()>& stop) {
  if (pool_) return pool_->run(next, on_event, stop);
  return run_in_process(work_, next, on_event, stop);
}

}  // namespace negzero::run
