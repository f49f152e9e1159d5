// The permitted system calls as tables, and libseccomp's compiler over them.

#include <cerrno>
#include <cstring>
#include <span>

#include <linux/seccomp.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/run/system_calls.hpp>

#if defined(NEGZERO_HAS_SECCOMP)
#include <memory>

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#endif

namespace negzero::run {

#if defined(NEGZERO_HAS_SECCOMP)

namespace {

/// A number that no other comparison of the filters holds; install() writes the process's own over it.
constexpr std::uint32_t kOwnId = 0x6e7a5049;
constexpr std::uint64_t kLow32 = 0xffffffff;

constexpr const char* kPlain[] = {
    // the process itself
    "exit", "exit_group", "restart_syscall", "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "uname", "sysinfo", "getrusage", "times",
    "getrlimit", "getrandom", "arch_prctl", "wait4", "waitid", "getpriority",
    // threads
    "futex", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "set_robust_list", "rseq", "set_tid_address",
    "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "getcpu", "membarrier",
    // memory
    "brk", "mmap", "munmap", "mprotect", "mremap", "madvise", "mincore", "msync", "mseal",
    // time
    "clock_gettime", "clock_getres", "clock_nanosleep", "gettimeofday", "time", "nanosleep", "alarm", "setitimer",
    "getitimer", "timerfd_create", "timerfd_settime", "timerfd_gettime",
    // signals
    "rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "rt_sigreturn",
    "sigaltstack", "pause",
    // files and descriptors
    "read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev", "pwritev2", "lseek",
    "close", "close_range", "dup", "dup2", "dup3", "stat", "lstat", "fstat", "newfstatat", "statx", "statfs", "fstatfs",
    "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "fadvise64", "poll", "ppoll",
    "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd",
    "eventfd2", "pipe", "pipe2",
    // sockets that are there already
    "recvfrom", "recvmsg", "sendmsg"};

constexpr const char* kPlainCuda[] = {"open",       "openat",        "ioctl",         "bind",        "listen",
                                      "accept",     "accept4",       "getsockname",   "getpeername", "getsockopt",
                                      "setsockopt", "shutdown",      "mlock",         "mlock2",      "munlock",
                                      "mlockall",   "munlockall",    "memfd_create",  "ftruncate",   "fallocate",
                                      "mbind",      "set_mempolicy", "get_mempolicy", "flock",       "fsync"};

/// Calls that a C library tries first and does without where they are not known.
constexpr const char* kUnknown[] = {"clone3", "openat2", "fchmodat2", "epoll_pwait2", "map_shadow_stack"};

constexpr std::uint64_t kOpensForWriting = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint64_t kCloneMask = CLONE_THREAD | CLONE_VM | CLONE_PTRACE | CLONE_PIDFD | CLONE_NEWNS |
                                     CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                     CLONE_NEWNET;
/// Of madvise: they take a page of the machine out of use, which root may.
constexpr std::uint64_t kPoisonPage = 100, kSoftOffline = 101;
constexpr std::uint64_t kNameMemory = 0x53564d41;  // PR_SET_VMA: glibc names the stacks of threads

constexpr std::uint64_t kPrctls[] = {PR_SET_NAME,       PR_GET_NAME,         PR_GET_PDEATHSIG, PR_GET_DUMPABLE,
                                     PR_CAPBSET_READ,   PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP,   PR_SET_TIMERSLACK,
                                     PR_GET_TIMERSLACK, PR_GET_THP_DISABLE,  kNameMemory};
constexpr std::uint64_t kFcntls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
constexpr std::uint64_t kFcntlsCuda[] = {F_GETLK, F_SETLK, F_SETLKW, F_ADD_SEALS, F_GET_SEALS};
constexpr std::uint64_t kIoctls[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
/// Typing into a terminal, stealing one, and sending the signals of a descriptor to others.
constexpr std::uint64_t kIoctlsRefused[] = {TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOSETOWN, SIOCSPGRP};

/// A libseccomp filter under construction. The first error sticks.
class Builder {
 public:
  explicit Builder(std::uint32_t otherwise) : filter_(::seccomp_init(otherwise), &::seccomp_release) {
    if (!filter_) {
      error_ = ENOMEM;
      return;
    }
    // A 32-bit call from a 64-bit program has other numbers.
    keep(::seccomp_attr_set(filter_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
    // A binary tree instead of a chain. Libraries before 2.5 have none, and are as right.
    (void)::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }

  /// Adds one rule; several for one call are alternatives. A call that this architecture or this library does not know
  /// is left out: the filter's default covers it.
  void add(std::uint32_t action, const char* name, std::span<const scmp_arg_cmp> conditions = {}) {
    if (error_ != 0) return;
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number < 0) return;
    keep(::seccomp_rule_add_array(filter_.get(), action, number, static_cast<unsigned>(conditions.size()),
                                  conditions.data()));
  }
  void permit(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    add(SCMP_ACT_ALLOW, name, {conditions.begin(), conditions.size()});
  }
  void refuse(const char* name, std::initializer_list<scmp_arg_cmp> conditions) {
    add(SCMP_ACT_ERRNO(EPERM), name, {conditions.begin(), conditions.size()});
  }

  [[nodiscard]] int error() const { return error_; }

  /// Returns the program, or nothing after an error.
  [[nodiscard]] std::vector<sock_filter> program() {
    std::vector<sock_filter> program;
    // Version 2.5 exports into descriptors only.
    const int file = error_ == 0 ? ::memfd_create("filter", MFD_CLOEXEC) : -1;
    if (error_ == 0 && file < 0) error_ = errno;
    if (error_ != 0) return program;
    keep(::seccomp_export_bpf(filter_.get(), file));
    const off_t bytes = ::lseek(file, 0, SEEK_END);
    if (error_ == 0 && bytes > 0) {
      program.resize(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
      if (::pread(file, program.data(), static_cast<std::size_t>(bytes), 0) != bytes) error_ = EIO;
    }
    ::close(file);
    if (error_ != 0) program.clear();
    return program;
  }

 private:
  void keep(int result) {
    if (error_ == 0 && result < 0) error_ = -result;
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> filter_;
  int error_ = 0;
};

scmp_arg_cmp is(unsigned argument, std::uint64_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// The filter that permits. Its conditions are equalities of whole registers or of the bits that the kernel looks at:
/// the kernel cuts an int off a register, so that "is not 9" would let 9 + 2^32 through.
void permit_calls(Builder& filter, Profile profile, std::uint64_t exec_key) {
  for (const char* name : kPlain) filter.permit(name);
  for (const char* name : kUnknown) filter.add(SCMP_ACT_ERRNO(ENOSYS), name);
  filter.permit("execve", {is(5, exec_key)});
  filter.permit("clone", {masked(0, kCloneMask, CLONE_THREAD | CLONE_VM)});
  for (const char* name : {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"}) {
    filter.permit(name, {is(0, kOwnId)});
  }
  for (const std::uint64_t own : {std::uint64_t{0}, std::uint64_t{kOwnId}}) {
    filter.permit("prlimit64", {is(0, own), is(2, 0)});  // Asks for a limit, sets none.
    filter.permit("sched_setaffinity", {is(0, own)});
  }
  filter.permit("sendto", {is(4, 0)});
  for (const std::uint64_t option : kPrctls) filter.permit("prctl", {is(0, option)});
  for (const std::uint64_t command : kFcntls) filter.permit("fcntl", {is(1, command)});
  if (profile == Profile::Cuda) {
    for (const char* name : kPlainCuda) filter.permit(name);
    // libcuda asks whether a process-sharing service is there (MPS), and takes "not permitted" for the end (error 304,
    // seen with driver 580).
    filter.add(SCMP_ACT_ERRNO(ENOENT), "connect");
    for (const std::uint64_t command : kFcntlsCuda) filter.permit("fcntl", {is(1, command)});
    constexpr std::uint64_t kKind = 0xf;  // Without SOCK_CLOEXEC and SOCK_NONBLOCK.
    for (const std::uint64_t kind : {SOCK_STREAM, SOCK_SEQPACKET}) {
      for (const char* name : {"socket", "socketpair"}) {
        filter.permit(name, {masked(0, kLow32, AF_UNIX), masked(1, kKind, kind)});
      }
    }
  } else {
    filter.permit("open", {masked(1, kOpensForWriting, O_RDONLY)});
    filter.permit("openat", {masked(2, kOpensForWriting, O_RDONLY)});
    for (const std::uint64_t request : kIoctls) filter.permit("ioctl", {is(1, request)});
  }
}

/// The filter that takes away from what the first permits. The stricter answer of the two counts.
void refuse_calls(Builder& filter) {
  for (const std::uint64_t signal : {SIGKILL, SIGSTOP}) {
    filter.refuse("kill", {masked(1, kLow32, signal)});
    filter.refuse("tgkill", {masked(2, kLow32, signal)});
    filter.refuse("rt_sigqueueinfo", {masked(1, kLow32, signal)});
    filter.refuse("rt_tgsigqueueinfo", {masked(2, kLow32, signal)});
  }
  for (const std::uint64_t advice : {kPoisonPage, kSoftOffline}) {
    filter.refuse("madvise", {masked(2, kLow32, advice)});
  }
  for (const std::uint64_t request : kIoctlsRefused) filter.refuse("ioctl", {masked(1, kLow32, request)});
}

}  // namespace

SystemCallFilter SystemCallFilter::compile(Profile profile) {
  SystemCallFilter result;
  if (::getrandom(&result.exec_key_, sizeof result.exec_key_, 0) != sizeof result.exec_key_) {
    result.why_not_ = std::string("no random number is to be had: ") + std::strerror(errno);
    return result;
  }
  Builder permitted(SCMP_ACT_ERRNO(EPERM));
  permit_calls(permitted, profile, result.exec_key_);
  Builder refused(SCMP_ACT_ALLOW);
  refuse_calls(refused);
  result.permitted_ = permitted.program();
  result.refused_ = refused.program();
  for (std::size_t i = 0; i < result.permitted_.size(); ++i) {
    const sock_filter& instruction = result.permitted_[i];
    if (BPF_CLASS(instruction.code) == BPF_JMP && instruction.k == kOwnId) result.own_ids_.push_back(i);
  }
  const int error = permitted.error() != 0 ? permitted.error() : refused.error();
  if (error != 0 || result.own_ids_.empty()) {
    result.permitted_.clear();
    result.refused_.clear();
    result.why_not_ = std::string("libseccomp compiles no filter here: ") + std::strerror(error);
  }
  return result;
}

#else

SystemCallFilter SystemCallFilter::compile(Profile) {
  SystemCallFilter result;
  result.why_not_ = "this program was built without libseccomp";
  return result;
}

#endif

int SystemCallFilter::install() noexcept {
  for (const std::size_t i : own_ids_) permitted_[i].k = static_cast<std::uint32_t>(::getpid());
  // The one that permits comes last: it does not permit this call.
  for (std::vector<sock_filter>* const filter : {&refused_, &permitted_}) {
    if (filter->empty()) continue;
    const sock_fprog program{static_cast<unsigned short>(filter->size()), filter->data()};
    // Before Linux 5.16 a filter also slowed the process down against speculation (SSBD), which is about secrets of the
    // process itself. It has none.
    long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
    if (result != 0 && errno == EINVAL) result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
    if (result != 0) return errno;
  }
  return 0;
}

}  // namespace negzero::run
