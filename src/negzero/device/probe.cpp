// Which GPUs this process could use: the question is asked in a child, the answer comes back as bytes.

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/base/bytes.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/device/probe_here.hpp>

namespace negzero::device {

namespace {

constexpr int kTimeoutMs = 30000, kPatienceMs = 3000;

constexpr std::uint32_t kMostText = 4096;
constexpr std::uint32_t kMostGpus = 1024;

std::string to_bytes(const Probe& probe) {
  base::ByteWriter to;
  to.u32(static_cast<std::uint32_t>(probe.runtime_version));
  to.u32(static_cast<std::uint32_t>(probe.driver_version));
  to.text(probe.why_not);
  to.text(probe.cure);
  to.u32(static_cast<std::uint32_t>(probe.gpus.size()));
  for (const Gpu& gpu : probe.gpus) {
    for (const int number : {gpu.number, gpu.major, gpu.minor, gpu.multiprocessors}) {
      to.u32(static_cast<std::uint32_t>(number));
    }
    to.u64(gpu.memory_bytes);
    to.u64(gpu.free_bytes);
    to.text(gpu.name);
    to.text(gpu.trouble);
  }
  return to.take();
}

std::optional<Probe> from_bytes(std::string_view bytes) {
  base::ByteReader from(bytes);
  Probe probe{.has_cuda = kHasCuda};
  probe.runtime_version = static_cast<int>(from.u32());
  probe.driver_version = static_cast<int>(from.u32());
  probe.why_not = from.text(kMostText);
  probe.cure = from.text(kMostText);
  probe.gpus.resize(from.at_most(from.u32(), kMostGpus));
  for (Gpu& gpu : probe.gpus) {
    for (int* const number : {&gpu.number, &gpu.major, &gpu.minor, &gpu.multiprocessors}) {
      *number = static_cast<int>(from.u32());
    }
    gpu.memory_bytes = from.u64();
    gpu.free_bytes = from.u64();
    gpu.name = from.text(kMostText);
    gpu.trouble = from.text(kMostText);
  }
  return from.is_complete() ? std::optional(std::move(probe)) : std::nullopt;
}

/// What the child says until it closes its end, or until the time is over.
std::string read_all(int descriptor, const std::function<void()>& on_delay) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  bool is_patient = true;
  std::string result;
  for (;;) {
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
    if (passed >= kTimeoutMs) return result;
    if (is_patient && passed >= kPatienceMs) {
      is_patient = false;
      if (on_delay) on_delay();
    }
    pollfd wait{descriptor, POLLIN, 0};
    const auto left = (is_patient ? kPatienceMs : kTimeoutMs) - passed;
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
  return {.has_cuda = kHasCuda, .why_not = std::move(why), .cure = std::move(cure)};
}

}  // namespace

std::vector<int> Probe::usable_gpus() const {
  std::vector<int> result;
  for (const Gpu& gpu : gpus) {
    if (gpu.trouble.empty()) result.push_back(gpu.number);
  }
  return result;
}

Probe probe(const std::function<void()>& on_delay) {
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
    const std::string text = to_bytes(probe_here());
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t done = ::write(ends[1], text.data() + at, text.size() - at);
      if (done <= 0) break;
      at += static_cast<std::size_t>(done);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  const std::string text = read_all(ends[0], on_delay);
  ::close(ends[0]);
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (auto result = from_bytes(text)) return *std::move(result);
  return failed("the CUDA driver crashed or did not answer within 30 s",
                "see whether nvidia-smi answers; a restart of the machine or the container may be needed");
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace negzero::device
