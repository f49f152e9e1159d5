// The permitted system calls as tables, and the conditions on some of them.

#if defined(NEGZERO_HAS_SECCOMP)

#include <cerrno>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <negzero/confine/landlock.hpp>
#include <negzero/confine/system_call_rules.hpp>

namespace negzero::confine {

namespace {

constexpr std::uint64_t kLow32 = 0xffffffff;

constexpr const char* kPlain[] = {
    // the process itself
    "exit", "exit_group", "restart_syscall", "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid",
    "geteuid", "getgid", "getegid", "getresuid", "getresgid", "getgroups", "uname", "sysinfo", "getrusage", "times",
    "getrlimit", "getrandom", "wait4", "waitid", "getpriority",
    // threads
    "futex", "futex_waitv", "futex_wait", "futex_wake", "futex_requeue", "set_robust_list", "rseq", "set_tid_address",
    "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "getcpu", "membarrier",
    // memory
    "brk", "munmap", "mprotect", "madvise", "mincore", "msync",
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

constexpr const char* kPlainCuda[] = {
    "mmap",      "mremap",    "arch_prctl", "open",          "openat",        "ioctl",      "bind",
    "listen",    "accept",    "accept4",    "getsockname",   "getpeername",   "getsockopt", "setsockopt",
    "shutdown",  "mlock",     "mlock2",     "munlock",       "mlockall",      "munlockall", "memfd_create",
    "ftruncate", "fallocate", "mbind",      "set_mempolicy", "get_mempolicy", "flock",      "fsync"};

/// An interpreter asks what a descriptor is that it is given.
constexpr const char* kPlainStranger[] = {"getsockname", "getpeername", "getsockopt"};

/// Programs that compile, and what they do with files; Landlock says where.
constexpr const char* kPlainPython[] = {"mmap",
                                        "mremap",
                                        "arch_prctl",
                                        "open",
                                        "openat",
                                        "execve",
                                        "fork",
                                        "vfork",
                                        "umask",
                                        "chdir",
                                        "fchdir",
                                        "unlinkat",
                                        "mkdir",
                                        "mkdirat",
                                        "rmdir",
                                        "rename",
                                        "renameat",
                                        "renameat2",
                                        "link",
                                        "linkat",
                                        "ftruncate",
                                        "fallocate",
                                        "fsync",
                                        "fdatasync",
                                        "sync_file_range",
                                        "flock",
                                        "copy_file_range",
                                        "sendfile",
                                        "memfd_create",
                                        "unlink",
                                        "getsockname",
                                        "getpeername",
                                        "getsockopt",
                                        "setsockopt",
                                        "shutdown",
                                        "mbind",
                                        "set_mempolicy",
                                        "get_mempolicy",
                                        "mlock",
                                        "munlock"};

/// Calls that are answered as if they had done something: a program goes on, and files outside stay as they are, and
/// all that a process starts stays in its group.
constexpr const char* kPretended[] = {"chmod",     "fchmod",    "fchmodat", "utime",  "utimes",
                                      "utimensat", "futimesat", "setsid",   "setpgid"};

/// libcuda asks whether a process-sharing service is there (MPS), and makes links below /dev/char to its devices anew
/// where they are wrong. It takes "not permitted" for the end (error 304), "not there" for nothing to do (both seen
/// with driver 580).
constexpr const char* kNotThereCuda[] = {"connect", "symlink", "unlink"};

/// Calls that a C library tries first and does without where they are not known.
constexpr const char* kUnknown[] = {"clone3", "openat2", "fchmodat2", "epoll_pwait2", "map_shadow_stack", "mseal"};

constexpr std::uint64_t kOpensForWriting = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint64_t kCloneOthers = CLONE_PTRACE | CLONE_PIDFD | CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                       CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint64_t kCloneMask = CLONE_THREAD | CLONE_VM | kCloneOthers;
/// Of madvise: they take a page of the machine out of use, which root may.
constexpr std::uint64_t kPoisonPage = 100, kSoftOffline = 101;
constexpr std::uint64_t kNameMemory = 0x53564d41;  // PR_SET_VMA: glibc names the stacks of threads

constexpr std::uint64_t kExecutable = PROT_EXEC, kWritable = PROT_WRITE;
/// Of arch_prctl: the registers of thread-local storage. Not the one that makes addresses carry tags.
constexpr std::uint64_t kArchPrctls[] = {0x1001, 0x1002, 0x1003, 0x1004};

constexpr std::uint64_t kPrctls[] = {PR_SET_NAME,       PR_GET_NAME,         PR_GET_PDEATHSIG, PR_GET_DUMPABLE,
                                     PR_CAPBSET_READ,   PR_GET_NO_NEW_PRIVS, PR_GET_SECCOMP,   PR_SET_TIMERSLACK,
                                     PR_GET_TIMERSLACK, PR_GET_THP_DISABLE,  kNameMemory};
constexpr std::uint64_t kFcntls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL};
constexpr std::uint64_t kFcntlsCuda[] = {F_GETLK, F_SETLK, F_SETLKW, F_ADD_SEALS, F_GET_SEALS};
constexpr std::uint64_t kFcntlsPython[] = {F_GETPIPE_SZ, F_SETPIPE_SZ};
constexpr std::uint64_t kIoctls[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};
/// Typing into a terminal, stealing one, and sending the signals of a descriptor to others.
constexpr std::uint64_t kIoctlsRefused[] = {TIOCSTI, TIOCLINUX, TIOCSCTTY, FIOSETOWN, SIOCSPGRP};

scmp_arg_cmp in(std::uint64_t range, unsigned argument) { return masked(argument, kRangeMask, range); }

/// Private mappings, and those of shared files where device memory lies. What of these is refused: see refuse_memory().
void permit_memory(SeccompBuilder& filter, const engine::RuntimeKey& runtime) {
  for (const std::uint64_t option : kArchPrctls) filter.permit("arch_prctl", {is(0, option)});
  filter.permit("mremap", {masked(3, ~std::uint64_t{MREMAP_MAYMOVE}, 0)});
  if (runtime.place == 0) {
    filter.permit("mmap");
    return;
  }
  filter.permit("mmap", {masked(3, MAP_SHARED, 0)});  // MAP_SHARED_VALIDATE has that bit too.
  filter.permit("mmap", {in(kDeviceRange, 0), is(2, PROT_READ | PROT_WRITE), is(3, MAP_SHARED | MAP_FIXED_NOREPLACE)});
}

void refuse_memory(SeccompBuilder& filter, const engine::RuntimeKey& runtime) {
  // What was once written never runs: the loader needs no more than files mapped executable and not writable.
  filter.refuse("mmap", {masked(2, kExecutable | kWritable, kExecutable | kWritable)});
  filter.refuse("mmap", {masked(2, kExecutable, kExecutable), masked(3, MAP_SHARED, MAP_SHARED)});
  filter.refuse("mprotect", {masked(2, kExecutable, kExecutable)});
  // Nor does other code in the program's place.
  for (const char* name : {"mmap", "munmap", "mremap"}) {
    filter.refuse(name, {in(kProgramRange, 0)});
    // A program that lies where its file says: below 4 GiB, but above the pages that no process may map.
    for (unsigned bit = 16; bit < 32; ++bit) {
      const std::uint64_t least = std::uint64_t{1} << bit;
      filter.refuse(name, {masked(0, ~(least - 1), least)});
    }
  }
  for (const std::uint64_t fault : {SIGSEGV, SIGBUS}) {
    // Asking for the handler is no harm.
    filter.refuse("rt_sigaction", {masked(0, kLow32, fault), is_not(1, 0), is_not(4, runtime.key)});
  }
  if (runtime.place == 0) return;
  // A call that begins elsewhere does not reach device memory: see kDevicePlace.
  for (const char* name : {"munmap", "mremap", "mprotect", "madvise"}) filter.refuse(name, {at_least(1, kMostMapped)});
  // Where the system chooses the place, nothing is in the way of a mapping.
  filter.refuse("mmap", {is_not(0, 0), at_least(1, kMostMapped)});
  for (const char* name : {"munmap", "mprotect", "madvise"}) {
    filter.refuse(name, {in(kDeviceRange, 0), is_not(5, runtime.key)});
  }
  filter.refuse("mremap", {in(kDeviceRange, 0)});
  filter.refuse("mmap", {in(kDeviceRange, 0), masked(3, MAP_FIXED_NOREPLACE, 0)});
}

}  // namespace

namespace {

constexpr const char* kSignals[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};

void permit_local_sockets(SeccompBuilder& filter, std::initializer_list<const char*> calls) {
  constexpr std::uint64_t kKind = 0xf;  // Without SOCK_CLOEXEC and SOCK_NONBLOCK.
  for (const std::uint64_t kind : {SOCK_STREAM, SOCK_SEQPACKET}) {
    for (const char* name : calls) filter.permit(name, {masked(0, kLow32, AF_UNIX), masked(1, kKind, kind)});
  }
}

void permit_cuda(SeccompBuilder& filter) {
  for (const char* name : kPlainCuda) filter.permit(name);
  for (const std::uint64_t command : kFcntlsCuda) filter.permit("fcntl", {is(1, command)});
  permit_local_sockets(filter, {"socket", "socketpair"});
}

void permit_python(SeccompBuilder& filter, bool cuda) {
  for (const char* name : kPlainPython) filter.permit(name);
  for (const char* name : kPretended) filter.add(SCMP_ACT_ERRNO(0), name);
  // The low byte is the signal that the end of the new process sends: never SIGKILL.
  for (const std::uint64_t signal : {0, SIGCHLD}) {
    filter.permit("clone", {masked(0, kCloneOthers | CLONE_PARENT | CSIGNAL, signal)});
  }
  for (const std::uint64_t command : kFcntlsPython) filter.permit("fcntl", {is(1, command)});
  // Landlock 6 keeps signals among what the process has started.
  if (landlock::abi() >= 6) {
    for (const char* name : kSignals) filter.permit(name);
  }
  if (cuda) {
    permit_cuda(filter);
    filter.add(SCMP_ACT_ERRNO(ENOENT), "connect");
    filter.add(SCMP_ACT_ERRNO(ENOENT), "symlink");
    return;
  }
  filter.permit("symlink");
  filter.permit("symlinkat");
  for (const std::uint64_t command : kFcntlsCuda) filter.permit("fcntl", {is(1, command)});
  for (const std::uint64_t request : kIoctls) filter.permit("ioctl", {is(1, request)});
  permit_local_sockets(filter, {"socketpair"});
}

}  // namespace

void permit_calls(SeccompBuilder& filter, Profile profile, std::uint64_t exec_key, const engine::RuntimeKey& runtime) {
  for (const char* name : kPlain) filter.permit(name);
  for (const char* name : kUnknown) filter.add(SCMP_ACT_ERRNO(ENOSYS), name);
  if (!makes_processes(profile)) filter.permit("execve", {is(5, exec_key)});
  filter.permit("clone", {masked(0, kCloneMask, CLONE_THREAD | CLONE_VM)});
  for (const char* name : kSignals) filter.permit(name, {is(0, kOwnId)});
  for (const std::uint64_t own : {std::uint64_t{0}, std::uint64_t{kOwnId}}) {
    filter.permit("prlimit64", {is(0, own), is(2, 0)});  // Asks for a limit, sets none.
    filter.permit("sched_setaffinity", {is(0, own)});
  }
  filter.permit("sendto", {is(4, 0)});
  for (const std::uint64_t option : kPrctls) filter.permit("prctl", {is(0, option)});
  for (const std::uint64_t command : kFcntls) filter.permit("fcntl", {is(1, command)});
  if (makes_processes(profile)) {
    permit_python(filter, uses_cuda(profile));
  } else if (profile == Profile::Cuda) {
    permit_cuda(filter);
    for (const char* name : kNotThereCuda) filter.add(SCMP_ACT_ERRNO(ENOENT), name);
  } else {
    permit_memory(filter, runtime);
    if (profile == Profile::Stranger) {
      for (const char* name : kPlainStranger) filter.permit(name);
    }
    filter.permit("open", {masked(1, kOpensForWriting, O_RDONLY)});
    filter.permit("openat", {masked(2, kOpensForWriting, O_RDONLY)});
    for (const std::uint64_t request : kIoctls) filter.permit("ioctl", {is(1, request)});
  }
}

void refuse_calls(SeccompBuilder& filter, Profile profile, const engine::RuntimeKey& runtime) {
  for (const std::uint64_t signal : {SIGKILL, SIGSTOP}) {
    if (makes_processes(profile)) {
      for (const char* name : kSignals) {
        const unsigned at = std::string_view(name).find("tg") != std::string_view::npos ? 2 : 1;
        for (const std::uint64_t to : {std::uint64_t{kOwnId}, std::uint64_t{kOwnGroup}, std::uint64_t{0}, kLow32}) {
          filter.refuse(name, {masked(0, kLow32, to), masked(at, kLow32, signal)});
        }
      }
      continue;
    }
    filter.refuse("kill", {masked(1, kLow32, signal)});
    filter.refuse("tgkill", {masked(2, kLow32, signal)});
    filter.refuse("rt_sigqueueinfo", {masked(1, kLow32, signal)});
    filter.refuse("rt_tgsigqueueinfo", {masked(2, kLow32, signal)});
  }
  if (makes_processes(profile)) {
    // Before Landlock 3, a file that may be read may be opened so.
    for (const auto& [name, argument] : {std::pair("open", 1u), std::pair("openat", 2u)}) {
      filter.refuse(name, {masked(argument, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC)});
    }
  }
  for (const std::uint64_t advice : {kPoisonPage, kSoftOffline}) {
    filter.refuse("madvise", {masked(2, kLow32, advice)});
  }
  for (const std::uint64_t request : kIoctlsRefused) filter.refuse("ioctl", {masked(1, kLow32, request)});
  if (profile == Profile::Host) refuse_memory(filter, runtime);
}

}  // namespace negzero::confine

#endif
