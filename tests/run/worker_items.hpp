// Items that misbehave in every way that an item can, and a loop that collects what became of them.

#pragma once

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/run/isolated.hpp>
#include <negzero/simt/simt.hpp>

namespace negzero::run_test {

using run::Event;
using run::Isolation;
using run::IsolationOptions;
using run::Task;

using Items = std::map<std::pair<std::uint64_t, std::uint64_t>, Event>;

/// Hands out tasks in order.
class Queue {
 public:
  explicit Queue(std::vector<Task> tasks) : tasks_(std::move(tasks)) {}
  std::optional<Task> operator()() {
    if (at_ == tasks_.size()) return std::nullopt;
    return tasks_[at_++];
  }

 private:
  std::vector<Task> tasks_;
  std::size_t at_ = 0;
};

inline bool never() { return false; }

/// Runs tasks to the end and collects events; an item with two events is a failure.
inline Items run_all(Isolation& isolation, std::vector<Task> tasks) {
  Items seen;
  Queue queue(std::move(tasks));
  const auto on_event = [&](const Event& event) {
    EXPECT_TRUE(seen.emplace(std::pair(event.tag, event.index), event).second)
        << "item " << event.index << " of task " << event.tag << " was reported twice";
    return true;
  };
  const base::Status done = isolation.run([&] { return queue(); }, on_event, never);
  EXPECT_TRUE(done.ok());
  return seen;
}

inline IsolationOptions options(int jobs = 1, std::uint64_t timeout_ms = 60000) {
  return {.jobs = jobs, .timeout_ms = timeout_ms};
}

/// Calls f with every descriptor of this process behind the standard ones.
template <typename F>
void for_each_descriptor(const F& f) {
  for (int fd = 3; fd < 256; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1) f(fd);
  }
}

inline void spin() {
  const volatile bool forever = true;
  while (forever) {
  }
}

/// What an item may do to its process, by the first letter of the request.
inline std::string misbehave(char how) {
  switch (how) {
    case 'a':
      std::abort();
    case 'e':
      std::exit(0);
    case 'x':
      ::_exit(3);
    case 's':
      ::raise(SIGKILL);
      break;
    case 'v':
      *static_cast<volatile int*>(nullptr) = 1;  // NOLINT: the point.
      break;
    case 'h':
      spin();
      break;
    case 'H':
      run::mark_kernel(true);
      spin();
      break;
    case 'E': {  // On the stack of a thread of the host executor.
      run::mark_kernel(true);
      simt::Stream stream;
      launch(stream, +[] { std::exit(4); }, 1, 32, 0);
      break;
    }
    case 'p':  // Far longer than the time limit of a kernel that shows nothing.
    case 'P':
      run::mark_kernel(true);
      for (int beat = 0; how == 'P' || beat < 30; ++beat) {
        ::usleep(100000);
        __atomic_fetch_add(run::progress_counter(), 1, __ATOMIC_RELAXED);
      }
      run::mark_kernel(false);
      break;
    case 'r':
      run::retire_worker();
      break;
    case 't':
      ::raise(SIGSTOP);
      break;
    case 'f':  // What it forks keeps the socket open.
      if (::fork() == 0) spin();
      ::raise(SIGKILL);
      break;
    case 'b':
      throw std::bad_alloc();
    case 'm': {
      // As much memory as there is, under a limit that spares the machine.
      const rlimit little{std::size_t{1} << 28, std::size_t{1} << 28};
      ::setrlimit(RLIMIT_AS, &little);
      for (;;) std::memset(::operator new (std::size_t{1} << 22), 1, std::size_t{1} << 22);
    }
    case 'g':
      for_each_descriptor([](int fd) {
        struct stat about {};
        if (::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode)) (void)!::write(fd, "garbage, and lots of it", 23);
      });
      break;
    case '1':  // Fewer bytes than a header, then nothing more.
      for_each_descriptor([](int fd) {
        struct stat about {};
        if (::fstat(fd, &about) == 0 && S_ISSOCK(about.st_mode)) (void)!::write(fd, "x", 1);
      });
      spin();
      break;
    case 'c':
      for_each_descriptor([](int fd) { ::close(fd); });
      break;
    case 'C':
      for_each_descriptor([](int fd) { ::close(fd); });
      spin();
      break;
    case 'd':
      for_each_descriptor([](int fd) { ::dup2(STDERR_FILENO, fd); });
      break;
    default:
      break;
  }
  return {'d', 'i', 'd', ' ', how};
}

inline std::string work_by_letter(std::string_view request, std::uint64_t index) {
  return misbehave(request[static_cast<std::size_t>(index)]);
}

inline Task by_letters(std::string letters, std::uint64_t tag = 0) {
  const std::uint64_t end = letters.size();
  return {std::move(letters), 0, end, tag};
}

}  // namespace negzero::run_test
