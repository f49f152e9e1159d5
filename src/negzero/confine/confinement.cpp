// What a confined process may read, the privileges that it loses, and the order in which all of it comes into force.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <elf.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/confine/confinement.hpp>

namespace negzero::confine {

namespace {

using landlock::kExecute;
using landlock::kIoctlDevice;
using landlock::kRead;
using landlock::kReadFile;
using landlock::kTruncate;
using landlock::kWriteFile;

/// Where libraries lie, and what the loader and the C library look up. A path that a system has not costs nothing.
constexpr const char* kLibraries[] = {
    // directories
    "/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/usr/local/lib",
    "/usr/local/lib64", "/nix/store", "/gnu/store",
    // the loader's index and orders
    "/etc/ld.so.cache", "/etc/ld.so.preload"};
/// Facts about the machine that are the same for all processes.
constexpr const char* kFacts[] = {
    // time zones
    "/etc/localtime", "/usr/share/zoneinfo",
    // processors and memory
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/proc/sys/kernel/osrelease",
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm/transparent_hugepage",
    // devices that hold nothing
    "/dev/null", "/dev/zero", "/dev/urandom"};
/// Of its own /proc. Not `mem` nor `task`, where that is again: through them a process reads memory that it may not,
/// such as closed device memory.
constexpr const char* kOwnProc[] = {
    "/proc/self/auxv",      "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/comm",      "/proc/self/environ",
    "/proc/self/fd",        "/proc/self/limits", "/proc/self/maps",    "/proc/self/mountinfo", "/proc/self/numa_maps",
    "/proc/self/schedstat", "/proc/self/smaps",  "/proc/self/stat",    "/proc/self/statm",     "/proc/self/status"};
/// What the CUDA driver looks up.
constexpr const char* kCudaReads[] = {"/usr", "/opt", "/sys",
                                      // Of /proc and /etc not all: what root's processes see there is not for them.
                                      "/proc/driver", "/proc/devices", "/proc/modules", "/proc/version",
                                      "/proc/filesystems", "/proc/sys", "/run/nvidia-persistenced", "/run/nvidia",
                                      "/etc/nvidia", "/etc/OpenCL", "/etc/alternatives"};

/// Where the system's programs lie, which compilers are: read and executed where processes may be made.
constexpr const char* kPrograms[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix/store", "/gnu/store"};

/// Adds the loader that the kernel starts dynamic programs of this build with, and the libraries of this process: a
/// program of the same build finds its own where this one did, which may be a place of its own ($ORIGIN, Conda).
void add_loaded(std::vector<landlock::Rule>& rules) {
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        auto& found = *static_cast<std::vector<landlock::Rule>*>(out);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_INTERP) continue;
          found.push_back({reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), kReadFile | kExecute});
        }
        if (object->dlpi_name[0] == '/') found.push_back({object->dlpi_name, kReadFile});
        return 0;
      },
      &rules);
}

/// The loader that a program names, which the kernel starts it with; empty where it names none.
std::string loader_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  const auto read_at = [&](std::uint64_t at, void* into, std::size_t bytes) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file.read(static_cast<char*>(into), static_cast<std::streamsize>(bytes)));
  };
  ElfW(Ehdr) header{};
  if (!read_at(0, &header, sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read_at(header.e_phoff + i * sizeof segment, &segment, sizeof segment)) return "";
    constexpr std::size_t kLongestPath = 4096;
    if (segment.p_type != PT_INTERP || segment.p_filesz > kLongestPath) continue;
    std::string path(segment.p_filesz, '\0');
    return read_at(segment.p_offset, path.data(), path.size()) ? path.c_str() : "";
  }
  return "";
}

