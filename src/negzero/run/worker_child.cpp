// The life of a worker process: what it sets up, the tasks it takes, and how it ends itself.

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <negzero/run/worker_child.hpp>
#include <negzero/run/worker_frames.hpp>

namespace negzero::run {

namespace {

SharedPage* this_childs_page = nullptr;
int this_childs_socket = -1;
bool this_child_retires = false;

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

void become_child(pid_t parent, int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // The parent died before it could be watched.
  ::setpgid(0, 0);                        // Whatever a kernel forks ends with its worker.
  // A kernel that writes to every descriptor shall not reach the parent's documents and files.
  ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(socket) - 1, 0);
  ::close_range(static_cast<unsigned>(socket) + 1, ~0u, 0);
  // exit() in a kernel runs on its thread's small stack, where the program's destructors had better not.
  ::on_exit(
      [](int status, void*) {
        std::fflush(nullptr);
        ::_exit(status);
      },
      nullptr);
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
      const std::uint32_t magic = this_child_retires ? kLastReplyMagic : kMagic;
      append_frame(frames, {magic, static_cast<std::uint32_t>(reply.size()), index++}, reply);
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
    if (this_child_retires) ::_exit(0);
  }
}

}  // namespace

void mark_kernel(bool runs) noexcept {
  if (this_childs_page != nullptr) __atomic_fetch_add(&this_childs_page->kernels, runs ? 1u : ~0u, __ATOMIC_RELAXED);
}

void retire_worker() noexcept { this_child_retires = in_worker(); }

std::uint64_t* progress_counter() noexcept { return in_worker() ? &this_childs_page->progress : nullptr; }

bool in_worker() noexcept { return this_childs_page != nullptr; }

void end_worker(Blame blame, int code, std::string_view why) noexcept {
  std::string body(1, static_cast<char>(blame));
  body += why;
  std::string frame;
  append_frame(frame, {kLastWordsMagic, static_cast<std::uint32_t>(body.size()), static_cast<std::uint64_t>(code)},
               body);
  send(frame);
  ::_exit(1);
}

void live_as_worker(const WorkerProcess::Duties& duties, pid_t parent, int socket, SharedPage* page) noexcept {
  become_child(parent, socket);
  this_childs_page = page;
  this_childs_socket = socket;
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

}  // namespace negzero::run
