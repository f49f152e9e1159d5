// One child process that works on the items of one task at a time, and the frames between it and its parent.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
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
constexpr std::uint32_t kReadyMagic = 0x6e677a31;
constexpr std::uint32_t kLastWordsMagic = 0x6e677a32;
constexpr std::uint32_t kMaxReply = 1u << 28;
constexpr int kSendTimeoutSeconds = 10;  // A child that is stopped does not read; its time limit ends it then.

struct TaskHeader {
  std::uint64_t begin, end, request_bytes, singly;
};
struct ReplyHeader {
  std::uint32_t magic, bytes;
  std::uint64_t index;
};

constexpr std::size_t kPage = 4096;
volatile unsigned* this_childs_mark = nullptr;
int this_childs_socket = -1;

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

std::mutex frame_mutex;  ///< threads of a child send one after the other

void append_frame(std::string& frames, const ReplyHeader& header, std::string_view body) {
  frames.append(reinterpret_cast<const char*>(&header), sizeof header);
  frames += body;
}

/// Sends whole frames. A child whose socket an item has closed or replaced stays and waits for its end: the parent sees
/// the closed socket, and an exit would look like the kernel's own.
void send(std::string_view frames) {
  const std::lock_guard hold(frame_mutex);
  while (!write_all(this_childs_socket, frames.data(), frames.size())) ::pause();
}

void work_on(const WorkerProcess::Duties& duties, const TaskHeader& task, const std::string& request) {
  std::string frames;
  std::uint64_t index = task.begin;
  const auto emit = [&](std::span<const std::string> replies) {
    frames.clear();
    for (const std::string& reply : replies) {
      append_frame(frames, {kMagic, static_cast<std::uint32_t>(reply.size()), index++}, reply);
    }
    send(frames);
  };
  if (task.singly == 0 && duties.batch) {
    duties.batch(request, task.begin, task.end, emit);
    return;
  }
  while (index < task.end) {
    const std::string reply = duties.work(request, index);
    emit({&reply, 1});
  }
}

/// The life of a child: tasks in, replies out, until the parent closes the socket. noexcept, because an exception that
/// went on through the parent's frames would let the child do the parent's work too.
[[noreturn]] void serve(const WorkerProcess::Duties& duties) noexcept {
  std::string request;
  if (duties.prepare) {
    const base::Status prepared = duties.prepare(duties.number);
    if (!prepared) end_worker(Blame::Machine, static_cast<int>(prepared.error().kind), prepared.error().message);
    append_frame(request, {kReadyMagic, 0, 0}, {});
    send(request);
  }
  for (TaskHeader task; read_all(this_childs_socket, &task, sizeof task);) {
    request.resize(task.request_bytes);
    if (!read_all(this_childs_socket, request.data(), request.size())) break;
    work_on(duties, task, request);
  }
  ::_exit(0);
}

base::Error cannot(const char* what, int reason) {
  return base::infrastructure_error(
      fmt::format("cannot {} for a worker process: {}; try a smaller --jobs", what, std::strerror(reason)));
}

}  // namespace

void mark_kernel(bool runs) noexcept {
  if (this_childs_mark != nullptr) __atomic_fetch_add(this_childs_mark, runs ? 1u : ~0u, __ATOMIC_RELAXED);
}

bool in_worker() noexcept { return this_childs_mark != nullptr; }

void end_worker(Blame blame, int code, std::string_view why) noexcept {
  const std::string body = std::string(1, static_cast<char>(blame)) + std::string(why);
  std::string frame;
  append_frame(frame, {kLastWordsMagic, static_cast<std::uint32_t>(body.size()), static_cast<std::uint64_t>(code)},
               body);
  send(frame);
  ::_exit(1);
}

WorkerProcess::~WorkerProcess() {
  end();
  if (mark_ != nullptr) ::munmap(const_cast<unsigned*>(mark_), kPage);
}

base::Status WorkerProcess::start(const Duties& duties, std::span<const int> others) {
  if (mark_ == nullptr) {
    void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return cannot("map a page", errno);
    mark_ = static_cast<unsigned*>(page);
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
    this_childs_socket = ends[1];
    serve(duties);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  pid_ = pid;
  ready_ = !duties.prepare;
  last_words_ = {};
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
  const TaskHeader header{task_->begin, task_->end, task_->request.size(), task_->singly ? 1u : 0u};
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

WorkerProcess::Frame WorkerProcess::take(std::string& reply, std::optional<Death>& batch_death) {
  ReplyHeader header;
  const std::size_t here = inbox_.size() - taken_;
  if (here == 0) return wait_for_more();
  // The shortest garbage is told from the beginning of a frame by its first bytes.
  std::memcpy(&header, inbox_.data() + taken_, std::min(here, sizeof header));
  const auto begins_with = [&](const std::uint32_t& magic) {
    return std::memcmp(&header.magic, &magic, std::min(here, sizeof magic)) == 0;
  };
  const bool is_known = begins_with(kMagic) || begins_with(kReadyMagic) || begins_with(kLastWordsMagic);
  if (!busy() || !is_known) return Frame::Garbage;
  if (here < sizeof header) return wait_for_more();
  if (header.magic == kMagic && (header.index != next_ || header.bytes > kMaxReply)) return Frame::Garbage;
  if (here < sizeof header + header.bytes) return wait_for_more();
  const std::string_view body = std::string_view(inbox_).substr(taken_ + sizeof header, header.bytes);
  taken_ += sizeof header + header.bytes;
  if (header.magic == kReadyMagic) {
    ready_ = true;
    return take(reply, batch_death);
  }
  if (header.magic == kLastWordsMagic) {
    if (body.empty()) return Frame::Garbage;
    last_words_ = {body[0] == static_cast<char>(Blame::Machine) ? Blame::Machine : Blame::Item,
                   static_cast<int>(header.index), std::string(body.substr(1))};
    return Frame::LastWords;
  }
  reply.assign(body);
  batch_death.reset();
  if (++next_ == task_->end) {
    batch_death = std::move(task_->batch_death);
    task_.reset();
  }
  return Frame::Reply;
}

WorkerProcess::Frame WorkerProcess::wait_for_more() {
  inbox_.erase(0, taken_);
  taken_ = 0;
  return Frame::None;
}

bool WorkerProcess::overdue(std::uint64_t timeout_ms) const {
  const std::uint64_t limit_ms = ready_ ? timeout_ms : std::max(timeout_ms, Isolation::kPrepareMs);
  return busy() && Clock::now() - last_progress_ > std::chrono::milliseconds(limit_ms);
}

std::optional<Task> WorkerProcess::drop_task() {
  std::optional<Task> rest = std::exchange(task_, std::nullopt);
  if (!rest || next_ + 1 >= rest->end) return std::nullopt;
  rest->begin = next_ + 1;
  rest->batch_death.reset();  // The item in flight explains it.
  return rest;
}

Task WorkerProcess::take_batch_back() {
  Task rest = *std::exchange(task_, std::nullopt);
  rest.begin = next_;
  rest.singly = true;
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
