// One child process that works on the items of one task at a time, and the frames between it and its parent.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/worker_child.hpp>
#include <negzero/run/worker_frames.hpp>
#include <negzero/run/worker_process.hpp>

namespace negzero::run {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSendTimeoutSeconds = 10;  // A child that is stopped does not read; its time limit ends it then.
constexpr std::size_t kPage = 4096;

base::Error cannot(const char* what, int reason) {
  return base::infrastructure_error(
      fmt::format("cannot {} for a worker process: {}; try a smaller --jobs", what, std::strerror(reason)));
}

}  // namespace

WorkerProcess::~WorkerProcess() {
  end();
  if (page_ != nullptr) ::munmap(page_, kPage);
}

base::Status WorkerProcess::start(const Duties& duties) {
  if (page_ == nullptr) {
    void* const page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return cannot("map a page", errno);
    page_ = static_cast<SharedPage*>(page);
  }
  *page_ = {};
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
    live_as_worker(duties, parent, ends[1], page_);
  }
  ::close(ends[1]);
  socket_ = ends[0];
  pid_ = pid;
  ready_ = !duties.prepare;
  retired_ = false;
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
  const bool is_known = begins_with(kMagic) || begins_with(kReadyMagic) || begins_with(kLastWordsMagic) ||
                        begins_with(kLastReplyMagic);
  if (!busy() || !is_known) return Frame::Garbage;
  if (here < sizeof header) return wait_for_more();
  const bool is_reply = header.magic == kMagic || header.magic == kLastReplyMagic;
  if (is_reply && (header.index != next_ || header.bytes > kMaxReply)) return Frame::Garbage;
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
  retired_ = header.magic == kLastReplyMagic;
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

std::optional<std::uint64_t> WorkerProcess::overdue(std::uint64_t timeout_ms) {
  if (!busy()) return std::nullopt;
  const Clock::time_point now = Clock::now();
  const std::uint64_t progress = __atomic_load_n(&page_->progress, __ATOMIC_RELAXED);
  if (std::exchange(progress_seen_, progress) != progress) last_progress_ = now;
  const auto longer_than = [&](Clock::time_point since, std::uint64_t limit_ms) -> std::optional<std::uint64_t> {
    if (now - since > std::chrono::milliseconds(limit_ms)) return limit_ms;
    return std::nullopt;
  };
  if (!ready_) return longer_than(last_reply_, std::max(timeout_ms, Isolation::kPrepareMs));
  if (const auto limit = longer_than(last_reply_, IsolationOptions::kPatience * timeout_ms)) return limit;
  if (!in_kernel()) return std::nullopt;
  return longer_than(std::max(last_reply_, last_progress_), timeout_ms);
}

std::optional<Task> WorkerProcess::drop_task() {
  std::optional<Task> rest = std::exchange(task_, std::nullopt);
  if (!rest || next_ + 1 >= rest->end) return std::nullopt;
  rest->begin = next_ + 1;
  rest->batch_death.reset();  // The item in flight explains it.
  return rest;
}

Task WorkerProcess::take_back() {
  Task rest = *std::exchange(task_, std::nullopt);
  rest.begin = next_;
  return rest;
}

bool WorkerProcess::in_kernel() const { return __atomic_load_n(&page_->kernels, __ATOMIC_RELAXED) != 0; }

void WorkerProcess::kill() const {
  if (alive()) ::kill(pid_, SIGKILL);
}

bool WorkerProcess::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

Death WorkerProcess::end() {
  if (!alive()) return {};
  ::close(socket_);
  // A child that closed its socket by dying is gone within moments; one that lives on has lost its way to us.
  constexpr int kTries = 200;
  bool killed = false;
  for (int tries = 0; !has_ended(); ++tries) {
    if (tries == kTries) kill();
    killed = tries >= kTries;
    ::usleep(500);
  }
  ::kill(-pid_, SIGKILL);  // What an item has forked. While the child is not reaped, nobody else has its number.
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  socket_ = -1;
  inbox_.clear();
  taken_ = 0;
  task_.reset();
  const bool in_kernel = this->in_kernel();
  if (killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return {Death::Kind::Garbage, 0, in_kernel};
  if (WIFSIGNALED(status)) return {Death::Kind::Signal, WTERMSIG(status), in_kernel};
  return {Death::Kind::Exit, WEXITSTATUS(status), in_kernel};
}

}  // namespace negzero::run
