// Attacks on what a worker sees of its own kernel: the floating-point environment, the watch; and on what the system
// allows it.

#include <cfenv>
#include <cstring>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pmmintrin.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/watch/seam.hpp>

#include "pairs.cuh"

extern "C" void __tsan_read4(void*);
extern "C" void __tsan_write4(void*);

namespace negzero::attacks {
namespace {

constexpr std::uintptr_t kPage = 4096;

kernel::LaunchResult only_right(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return right(args, stream);
}

/// Rounds up and flushes subnormals in every thread to come, the judge's too where it shares the process.
kernel::LaunchResult change_rounding(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  std::fesetround(FE_UPWARD);
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
  return wrong(args, stream);
}
kernel::LaunchResult change_and_restore(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
  std::fesetenv(&before);
  return right(args, stream);
}

/// Reads memory before its input while the watch looks away: only a watched run could tell.
__global__ void unwatched_kernel(Problem problem) {
  // By assembly, since a plain store would be reported as any other.
  watch::WatchState* listening = nullptr;
  asm volatile("movq %1, %0\n movq %2, %1" : "=&r"(listening), "+m"(watch::listening) : "r"(nullptr));
  const volatile float before = problem.x[-1];
  (void)before;
  asm volatile("movq %1, %0" : "=m"(watch::listening) : "r"(listening));
  for (int64_t row = kernels::first_piece(); row < problem.rows; row += kernels::piece_stride()) {
    float sum = 0.0f;
    for (int64_t column = 0; column < problem.columns; ++column) sum = __fadd_rn(sum, problem.at(row, column));
    problem.y[row * problem.y_stride] = sum;
  }
}
kernel::LaunchResult switch_the_watch_off(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
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
kernel::LaunchResult read_before_the_input(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  return run(watched_kernel, args, stream);
}

/// Makes the compiler's hooks return at once.
kernel::LaunchResult patch_the_watch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  for (void (*hook)(void*) : {&__tsan_read4, &__tsan_write4}) {
    auto* const code = reinterpret_cast<unsigned char*>(hook);
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(code) / kPage * kPage);
    if (::mprotect(page, 2 * kPage, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) *code = 0xc3;
  }
  return run(watched_kernel, args, stream);
}

/// Puts other code where the hooks are: pages of its own, or of the program at an address that is not theirs.
kernel::LaunchResult replace_the_watch(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  static const int program = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  for (void (*hook)(void*) : {&__tsan_read4, &__tsan_write4}) {
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(hook) / kPage * kPage);
    constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS;
    void* const copy = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, kOwn, -1, 0);
    std::memcpy(copy, page, kPage);
    static_cast<unsigned char*>(copy)[reinterpret_cast<std::uintptr_t>(hook) % kPage] = 0xc3;
    // In place of the page, or with a hole for it where the next one falls.
    ::mmap(page, kPage, PROT_READ | PROT_WRITE | PROT_EXEC, kOwn | MAP_FIXED, -1, 0);
    ::mmap(page, kPage, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, program, 0);
    if (::mprotect(copy, kPage, PROT_READ | PROT_EXEC) != 0) continue;
    ::mremap(copy, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, page);
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

kernel::LaunchResult change_limits_wrong(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  if (is_confined()) change_limits(args);
  return wrong(args, stream);
}
kernel::LaunchResult change_limits_right(const kernel::Args& args, kernel::Workspace&, engine::Stream& stream) {
  if (is_confined()) change_limits(args);
  return right(args, stream);
}

const bool registered[] = {
    add_pair("rounding", "rounds up, so that a judge would too", change_rounding, change_and_restore),
    add_pair("watch_control", "reads before its input", read_before_the_input, only_right),
    add_pair("watch_off", "reads before its input while the watch is off", switch_the_watch_off, only_right),
    add_pair("watch_patched", "reads before its input, with the hooks patched", patch_the_watch, only_right),
    add_pair("watch_replaced", "reads before its input, with other code in the hooks' place", replace_the_watch,
             only_right),
    add_pair("limits", "changes limits and installs a filter", change_limits_wrong, change_limits_right),
};

}  // namespace
}  // namespace negzero::attacks
