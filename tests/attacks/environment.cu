// Attacks on what a worker sees of its own kernel: the floating-point environment, device memory that is closed to host
// code, the watch; and on what the system allows it.

#include <cfenv>
#include <cstdio>
#include <cstring>
#include <thread>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pmmintrin.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/simt/current.hpp>

#include "pairs.cuh"

extern "C" void __tsan_read4(void*);
extern "C" void __tsan_write4(void*);

namespace negzero::attacks {
namespace {

constexpr int kMemory = 4;
constexpr std::uintptr_t kPage = 4096;

kernel::LaunchResult only_right(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  return right(args, stream);
}

/// Rounds up and flushes subnormals in every thread to come, the judge's too where it shares the process.
kernel::LaunchResult change_rounding(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  std::fesetround(FE_UPWARD);
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  return wrong(args, stream);
}
kernel::LaunchResult change_and_restore(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  std::fesetenv(&before);
  return right(args, stream);
}

/// One device thread that does all of it: what host code may not, a launch may.
__global__ void alone_kernel(Problem problem) {
  if (kernels::first_piece() == 0) compute_on_host(problem, problem.y);
}
kernel::LaunchResult compute_in_one_thread(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  return run(alone_kernel, args, stream);
}

kernel::LaunchResult compute_without_a_launch(const kernel::Args& args, kernel::Workspace&, simt::Stream&) {
  compute_on_host(problem_of(args), problem_of(args).y);
  return kernel::LaunchResult::launched();
}

/// Opens all mappings of the shared memory.
void open_pages() {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  if (maps == nullptr) return;
  char line[512];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::strstr(line, "negzero-image") == nullptr || std::sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    ::mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
  }
  std::fclose(maps);
}

kernel::LaunchResult compute_after_mprotect(const kernel::Args& args, kernel::Workspace&, simt::Stream&) {
  const Problem problem = problem_of(args);
  open_pages();
  compute_on_host(problem, problem.y);
  return kernel::LaunchResult::launched();
}

/// A handler of its own opens what it comes against, and tells nobody.
kernel::LaunchResult compute_under_a_handler(const kernel::Args& args, kernel::Workspace&, simt::Stream&) {
  struct sigaction mine {};
  mine.sa_sigaction = [](int, siginfo_t* info, void*) {
    const auto page = reinterpret_cast<std::uintptr_t>(info->si_addr) / kPage * kPage;
    if (::mprotect(reinterpret_cast<void*>(page), kPage, PROT_READ | PROT_WRITE) != 0) ::_exit(1);
  };
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK;
  struct sigaction before {};
  ::sigaction(SIGSEGV, &mine, &before);
  compute_on_host(problem_of(args), problem_of(args).y);
  ::sigaction(SIGSEGV, &before, nullptr);
  return kernel::LaunchResult::launched();
}

/// The same memory a second time, at an address that nothing closes.
kernel::LaunchResult compute_through_a_mapping(const kernel::Args& args, kernel::Workspace&, simt::Stream&) {
  struct stat about {};
  if (::fstat(kMemory, &about) != 0) return kernel::LaunchResult::launched();
  static std::byte* first = nullptr;
  const auto bytes = static_cast<std::size_t>(about.st_size);
  void* const all = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, kMemory, 0);
  if (all == MAP_FAILED) return kernel::LaunchResult::launched();
  // Where the image is mapped already: the mapping that holds y.
  if (std::FILE* const maps = std::fopen("/proc/self/maps", "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, maps) != nullptr) {
      unsigned long begin = 0, end = 0, offset = 0;
      char rights[5];
      if (std::sscanf(line, "%lx-%lx %4s %lx", &begin, &end, rights, &offset) != 4) continue;
      const auto at = reinterpret_cast<std::uintptr_t>(problem_of(args).y);
      if (at >= begin && at < end) first = reinterpret_cast<std::byte*>(begin - offset);
    }
    std::fclose(maps);
  }
  Problem problem = problem_of(args);
  const auto moved = [&](const void* from) {
    return static_cast<std::byte*>(all) + (static_cast<const std::byte*>(from) - first);
  };
  problem.x = reinterpret_cast<const float*>(moved(problem.x));
  problem.y = reinterpret_cast<float*>(moved(problem.y));
  compute_on_host(problem, problem.y);
  ::munmap(all, bytes);
  return kernel::LaunchResult::launched();
}

/// Reads memory before its input while the watch looks away: only a watched run could tell.
__global__ void unwatched_kernel(Problem problem) {
  auto* const watch = std::exchange(simt::current.watch, nullptr);
  const volatile float before = problem.x[-1];
  (void)before;
  simt::current.watch = watch;
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}
kernel::LaunchResult switch_the_watch_off(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  return run(unwatched_kernel, args, stream);
}

/// The same, with nothing hidden: the control that shows that the watch sees it.
__global__ void watched_kernel(Problem problem) {
  const volatile float before = problem.x[-1];
  (void)before;
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}
kernel::LaunchResult read_before_the_input(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  return run(watched_kernel, args, stream);
}

/// Makes the compiler's hooks return at once.
kernel::LaunchResult patch_the_watch(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  for (void (*hook)(void*) : {&__tsan_read4, &__tsan_write4}) {
    auto* const code = reinterpret_cast<unsigned char*>(hook);
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(code) / kPage * kPage);
    if (::mprotect(page, 2 * kPage, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) *code = 0xc3;
  }
  return run(watched_kernel, args, stream);
}

/// Limits, dumpability, a death signal and a filter that breaks what the runtime calls.
void change_limits(const kernel::Args&) {
  for (const auto what : {RLIMIT_AS, RLIMIT_CPU, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK, RLIMIT_FSIZE}) {
    const rlimit none{0, 0};
    ::setrlimit(what, &none);
    ::prlimit(::getppid(), what, &none, nullptr);
  }
  ::prctl(PR_SET_PDEATHSIG, 0);
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sock_filter refuse_all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)};
  const sock_fprog program{1, refuse_all};
  ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
  ::setpgid(0, 0);
  ::setsid();
}

kernel::LaunchResult change_limits_wrong(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  if (is_confined()) change_limits(args);
  return wrong(args, stream);
}
kernel::LaunchResult change_limits_right(const kernel::Args& args, kernel::Workspace&, simt::Stream& stream) {
  if (is_confined()) change_limits(args);
  return right(args, stream);
}

const bool registered[] = {
    add_pair("rounding", "rounds up, so that a judge would too", change_rounding, change_and_restore),
    add_pair("host_code", "host code computes, and nothing is launched", compute_without_a_launch,
             compute_in_one_thread),
    add_pair("host_code_mprotect", "opens the pages, then computes on the host", compute_after_mprotect,
             compute_in_one_thread),
    add_pair("host_code_handler", "computes on the host under a handler of its own", compute_under_a_handler,
             compute_in_one_thread),
    add_pair("host_code_mapping", "computes on the host through a second mapping", compute_through_a_mapping,
             compute_in_one_thread),
    add_pair("watch_control", "reads before its input", read_before_the_input, only_right),
    add_pair("watch_off", "reads before its input while the watch is off", switch_the_watch_off, only_right),
    add_pair("watch_patched", "reads before its input, with the hooks patched", patch_the_watch, only_right),
    add_pair("limits", "changes limits and installs a filter", change_limits_wrong, change_limits_right),
};

}  // namespace
}  // namespace negzero::attacks
