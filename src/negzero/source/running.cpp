// Runs compilers with their output in files.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/source/running.hpp>

namespace negzero::source {
namespace {

/// A file without a name, gone with its last descriptor.
using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string text_of(std::FILE* file) {
  std::string text;
  char part[1 << 14];
  std::rewind(file);
  while (const std::size_t count = std::fread(part, 1, sizeof part, file)) text.append(part, count);
  return text;
}

struct Running {
  ::pid_t process = 0;
  TemporaryFile output{std::tmpfile(), std::fclose}, errors{std::tmpfile(), std::fclose};
};

base::Status start(const std::vector<std::string>& words, Running& running) {
  if (running.output == nullptr || running.errors == nullptr) {
    return base::infrastructure_error("no temporary file can be made; TMPDIR names a folder for them");
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(running.output.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(running.errors.get()), STDERR_FILENO);
  const int error = ::posix_spawnp(&running.process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return base::Ok{};
  running.process = 0;
  return base::infrastructure_error(fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
}

Ran finish(Running& running) {
  int status = 0;
  while (::waitpid(running.process, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(running.output.get()),
          text_of(running.errors.get())};
}

}  // namespace

base::Result<std::vector<Ran>> run_programs(const std::vector<std::vector<std::string>>& commands) {
  std::vector<Running> running(commands.size());
  base::Status started = base::Ok{};
  for (std::size_t i = 0; i < commands.size() && started; ++i) started = start(commands[i], running[i]);
  std::vector<Ran> result;
  for (Running& each : running) {
    if (each.process != 0) result.push_back(finish(each));
  }
  if (!started) return started.error();
  return result;
}

base::Result<Ran> run_program(const std::vector<std::string>& words) {
  auto ran = run_programs({words});
  if (!ran) return ran.error();
  return std::move(ran->front());
}

}  // namespace negzero::source
