// Which GPUs this process could use: the question is asked in a child, the answer comes back as text.

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/device/probe.hpp>
#include <negzero/device/probe_here.hpp>

namespace negzero::device {

namespace {

constexpr int kTimeoutMs = 30000;

/// One line a fact, so that a name with blanks stays whole.
std::string write(const Probe& probe) {
  std::ostringstream text;
  text << probe.runtime_version << '\n' << probe.driver_version << '\n' << probe.why_not << '\n' << probe.cure << '\n';
  for (const Gpu& gpu : probe.gpus) {
    text << gpu.number << '\n' << gpu.name << '\n' << gpu.trouble << '\n';
    text << gpu.major << ' ' << gpu.minor << ' ' << gpu.multiprocessors << ' ' << gpu.memory_bytes << ' '
         << gpu.free_bytes << '\n';
  }
  text << "end\n";
  return text.str();
}

std::optional<Probe> read(const std::string& bytes) {
  std::istringstream text(bytes);
  Probe probe{.has_cuda = true};
  std::string line;
  const auto number = [&] { return std::getline(text, line) ? std::atoi(line.c_str()) : 0; };
  probe.runtime_version = number();
  probe.driver_version = number();
  std::getline(text, probe.why_not);
  std::getline(text, probe.cure);
  while (std::getline(text, line) && line != "end") {
    Gpu gpu{.number = std::atoi(line.c_str())};
    std::getline(text, gpu.name);
    std::getline(text, gpu.trouble);
    if (!std::getline(text, line)) return std::nullopt;
    std::istringstream numbers(line);
    numbers >> gpu.major >> gpu.minor >> gpu.multiprocessors >> gpu.memory_bytes >> gpu.free_bytes;
    if (!numbers) return std::nullopt;
    probe.gpus.push_back(std::move(gpu));
  }
  if (line != "end") return std::nullopt;
  return probe;
}

/// What the child says until it closes its end, or until the time is over.
std::string read_all(int descriptor) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::milliseconds(kTimeoutMs);
  std::string result;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait{descriptor, POLLIN, 0};
    if (left <= 0) return result;
    if (::poll(&wait, 1, static_cast<int>(left)) < 0 && errno != EINTR) return result;
    if (wait.revents == 0) continue;
    char buffer[4096];
    const ssize_t done = ::read(descriptor, buffer, sizeof buffer);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return result;
    result.append(buffer, static_cast<std::size_t>(done));
  }
}

Probe failed(std::string why, std::string cure) {
  return {.has_cuda = true, .why_not = std::move(why), .cure = std::move(cure)};
}

}  // namespace

std::vector<int> Probe::usable_gpus() const {
  std::vector<int> result;
  for (const Gpu& gpu : gpus) {
    if (gpu.trouble.empty()) result.push_back(gpu.number);
  }
  return result;
}

Probe probe() {
  if (!kHasCuda) return probe_here();
  int ends[2];
  if (::pipe(ends) != 0) return failed("no pipe to a child process could be made", "close some files and try again");
  std::fflush(nullptr);  // What is buffered now would be written by the child too.
  const pid_t pid = ::fork();
  if (pid < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return failed("no child process could be started to ask the driver", "end some processes and try again");
  }
  if (pid == 0) {
    ::close(ends[0]);
    const std::string text = write(probe_here());
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t done = ::write(ends[1], text.data() + at, text.size() - at);
      if (done <= 0) break;
      at += static_cast<std::size_t>(done);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string text = read_all(ends[0]);
  ::close(ends[0]);
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (auto result = read(text)) return *std::move(result);
  return failed("the CUDA driver crashed or did not answer within 30 s",
                "see whether nvidia-smi answers; a restart of the machine or the container may be needed");
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace negzero::device
