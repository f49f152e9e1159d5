// A program started as a child with a socket to its parent, and its end.

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/child_process.hpp>
#include <negzero/run/orphans.hpp>

namespace negzero::run {

namespace {

constexpr int kSendTimeoutSeconds = 10;  // A child that is stopped does not read; its time limit ends it then.
constexpr int kCannotStart = 126;        // The exit status of a child that could not become the program.

base::Error cannot(const char* what, int reason) {
  return base::infrastructure_error(
      fmt::format("cannot {} for another process: {}; try a smaller --jobs, or a larger ulimit -u and -n", what,
                  std::strerror(reason)));
}

/// Puts descriptors where the program expects them; none of them is what another one becomes. Only calls that are safe
/// after fork() in a process with threads.
bool place(int null, int output, int socket) {
  // Above every number that is given away, so that no dup2() closes one that is still needed.
  constexpr int kSafe = 64;
  const auto move = [](int from) { return from < 0 ? -1 : ::fcntl(from, F_DUPFD, kSafe); };
  null = move(null);
  output = move(output);
  socket = move(socket);
  if (null < 0 || output < 0 || socket < 0) return false;
  ::dup2(null, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::dup2(socket, protocol::kChildSocket);
  ::close_range(protocol::kChildSocket + 1, ~0u, 0);
  return true;
}

/// What a child becomes, made before the fork: afterwards nothing may be allocated.
struct Becoming {
  std::vector<char*> words{}, environment{};
  confine::Confinement* confinement = nullptr;
  const char* folder = "/";  ///< no folder of the user's: a kernel must not see its files
  std::vector<confine::landlock::Rule> own_files{};
};

Becoming becoming(const ChildSpec& spec) {
  Becoming made{.confinement = spec.confinement};
  for (const std::string& word : spec.command) made.words.push_back(const_cast<char*>(word.c_str()));
  made.words.push_back(nullptr);
  for (const std::string& each : spec.environment) made.environment.push_back(const_cast<char*>(each.c_str()));
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view inherited = *each;
    const std::string_view name = inherited.substr(0, inherited.find('=') + 1);
    const bool is_replaced =
        std::ranges::any_of(spec.environment, [&](const std::string& own) { return own.starts_with(name); });
    if (!is_replaced) made.environment.push_back(*each);
  }
  made.environment.push_back(nullptr);
  if (spec.scratch) {
    made.folder = spec.scratch->folder().c_str();
    for (const std::string& path : {spec.scratch->folder(), spec.scratch->cache()}) {
      made.own_files.push_back({path, confine::landlock::kOwn});
    }
  }
  return made;
}

[[noreturn]] void become(const Becoming& what, pid_t parent, int null, int output, int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // The parent died before it could be watched.
  ::setpgid(0, 0);
  // These come to a whole group of processes. The parent decides what they mean.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGCHLD}) ::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // Where a stack may grow without end, Linux lays libraries out from below, into the range of device memory.
  constexpr rlim_t kLongStack = rlim_t{1} << 30, kUsualStack = rlim_t{1} << 23;
  if (rlimit stack{}; ::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > kLongStack) {
    stack.rlim_cur = kUsualStack;
    ::setrlimit(RLIMIT_STACK, &stack);
  }
  if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); score >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(score, "1000", 4);
    ::close(score);
  }
  if (!place(null, output, socket)) ::_exit(kCannotStart);
  if (what.confinement != nullptr) {
    [[maybe_unused]] const int moved = ::chdir(what.folder);
    what.confinement->apply(what.own_files);
    what.confinement->exec(what.words.data(), what.environment.data());
  } else {
    ::execve(what.words[0], what.words.data(), what.environment.data());
  }
  ::_exit(kCannotStart);
}

}  // namespace

base::Result<ChildProcess> ChildProcess::start(const ChildSpec& spec) {
  int ends[2] = {-1, -1}, pipe_ends[2] = {-1, -1};
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const auto close_all = [&] {
    for (const int descriptor : {ends[0], ends[1], pipe_ends[0], pipe_ends[1], null}) {
      if (descriptor >= 0) ::close(descriptor);
    }
  };
  const auto failed = [&](const char* what) {
    const int reason = errno;
    close_all();
    return cannot(what, reason);
  };
  if (null < 0) return failed("open /dev/null");
  if (::access(spec.command.front().c_str(), X_OK) != 0) {
    close_all();
    return base::infrastructure_error(
        fmt::format("{}: this program cannot be started: {}; build or install all of negzero", spec.command.front(),
                    std::strerror(errno)));
  }
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return failed("make a socket pair");
  if (spec.captured && ::pipe2(pipe_ends, O_CLOEXEC) != 0) return failed("make a pipe");
  const timeval send_timeout{.tv_sec = kSendTimeoutSeconds, .tv_usec = 0};
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
  const Becoming what = becoming(spec);
  std::fflush(nullptr);
  ChildProcess child;
  const pid_t parent = ::getpid();
  {
    const Orphans::Birth birth;
    child.pid_ = ::fork();
    if (child.pid_ < 0) return failed("fork");
    if (child.pid_ == 0) {
      become(what, parent, null, spec.captured ? pipe_ends[1] : STDERR_FILENO, ends[1]);
    }
    birth.name(child.pid_);
  }
  child.may_start_others_ = spec.scratch != nullptr || spec.confinement == nullptr;
  child.socket_ = std::exchange(ends[0], -1);
  child.output_ = std::exchange(pipe_ends[0], -1);
  if (child.output_ >= 0) ::fcntl(child.output_, F_SETFL, O_NONBLOCK);
  child.scratch_ = spec.scratch;
  child.frames_ = protocol::FrameSocket(child.socket_, spec.frame_version);
  close_all();
  return child;
}

ChildProcess::~ChildProcess() {
  if (!is_running()) return;
  kill();
  end();
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(output_, other.output_);
  std::swap(frames_, other.frames_);
  std::swap(may_start_others_, other.may_start_others_);
  std::swap(scratch_, other.scratch_);
  return *this;
}

void ChildProcess::kill() const {
  if (is_running()) ::kill(pid_, SIGKILL);
}

bool ChildProcess::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

ChildProcess::End ChildProcess::end() {
  ::close(std::exchange(socket_, -1));
  if (output_ >= 0) ::close(std::exchange(output_, -1));
  // A child that closed its socket by dying is gone within moments; one that lives on has lost its way to us.
  constexpr int kTries = 400;
  End end;
  for (int tries = 0; !has_ended(); ++tries) {
    end.lived_on = tries >= kTries;
    if (end.lived_on) kill();
    ::usleep(tries < 20 ? 50 : 500);
  }
  ::kill(-pid_, SIGKILL);  // What it has started. While it is not reaped, nothing else has its number.
  ::waitpid(pid_, &end.status, 0);
  Orphans::forget(std::exchange(pid_, -1));
  if (may_start_others_) Orphans::end();
  scratch_.reset();
  return end;
}

}  // namespace negzero::run
