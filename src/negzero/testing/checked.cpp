// Runs `negzero check` on the program that this process runs.

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/testing/checked.hpp>

namespace negzero::testing {
namespace {

constexpr int kNotStarted = 127;

std::string own_program() {
  char path[PATH_MAX];
  const ::ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

std::string text_from(int descriptor) {
  std::string text;
  char part[1 << 12];
  for (::ssize_t count = 1; count != 0;) {
    count = ::read(descriptor, part, sizeof part);
    if (count < 0 && errno != EINTR) break;
    if (count > 0) text.append(part, static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

Checked check(const std::string& program, const std::string& kernel, const std::vector<std::string>& words) {
  const char* const other = std::getenv("NEGZERO_PROGRAM");
  std::vector<std::string> all{other != nullptr && *other != '\0' ? other : program, "check", kernel, "--kernels",
                               own_program()};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {kNotStarted, std::strerror(errno)};
  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  ::pid_t process = 0;
  const int error = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return {kNotStarted, all[0] + " cannot be started (" + std::strerror(error) +
                             "); NEGZERO_PROGRAM names the program `negzero`\n"};
  }
  Checked checked{.exit_code = 0, .text = text_from(ends[0])};
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  checked.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return checked;
}

}  // namespace negzero::testing
