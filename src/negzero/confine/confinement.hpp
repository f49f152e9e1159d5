// What keeps a process that runs an untrusted kernel from everything but its own memory and its own descriptors.

#pragma once

#include <span>
#include <string>
#include <vector>

#include <negzero/confine/landlock.hpp>
#include <negzero/confine/system_calls.hpp>

namespace negzero::confine {

/// What to confine, and to what.
struct Confined {
  Profile profile = Profile::Host;
  std::string program;                  ///< absolute path of the only program that may be started
  std::vector<std::string> readable{};  ///< what it may read besides, such as plugins: files, or directories
};

/// What apply() put into force.
struct InForce {
  bool privileges = false;  ///< it can gain no rights, and keeps none of the superuser's but reading
  int files = 0;            ///< Landlock: 0, or the errno for which files are as open to it as to its user
  int calls = 0;            ///< system calls: 0, or the errno for which none is refused (ENOSYS where not built in)
  [[nodiscard]] bool all() const noexcept { return privileges && files == 0 && calls == 0; }
};

/// Made once in the trusted parent, used in each forked child:
///
///     Confinement confinement({.program = path});           // parent
///     if (fork() == 0) {
///       ... dup2(), prctl(PR_SET_PDEATHSIG), setpgid(), setrlimit(), close_range() ...
///       confinement.apply();                                 // child; refuses all of the above from here on
///       confinement.exec(argv, environment);
///       _exit(127);
///     }
///
/// It is in force before the program's first instruction (loader and static initialisers included), for all its
/// threads, for ever. What a system lacks is left out: see InForce and examine_confinement().
///
/// What each layer does:
///   privileges    no_new_privs; an empty bounding set, so that root is root by name only (it may still read all files
///                 that Landlock lets through, as a program may lie in a private folder)
///   files         Landlock: reads libraries, the program, `readable`, facts about itself (/proc/self, but not its
///                 memory) and about the machine. Profile::Cuda reads more of the system (/usr, /opt, /sys,
///                 /proc/driver) and all of /proc/self, and writes to the driver's devices. The program and the
///                 loader that it names are all that may be executed; Profile::Python reads and executes the
///                 programs of the system (/usr, /bin, /opt) and `readable` too
///   system calls  seccomp: no socket, no process, no signal to others, nothing opened for writing (SystemCallFilter,
///                 which has what Profile::Python may do besides)
///
/// Needed in the parent, as no filter sees it: seal the shared memory against shrinking (F_SEAL_SHRINK, F_SEAL_SEAL),
/// or the Cuda profile can make the parent's reads fault; use stream or seqpacket sockets, read them with recv(), never
/// recvmsg(); give /dev/null as standard input, since flags of an inherited terminal are its owner's too.
///
/// Rejected: namespaces. For an ordinary user they need a user namespace, which many systems refuse; a network
/// namespace costs about a millisecond a start, and what it takes away is refused with the socket already.
class Confinement {
 public:
  explicit Confinement(const Confined& confined);

  /// Confines the calling process, which must have one thread. Async-signal-safe: allocates nothing, and needs no
  /// descriptor of the parent. `more`: files that this process alone may use, such as a folder of its own.
  InForce apply(std::span<const landlock::Rule> more = {}) noexcept;
  /// Replaces the calling process by the program. Returns an errno, and only if that failed. Async-signal-safe.
  int exec(char* const argv[], char* const environment[]) const noexcept;

  [[nodiscard]] Profile profile() const noexcept { return profile_; }
  /// The rules for files, in force where Landlock is.
  [[nodiscard]] std::span<const landlock::Rule> file_rules() const noexcept { return file_rules_; }
  [[nodiscard]] const SystemCallFilter& calls() const noexcept { return calls_; }

 private:
  Profile profile_;
  std::string program_;
  std::vector<landlock::Rule> file_rules_;
  SystemCallFilter calls_;
};

}  // namespace negzero::confine
