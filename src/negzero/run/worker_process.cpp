// One child process that works on the items of one task at a time, and the frames between it and its parent.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/worker_process.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMagic = 0x6e677a30;  // "0zgn": tells our frames from what a kernel wrote to a stray descriptor
constexpr std::uint32_t kMaxReply = 1u << 28;
constexpr int kSendTimeoutSeconds = 10;  // A child that is stopped does not read; its time limit ends it then.

struct TaskHeader {
  std::uint64_t begin, end, request_bytes;
};
struct ReplyHeader {
  std::uint32_t magic, bytes;
  std::uint64_t index;
};

constexpr std::size_t kPage = 4096;
volatile unsigned char* this_childs_mark = nullptr;

bool write_all(int socket, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::send(socket, at, bytes, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool read_all(int socket, void* data, std::size_t bytes) {
  char* at = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::read(socket, at, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

void become_child(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // The parent died before it could be watched.
  // These come to a whole group of processes. The parent decides what they mean; a death of ours would be a finding.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // A kernel that takes all memory shall not cost the parent its life.
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(score, "1000", 4);
    ::close(score);
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // Line by line, so that the last words of a kernel that dies are seen. A buffer of its own, because glibc keeps the
  // old mode of a buffer that has been used.
  static char lines[BUFSIZ];
  std::setvbuf(stdout, lines, _IOLBF, sizeof lines);
}

/// The life of a child: tasks in, replies out, until the parent closes the socket. noexcept, because an exception that
/// went on through the parent's frames would let the child do the parent's work too.
[[noreturn]] void serve(int socket, const Isolation::Work& work) noexcept {
  std::string request, frame;
  for (TaskHeader task; read_all(socket, &task, sizeof task);) {
    request.resize(task.request_bytes);
    if (!read_all(socket, request.data(), request.size())) break;
    for (std::uint64_t index = task.begin; index < task.end; ++index) {
      const std::string reply = work(request, index);
      const ReplyHeader header{kMagic, static_cast<std::uint32_t>(reply.size()), index};
      frame.assign(reinterpret_cast<const char*>(&header), sizeof header);
      frame += reply;
      // The item closed or replaced our socket. The parent sees that; an exit would look like the kernel's own.
      while (!write_all(socket, frame.data(), frame.size())) ::pause();
    }
  }
  ::_exit(0);
}

base::Error cannot(const char* what, int reason) {
  return base::infrastructure_error(
      fmt::format("cannot {} for a worker process: {}; try a smaller --jobs", what, std::strerror(reason)));
}

}  // namespace

void mark_kernel(bool runs) noexcept {
  if (this_childs_mark != nullptr) *this_childs_mark = runs ? 1 : 0;
}

WorkerProcess::~WorkerProcess() {
  end();
  if (mark_ != nullptr) ::munmap(const_cast<unsigned char*>(mark_), kPage);
}

base::Status WorkerProcess::start(const Isolation::Work& work, std::span<const int> others) {
  if (mark_ == nullptr) {
    void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return cannot("map a page", errno);
    mark_ = static_cast<unsigned char*>(page);
  }
  *mark_ = 0;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return cannot("make a socket pair", errno);
  const timeval send_timeout{.tv_sec = kSendTimeoutSeconds, .tv_usec = 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
  std::fflush(nullptr);  // What is buffered now would be written by the child too.
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return cannot("fork", reason);
  }
  if (pid == 0) {
    ::close(ends[0]);
    for (const int other : others) ::close(other);
    become_child(parent);
    this_childs_mark = mark_;
    serve(ends[1], work);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  pid_ = pid;
  inbox_.clear();
  taken_ = 0;
  return base::Ok{};
}

bool WorkerProcess::is_waiting() const {
  char byte;
  const ssize_t seen = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return seen < 0 && (errno == EAGAIN || errno == EINTR) && taken_ == inbox_.size();
}

void WorkerProcess::assign(Task task) {
  next_ = task.begin;
  task_ = std::move(task);
  const TaskHeader header{task_->begin, task_->end, task_->request.size()};
  if (write_all(socket_, &header, sizeof header)) {
    (void)write_all(socket_, task_->request.data(), task_->request.size());
  }
  touch();
}

bool WorkerProcess::receive() {
  char buffer[65536];
  const ssize_t done = ::recv(socket_, buffer, sizeof buffer, MSG_DONTWAIT);
  if (done > 0) {
    inbox_.append(buffer, static_cast<std::size_t>(done));
    touch();
    return true;
  }
  return done < 0 && (errno == EAGAIN || errno == EINTR);
}

WorkerProcess::Frame WorkerProcess::take(std::string& reply) {
  ReplyHeader header;
  const std::size_t here = inbox_.size() - taken_;
  if (here == 0) return wait_for_more();
  // The shortest garbage is told from the beginning of a frame by its first bytes.
  std::memcpy(&header, inbox_.data() + taken_, std::min(here, sizeof header));
  const std::uint32_t magic = kMagic;
  if (!busy() || std::memcmp(&header.magic, &magic, std::min(here, sizeof magic)) != 0) return Frame::Garbage;
  if (here < sizeof header) return wait_for_more();
  if (header.index != next_ || header.bytes > kMaxReply) return Frame::Garbage;
  if (here < sizeof header + header.bytes) return wait_for_more();
  reply.assign(inbox_, taken_ + sizeof header, header.bytes);
  taken_ += sizeof header + header.bytes;
  if (++next_ == task_->end) task_.reset();
  return Frame::Reply;
}

WorkerProcess::Frame WorkerProcess::wait_for_more() {
  inbox_.erase(0, taken_);
  taken_ = 0;
  return Frame::None;
}

bool WorkerProcess::overdue(std::uint64_t timeout_ms) const {
  return busy() && Clock::now() - last_progress_ > std::chrono::milliseconds(timeout_ms);
}

std::optional<Task> WorkerProcess::drop_task() {
  std::optional<Task> rest = std::exchange(task_, std::nullopt);
  if (!rest || next_ + 1 >= rest->end) return std::nullopt;
  rest->begin = next_ + 1;
  return rest;
}

void WorkerProcess::kill() const {
  if (alive()) ::kill(pid_, SIGKILL);
}

Death WorkerProcess::end() {
  if (!alive()) return {};
  ::close(socket_);
  // A child that closed its socket by dying is gone within moments; one that lives on has lost its way to us.
  constexpr int kTries = 200;
  int status = 0;
  bool killed = false;
  for (int tries = 0; ::waitpid(pid_, &status, killed ? 0 : WNOHANG) == 0; ++tries) {
    killed = tries == kTries;
    if (killed) kill();
    if (!killed) ::usleep(500);
  }
  pid_ = -1;
  socket_ = -1;
  inbox_.clear();
  taken_ = 0;
  task_.reset();
  const bool in_kernel = *mark_ != 0;
  if (killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {Death::Kind::Garbage, 0, in_kernel};
  if (WIFSIGNALED(status)) return {Death::Kind::Signal, WTERMSIG(status), in_kernel};
  return {Death::Kind::Exit, WEXITSTATUS(status), in_kernel};
}

}  // namespace negzero::run
