// Kernels that misbehave in every way that a process can, registered in the test program, which is their worker too.

#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <negzero/protocol/worker_wire.hpp>
#include <negzero/run/child_process.hpp>
#include <negzero/run/local_executor.hpp>
#include <negzero/worker/launcher.hpp>

#include "cases.hpp"

namespace negzero::run_test {

/// Cases with that many rows provoke the kernels below; on all others they are right.
inline constexpr std::int64_t kProvoking = 5;

inline operation::Case harmless() { return sum_case(3, 4); }
inline operation::Case provoking() { return sum_case(kProvoking, 2); }

inline void spin() {
  const volatile bool forever = true;
  while (forever) {
  }
}
inline void sleep_for_ever() {
  for (;;) ::usleep(1000);
}
/// Computes for that long, in time of its own.
inline void work_for(int milliseconds) {
  const auto own_ms = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1000 * time.tv_sec + time.tv_nsec / 1000000;
  };
  for (const auto end = own_ms() + milliseconds; own_ms() < end;) {
  }
}
/// What the launcher shows its parent, which nothing hides from a kernel: the beginning of the shared memory.
inline protocol::Progress& shown() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("negzero-image") != std::string::npos) {
      return *reinterpret_cast<protocol::Progress*>(std::stoull(line, nullptr, 16));
    }
  }
  std::abort();
}
inline void write_to_socket(std::string_view bytes) {
  (void)!::send(protocol::kChildSocket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}
inline void close_all() {
  for (int fd = 3; fd < 64; ++fd) ::close(fd);
}
/// Writes a whole reply: "all of my launches are done".
inline void forge_reply() {
  const protocol::LaunchOutcome done{.status = protocol::LaunchOutcome::Status::Done};
  const std::string reply = protocol::launched_body({&done, 1});
  (void)protocol::FrameSocket(protocol::kChildSocket, protocol::kWorkerVersion)
      .send(static_cast<std::uint8_t>(protocol::WorkerFrame::Launched), reply);
}

/// The same behind right sums, and a byte more, which arrives with it.
inline void forge_more_than_a_reply(const ReduceArgs& args) {
  sum_rows(args);
  const protocol::LaunchOutcome done{.status = protocol::LaunchOutcome::Status::Done};
  const std::string reply = protocol::launched_body({&done, 1});
  base::ByteWriter frame;
  for (const char byte : {'n', 'z'}) frame.u8(static_cast<std::uint8_t>(byte));
  frame.u8(protocol::kWorkerVersion);
  frame.u8(static_cast<std::uint8_t>(protocol::WorkerFrame::Launched));
  frame.u32(static_cast<std::uint32_t>(reply.size()));
  write_to_socket(std::string(frame.bytes()) + reply + "x");
}

/// A sum that does `deed` first where it is provoked: in its kernel, or in its launch wrapper.
inline bool add(const std::string& name, std::function<void(const ReduceArgs&)> deed, bool in_wrapper = false) {
  kernel::Kernel kernel = make_kernel(
      "reduce.sum", [deed = std::move(deed), in_wrapper](const Args& args, Workspace&, engine::Stream& stream) {
        const auto& reduce = reduce_args(args);
        const bool now = reduce.rows == kProvoking;
        if (now && in_wrapper) deed(reduce);
        on_device(stream, [&] {
          if (now && !in_wrapper) deed(reduce);
          sum_rows(reduce);
        });
        return LaunchResult::launched();
      });
  kernel.name = name;
  return kernel::registry().add(std::move(kernel));
}
inline bool add(const std::string& name, void (*deed)(), bool in_wrapper = false) {
  return add(
      name, [deed](const ReduceArgs&) { deed(); }, in_wrapper);
}
constexpr bool kInWrapper = true;

/// More than any machine has; volatile, as a compiler may leave out what nobody uses.
inline volatile std::int64_t huge_bytes = std::int64_t{1} << 60;
inline void* volatile huge_memory = nullptr;
inline void* volatile nonsense = reinterpret_cast<void*>(std::uintptr_t{64});

// What happens in one process only: of the worker.
inline int launches_here = 0;

inline const bool registered[] = {
    add("good.sum", [] {}),
    add("good.other", [] {}),
    add("bad.abort", [] { std::abort(); }),
    add(
        "bad.abort_in_wrapper", [] { std::abort(); }, kInWrapper),
    add("bad.exit_0", [] { std::exit(0); }),
    add("bad.exit_4", [] { std::exit(4); }),
    add("bad._exit_3", [] { ::_exit(3); }),
    add("bad.quick_exit", [] { std::quick_exit(5); }),
    add("bad.null_write", [] { *static_cast<volatile int*>(nullptr) = 1; }),
    add("bad.frees_nonsense", [] { std::free(nonsense); }),
    add("bad.trap", [] { __builtin_trap(); }),
    add("bad.terminate", [] { std::terminate(); }),
    add("bad.throws_in_a_thread", [] { std::thread([] { throw 1; }).join(); }),
    add("bad.overflows_its_stack",
        [] {
          const std::function<int(int)> deeper = [&](int depth) {
            volatile char room[4096] = {};
            return depth == 0 ? 0 : deeper(depth - 1) + room[0];
          };
          (void)deeper(1 << 20);
        }),
    add("bad.spins", [] { spin(); }),
    add(
        "bad.spins_in_wrapper", [] { spin(); }, kInWrapper),
    add("bad.sleeps", [] { sleep_for_ever(); }),
    add("bad.waits_for_a_signal", [] { ::pause(); }),
    add("bad.ignores_signals_and_spins",
        [] {
          sigset_t all;
          ::sigfillset(&all);
          ::sigprocmask(SIG_BLOCK, &all, nullptr);
          spin();
        }),
    add("bad.pretends_to_get_on",
        [] {
          for (protocol::Progress& progress = shown();; ::usleep(1000)) ++progress.beats;
        }),
    add("bad.closes_descriptors", [] { close_all(); }),
    add("bad.closes_descriptors_and_spins", [] { close_all(), spin(); }),
    add("bad.replaces_descriptors",
        [] {
          for (int fd = 3; fd < 64; ++fd) ::dup2(STDERR_FILENO, fd);
        }),
    add("bad.writes_garbage", [] { write_to_socket("garbage, and lots of it"); }),
    add("bad.writes_a_byte_and_spins", [] { write_to_socket("x"), spin(); }),
    add(
        "bad.throws", [] { throw std::runtime_error("no table"); }, kInWrapper),
    add(
        "bad.throws_a_number", [] { throw 3; }, kInWrapper),
    add(
        "bad.wants_less_than_nothing",
        [](const ReduceArgs& args) { std::vector<char>(static_cast<std::size_t>(args.rows - 10)); }, kInWrapper),
    // Ours: the machine may have too little.
    add(
        "our.bad_alloc", [] { throw std::bad_alloc(); }, kInWrapper),
    add(
        "our.huge_allocation", [] { huge_memory = ::operator new(static_cast<std::size_t>(huge_bytes)); }, kInWrapper),
    // Done once in a process, whatever the case: a fresh process that runs the case alone is right.
    add("rare.dies_at_its_third_launch",
        [] {
          if (++launches_here == 3) std::abort();
        }),
    add("rare.hangs_at_its_third_launch",
        [] {
          if (++launches_here == 3) spin();
        }),
    add("rare.dies_after_its_launch",
        [] {
          std::thread([] {
            ::usleep(20000);
            std::abort();
          }).detach();
        }),
    // Refused by the confinement; then they are right.
    add("refused.kills_itself", [] { ::raise(SIGKILL); }),
    add("refused.stops_itself", [] { ::raise(SIGSTOP); }),
    add("refused.kills_its_parent", [] { ::kill(::getppid(), SIGTERM); }),
    add("refused.forks",
        [] {
          if (::fork() == 0) sleep_for_ever();
        }),
    add("refused.execs", [] { ::execl("/bin/true", "/bin/true", nullptr); }),
    add("refused.opens_a_socket",
        [] {
          if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) std::abort();
        }),
    add("slow.takes_200_ms", [] { ::usleep(200000); }),
    add("slow.works_300_ms", [] { work_for(300); }),
    add("slow.gets_on_for_a_second",
        [] {
          protocol::Progress& progress = shown();
          for (int i = 0; i < 100; ++i, ::usleep(10000)) ++progress.beats;
        }),
    add("says.something",
        [] {
          std::puts("from the kernel");
          std::fputs("and its standard error\n", stderr);
        }),
    add("says.its_last_words", [] { std::puts("farewell"), std::abort(); }),
    add("says.too_much",
        [] {
          for (int i = 0; i < 1 << 16; ++i)
            std::puts("a line of a hundred thousand, which nobody will ever want to read");
        }),
    add("says.its_descriptors",
        [] {
          for (int fd = 0; fd < 1024; ++fd) {
            if (::fcntl(fd, F_GETFD) != -1) std::printf("%d ", fd);
          }
          std::fflush(stdout);
        }),
    add("forges.a_reply", [](const ReduceArgs&) { forge_reply(), spin(); }),
    add("forges.more_than_a_reply", [](const ReduceArgs& args) { forge_more_than_a_reply(args), spin(); }),
    add("forges.its_place",
        [] {
          shown().plan = 0;
          shown().where = 77;
          std::abort();
        }),
    add("forges.a_place_that_is_none", [] { shown().plan = ~std::uint64_t{0}, std::abort(); }),
};

}  // namespace negzero::run_test