/// Adds the parts of a list of paths, such as LD_LIBRARY_PATH.
void add_list(std::vector<landlock::Rule>& rules, const char* list, std::string_view separators) {
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    if (end != 0 && rest.front() == '/') rules.push_back({std::string(rest.substr(0, end)), kRead});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void add_cuda(std::vector<landlock::Rule>& rules) {
  for (const char* path : kCudaReads) rules.push_back({path, kRead});
  rules.push_back({"/proc/self", kRead});
  constexpr std::uint64_t kUse = kRead | kWriteFile | kIoctlDevice;
  rules.push_back({"/dev/null", kUse});
  // libcuda names its threads (/proc/self/task/TID/comm), and takes a failure there for the end (error 304, seen with
  // driver 580). What else can be written there is the process's own.
  rules.push_back({"/proc/self/task", kRead | kWriteFile | kTruncate});
  rules.push_back({"/dev/dri", kUse});
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename();
    // NVIDIA's own; those of its systems on a chip; and Windows' under WSL.
    for (const std::string_view start : {"nvidia", "nvhost", "nvmap", "nvgpu", "dxg"}) {
      if (name.starts_with(start)) rules.push_back({entry.path(), kUse});
    }
  }
}

std::vector<landlock::Rule> rules_for(const Confined& confined) {
  std::vector<landlock::Rule> rules{{confined.program, kReadFile | kExecute}};
  add_loaded(rules);
  if (const std::string loader = loader_of(confined.program); !loader.empty()) {
    rules.push_back({loader, kReadFile | kExecute});
  }
  for (const char* path : kLibraries) rules.push_back({path, kRead});
  for (const char* path : kFacts) rules.push_back({path, kRead});
  const bool has_processes = makes_processes(confined.profile);
  for (const std::string& path : confined.readable) rules.push_back({path, has_processes ? kRead | kExecute : kRead});
  if (has_processes) {
    for (const char* path : kPrograms) rules.push_back({path, kRead | kExecute});
    rules.push_back({"/dev/null", kRead | kWriteFile});
  }
  add_list(rules, std::getenv("LD_LIBRARY_PATH"), ":;");
  add_list(rules, std::getenv("LD_PRELOAD"), ": ");
  if (uses_cuda(confined.profile)) {
    add_cuda(rules);
  } else {
    for (const char* path : kOwnProc) rules.push_back({path, kRead});
  }
  return rules;
}

/// Sees to it that exec gives root none of root's rights. Until then they stay, as the program may be root's to start
/// only. Returns false where a right may remain.
bool drop_capabilities() noexcept {
  constexpr int kMostCapabilities = 64;
  for (int capability = 0; capability < kMostCapabilities; ++capability) {
    if (::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) != 1) continue;
    if (capability == CAP_DAC_READ_SEARCH) continue;
    // An ordinary user may not, and need not: exec gives no rights while no_new_privs is set.
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return ::geteuid() != 0;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  for (__user_cap_data_struct& set : sets)
    set.inheritable = 0;  // exec would add them to what the bounding set lets by.
  return ::syscall(SYS_capset, &header, sets) == 0;
}

}  // namespace

Confinement::Confinement(const Confined& confined) : profile_(confined.profile), program_(confined.program) {
  if (profile_ == Profile::Off) return;
  file_rules_ = rules_for(confined);
  calls_ = SystemCallFilter::compile(profile_);
}

InForce Confinement::apply(std::span<const landlock::Rule> more) noexcept {
  if (profile_ == Profile::Off) return {.privileges = false, .files = ECANCELED, .calls = ECANCELED};
  InForce in_force;
  const bool no_more = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  in_force.privileges = drop_capabilities() && no_more;
  in_force.files = landlock::restrict_self(file_rules_, more);
  in_force.calls = calls_.why_not().empty() ? calls_.install() : ENOSYS;
  return in_force;
}

int Confinement::exec(char* const argv[], char* const environment[]) const noexcept {
  ::syscall(SYS_execve, program_.c_str(), argv, environment, 0L, 0L, calls_.exec_key());
  return errno;
}

}  // namespace negzero::confine
