// Runs the built program as a user does, on a machine without a GPU: arguments in, exit code, standard output and
// standard error out.

#pragma once

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace negzero::cli_test {

/// A directory that goes with the test.
class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "negzero-cli-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Empty where the file cannot be read, as that of a process that ends meanwhile.
inline std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

/// The text with `to` in place of the first `from`, which it has.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

inline void write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

struct Ran {
  int code = -1;      ///< exit code
  int signal = 0;     ///< that ended it, or 0
  long most_kib = 0;  ///< of memory that it had at a time
  std::string out, err;

  [[nodiscard]] nlohmann::json json() const {
    EXPECT_TRUE(nlohmann::json::accept(out)) << "standard output is no JSON document: " << out << "\n" << err;
    return nlohmann::json::parse(out, nullptr, false);
  }
};

struct How {
  std::string out{};        ///< path that standard output goes to instead of a file of ours; "-" closes it
  bool close_all = false;   ///< starts with no standard descriptor at all
  long file_limit = -1;     ///< longest file in bytes that it may write (RLIMIT_FSIZE, the soft one), as on a full disk
  long address_space = -1;  ///< bytes that it and its children may map each (RLIMIT_AS), as by `ulimit -v`
  /// Bytes that its stack may grow to (RLIMIT_STACK), as by `ulimit -s`; 0: its own limit.
  rlim_t stack = 0;
  bool soft_stack = false;    ///< that is the soft limit alone
  unsigned time_limit_s = 0;  ///< ends it by SIGALRM then; 0: no limit
  int interrupt = 0;          ///< signal for its whole process group once standard error holds `ready`
  int and_at_once = 0;        ///< a second signal right behind it, as `timeout` sends one
  std::string ready{};
  std::string program{NEGZERO_PROGRAM};
  std::string command{};             ///< what a script around the program says that it is called (NEGZERO_COMMAND)
  std::function<void()> at_ready{};  ///< done once standard error holds `ready`, before the signal if there is one
};

inline Ran run(const std::vector<std::string>& arguments, const How& how = {}) {
  const Directory directory;
  const std::string out = how.out.empty() ? directory / "out" : how.out, err = directory / "err";
  std::vector<std::string> words = {how.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    ::unsetenv("NEGZERO_COMMAND");
    ::setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (!how.command.empty()) ::setenv("NEGZERO_COMMAND", how.command.c_str(), 1);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = static_cast<rlim_t>(how.file_limit);
    if (how.file_limit >= 0) ::setrlimit(RLIMIT_FSIZE, &limit);
    const rlimit space{static_cast<rlim_t>(how.address_space), static_cast<rlim_t>(how.address_space)};
    if (how.address_space >= 0) ::setrlimit(RLIMIT_AS, &space);
    if (rlimit stack{}; how.stack != 0 && ::getrlimit(RLIMIT_STACK, &stack) == 0) {
      stack.rlim_cur = how.stack;
      if (!how.soft_stack) stack.rlim_max = how.stack;
      ::setrlimit(RLIMIT_STACK, &stack);
    }
    const auto open_as = [](const std::string& path, int fd) {
      const int from = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
      if (from < 0) ::_exit(126);
      ::dup2(from, fd);
      if (from != fd) ::close(from);
    };
    open_as(err, STDERR_FILENO);
    if (out != "-") open_as(out, STDOUT_FILENO);
    if (out == "-") ::close(STDOUT_FILENO);
    for (int fd = 0; fd < 3 && how.close_all; ++fd) ::close(fd);
    ::alarm(how.time_limit_s);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  if (!how.ready.empty()) {
    while (contents(err).find(how.ready) == std::string::npos && ::waitpid(pid, &status, WNOHANG) == 0) ::usleep(2000);
    if (how.at_ready) how.at_ready();
    if (how.interrupt != 0) ::kill(-pid, how.interrupt);
    if (how.and_at_once != 0) ::kill(-pid, how.and_at_once);
  }
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  Ran ran;
  ran.most_kib = usage.ru_maxrss;
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
  if (how.out.empty()) ran.out = contents(out);
  ran.err = contents(err);
  return ran;
}

inline const std::string kRegressions = std::string(NEGZERO_SOURCE_DIR) + "/corpus/regressions";
inline const std::string kCase = kRegressions + "/A1_max_by_value_sign.safetensors";

}  // namespace negzero::cli_test
