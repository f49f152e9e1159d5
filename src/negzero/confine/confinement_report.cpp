// The trial of a confinement, and the cure for what a system lacks.

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/confine/confinement_report.hpp>
#include <negzero/engine/runtime_calls.hpp>

namespace negzero::confine {

namespace {

struct TrialAnswer {
  InForce in_force;
  bool held = true;
};

bool is_refused(int descriptor) noexcept {
  const int reason = errno;
  if (descriptor >= 0) ::close(descriptor);
  return descriptor < 0 && (reason == EPERM || reason == EACCES);
}

/// Whether what was written cannot be run, protocol::faults are the runtime's alone, and device memory opens with the
/// key alone. A page that is mapped executable in the trial could be written by nothing.
bool keeps_memory(engine::RuntimeKey runtime) noexcept {
  constexpr std::size_t kPage = 4096;
  constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
  if (::mmap(nullptr, kPage, PROT_WRITE | PROT_EXEC, kPrivate, -1, 0) != MAP_FAILED || errno != EPERM) return false;
  struct sigaction by_default {};
  if (::sigaction(SIGSEGV, &by_default, nullptr) == 0) return false;
  if (runtime.place == 0) return true;
  engine::set_runtime_key(runtime);
  std::byte* const page = engine::map_device_memory(kPage, -1);
  return page != nullptr && ::mprotect(page, kPage, PROT_NONE) != 0 &&
         engine::protect_device_memory(page, kPage, PROT_NONE) == 0 && ::munmap(page, kPage) != 0;
}

[[noreturn]] void live_confined(Confinement& confinement, int out) noexcept {
  TrialAnswer answer{.in_force = confinement.apply()};
  if (answer.in_force.files == 0) answer.held &= is_refused(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (answer.in_force.calls == 0) {
    answer.held &= is_refused(::socket(AF_INET, SOCK_STREAM, 0));
    if (confinement.profile() == Profile::Host) answer.held &= keeps_memory(confinement.calls().runtime_key());
  }
  const bool written = ::write(out, &answer, sizeof answer) == sizeof answer;
  ::_exit(written ? 0 : 1);
}

Ability confined_calls(const Trial& trial) {
  const char* const name = "confined calls";
  if (trial.in_force.calls == 0) {
    return {name, true,
            fmt::format("seccomp: no socket, no other process, no signal to one, nothing opened for writing, no code "
                        "changed{}",
                        trial.keeps_device_memory
                            ? ", device memory closed to host code"
                            : "; host code can open device memory: the address space has no room of its own for it")};
  }
  if (!trial.calls_why_not.empty()) {
    return {name, false, trial.calls_why_not,
            "install libseccomp2 (a program that was built without libseccomp-dev has to be built again)"};
  }
  return {name, false, fmt::format("seccomp filters are refused ({})", std::strerror(trial.in_force.calls)),
          "use a kernel with CONFIG_SECCOMP_FILTER and a container that permits seccomp(2)"};
}

Ability confined_files(const Trial& trial) {
  const char* const name = "confined files";
  if (trial.in_force.files == 0) {
    std::string missing;
    if (trial.landlock_abi < 6) missing = "; signals are refused by system calls only (version 6, Linux 6.12)";
    if (trial.landlock_abi < 3) missing = "; truncating is refused by system calls only (version 3, Linux 6.2)";
    return {name, true, fmt::format("Landlock, version {}{}", trial.landlock_abi, missing)};
  }
  if (trial.in_force.files == EOPNOTSUPP) {
    return {name, false, "Landlock is switched off: a kernel can read every file that you can",
            "add landlock to the list of the kernel's parameter lsm= and start the machine again"};
  }
  if (trial.in_force.files == ENOSYS) {
    return {name, false, "there is no Landlock: a kernel can read every file that you can",
            "use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK"};
  }
  return {name, false,
          fmt::format("Landlock is refused ({}): a kernel can read every file that you can",
                      std::strerror(trial.in_force.files)),
          "use a container that permits the landlock_* system calls"};
}

Ability confined_rights(const Trial& trial) {
  const char* const name = "confined rights";
  if (trial.in_force.privileges) return {name, true, "no_new_privs, no capabilities"};
  return {name, false, "a kernel keeps this user's capabilities", "run as an ordinary user"};
}

}  // namespace

Trial try_confinement(Profile profile) {
  // The child starts no program, and may read one that is there everywhere.
  Confinement confinement({.profile = profile, .program = "/proc/self/exe"});
  Trial trial{.in_force = {}, .landlock_abi = landlock::abi(), .calls_why_not = confinement.calls().why_not()};
  trial.keeps_device_memory = confinement.calls().runtime_key().place != 0;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    trial.ran = false;
    return trial;
  }
  const pid_t pid = ::fork();
  if (pid == 0) live_confined(confinement, ends[1]);
  ::close(ends[1]);
  TrialAnswer answer;
  trial.ran = pid > 0 && ::read(ends[0], &answer, sizeof answer) == sizeof answer;
  ::close(ends[0]);
  while (pid > 0 && ::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  trial.in_force = answer.in_force;
  trial.held = answer.held;
  return trial;
}

std::vector<Ability> describe(const Trial& trial) {
  std::vector<Ability> abilities{confined_calls(trial), confined_files(trial), confined_rights(trial)};
  if (trial.ran && trial.held) return abilities;
  const char* const why = trial.ran ? "it is in force, and lets pass what it should refuse" : "the trial process died";
  for (Ability& ability : abilities) {
    ability = {ability.name, false, why, "run on a system whose kernel is Linux; this one says that it is"};
  }
  return abilities;
}

}  // namespace negzero::confine
