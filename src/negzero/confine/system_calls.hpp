// The system calls that a confined process may make, as seccomp filters.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <linux/filter.h>

#include <negzero/engine/runtime_calls.hpp>

namespace negzero::confine {

/// What a confined process runs.
enum class Profile : unsigned char {
  Off,         ///< no confinement: for sanitizers and debuggers
  Host,        ///< host code only: computes, and talks over the descriptors that it has
  Stranger,    ///< the same by a program that has none of our runtime: its memory and its results are its own affair
  Cuda,        ///< the CUDA driver too: its devices, local sockets for itself, locked memory
  Python,      ///< host code that compiles and starts programs, and writes in a folder of its own
  PythonCuda,  ///< the same with the CUDA driver
};

/// Whether programs may start others there.
[[nodiscard]] constexpr bool makes_processes(Profile profile) noexcept {
  return profile == Profile::Python || profile == Profile::PythonCuda;
}
/// Whether the CUDA driver works there.
[[nodiscard]] constexpr bool uses_cuda(Profile profile) noexcept {
  return profile == Profile::Cuda || profile == Profile::PythonCuda;
}

/// Filters that outlive exec. Every call that is not permitted fails with EPERM, so that its caller can report it; only
/// those that a C library tries before an older one (clone3, openat2) fail with ENOSYS.
///
/// Permitted under Profile::Host, by group:
///   threads    futex, clone of threads, CPU affinity of its own, scheduling queries
///   memory     brk, private mappings, mprotect, madvise (but no poisoning of pages, which root may). What was writable
///              is never executable, and the program's own code stays where it is. Device memory has a range of
///              addresses to itself: there, unmapping, closing, opening and advising ask for the runtime's key, and no
///              mapping replaces another
///   time       clocks, sleeps, alarm, setitimer, timerfd. No timer_create: its structure could name SIGKILL
///   signals    handlers (of SIGSEGV and SIGBUS with the runtime's key only), masks; sending to the process itself, but
///              neither SIGKILL nor SIGSTOP: a process that died by SIGKILL was killed from outside
///   files      open for reading, read, write, stat, poll, pipes, eventfd; of fcntl flags and duplicates only, so that
///              no signal is sent for a descriptor; of ioctl what terminals and pipes are asked
///   sockets    sending and receiving on those that it has; none is made, none is connected
///   exec       once, by the parent's code: the filter asks for `exec_key` in a register that execve leaves unread
/// Permitted under Profile::Stranger besides: every mapping of its own memory and of the descriptors that it has, code
/// that it writes itself, handlers of every signal, questions about its sockets.
/// Permitted under Profile::Cuda besides: open for writing (Landlock says where), ioctl (but no typing into terminals),
/// UNIX stream sockets that listen and never connect, memfd_create, ftruncate, mlock, NUMA policies. There, connect,
/// symlink and unlink fail with ENOENT.
/// Permitted under Profile::Python besides what a Stranger may: processes, which exec what Landlock lets them; files
/// and folders made, renamed and removed where Landlock says; pairs of UNIX stream sockets; signals to all that it
/// started and nothing else, which takes Landlock 6 (signals to itself alone before), but none that would look as if it
/// was killed from outside: SIGKILL and SIGSTOP go neither to the process itself nor to its group. Modes and times of
/// files are not changed, and no new session or group of processes is made, though the calls say so: programs go on,
/// Landlock sees neither, and what a process started ends with its group. Profile::PythonCuda may do what both may, but
/// for connect and symlink, which fail with ENOENT.
///
/// Rejected: a filter that kills. A kernel that tries its luck with a call and has another way is no crash.
class SystemCallFilter {
 public:
  /// Compiles the filters of `profile`, which is not Off. Where it fails, why_not() says why.
  [[nodiscard]] static SystemCallFilter compile(Profile profile);

  /// Installs the filters for the calling thread. Returns 0 or an errno; 0 too where there are none. Async-signal-safe:
  /// allocates nothing. Asks for no_new_privs to be set.
  [[nodiscard]] int install() noexcept;

  /// Empty, or why there are no filters: one line.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }
  /// What execve must carry as its sixth argument. Random: a process that does not know it cannot exec.
  [[nodiscard]] std::uint64_t exec_key() const noexcept { return exec_key_; }
  /// What the runtime in the process must know, once it runs: random too. All 0 without filters and under other
  /// profiles than Profile::Host; `place` is 0 too where the address space has no room of its own for device memory,
  /// which host code can then open.
  [[nodiscard]] engine::RuntimeKey runtime_key() const noexcept { return runtime_; }

 private:
  std::vector<sock_filter> permitted_, refused_;
  /// An instruction that compares with the process's own number, or with its group's: that number, negated.
  struct OwnId {
    bool is_permitting;  ///< of permitted_, else of refused_
    std::size_t at;
    bool is_group;
  };
  std::vector<OwnId> own_ids_;
  std::uint64_t exec_key_ = 0;
  engine::RuntimeKey runtime_;
  std::string why_not_;
};

}  // namespace negzero::confine
