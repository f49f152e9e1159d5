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
  spared_ = children();
}

Orphans::~Orphans() {
  end_all_but({});
  if (adopts_ && !adopted_before_) ::prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

int Orphans::end_all_but(std::span<const pid_t> ours) const {
  const auto is_in = [](std::span<const pid_t> list, pid_t pid) {
    return std::find(list.begin(), list.end(), pid) != list.end();
  };
  int ended = 0;
  // Each round ends one generation; a bomb of forks is as many as it gets killed in.
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> strays = children();
    std::erase_if(strays, [&](pid_t pid) { return is_in(ours, pid) || is_in(spared_, pid); });
    if (strays.empty()) break;
    // All are stopped before the first dies, so that none can fork for one that has.
    for (const pid_t pid : strays) ::kill(pid, SIGSTOP);
    for (const pid_t pid : strays) ::kill(pid, SIGKILL);
    for (const pid_t pid : strays) {
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
      ++ended;
    }
  }
  return ended;
}

}  // namespace negzero::run
