// Finds stray children in /proc and ends them.

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/run/orphans.hpp>

namespace negzero::run {

namespace {

/// Returns the parent that /proc/PID/stat names, or 0. The name before it is in brackets and may hold anything.
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  // Iterators of the stream would throw where the process ends meanwhile.
  std::ostringstream read;
  read << file.rdbuf();
  const std::string text = read.str();
  const std::size_t end = text.rfind(')');
  constexpr std::size_t kState = 4;  // ") S "
  if (end == std::string::npos || text.size() < end + kState) return 0;
  pid_t parent = 0;
  std::from_chars(text.data() + end + kState, text.data() + text.size(), parent);
  return parent;
}

/// Whether this process has any child, dead ones included.
bool has_children() {
  siginfo_t about{};
  return ::waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_in(const std::vector<pid_t>& list, pid_t pid) { return std::ranges::find(list, pid) != list.end(); }

/// Of this process.
struct All {
  std::mutex mutex;
  bool ended = false;  ///< an Orphans lives
  std::vector<pid_t> ours, spared;
};
All& all() {
  static All* const instance = new All;  // Children outlive what is destroyed at exit.
  return *instance;
}

}  // namespace

// Not /proc/self/task/*/children: that list may miss some while others end.
std::vector<pid_t> children() {
  std::vector<pid_t> result;
  const pid_t self = ::getpid();
  std::error_code ended;
  for (std::filesystem::directory_iterator at("/proc", ended), end; !ended && at != end; at.increment(ended)) {
    const std::string name = at->path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc()) continue;
    if (parent_of(at->path()) == self) result.push_back(pid);
  }
  return result;
}

Orphans::Orphans() {
  int before = 0;
  adopted_before_ = ::prctl(PR_GET_CHILD_SUBREAPER, &before, 0, 0, 0) == 0 && before != 0;
  adopts_ = ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
  const std::lock_guard lock(all().mutex);
  all().spared = has_children() ? children() : std::vector<pid_t>{};
  all().ended = true;
}

Orphans::~Orphans() {
  constexpr int kTries = 5000;
  for (int tries = 0; end() > 0 && tries < kTries; ++tries) ::usleep(1000);
  const std::lock_guard lock(all().mutex);
  all().ended = false;
  if (adopts_ && !adopted_before_) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

int Orphans::end() {
  const std::lock_guard lock(all().mutex);
  if (!all().ended || !has_children()) return 0;
  // Each round ends one generation; a bomb of forks is as many as it gets killed in.
  constexpr int kRounds = 1000;
  std::size_t left = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> strays = children();
    std::erase_if(strays, [&](pid_t pid) { return is_in(all().ours, pid) || is_in(all().spared, pid); });
    left = strays.size();
    // All are stopped before the first dies, so that none can fork for one that has.
    for (const pid_t pid : strays) ::kill(pid, SIGSTOP);
    for (const pid_t pid : strays) ::kill(pid, SIGKILL);
    const auto reaped =
        std::ranges::count_if(strays, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == pid; });
    if (reaped == 0) break;
  }
  return static_cast<int>(left);
}

Orphans::Birth::Birth() : lock_(all().mutex) {}
void Orphans::Birth::name(pid_t child) const { all().ours.push_back(child); }

void Orphans::forget(pid_t child) {
  const std::lock_guard lock(all().mutex);
  std::erase(all().ours, child);
}

}  // namespace negzero::run
