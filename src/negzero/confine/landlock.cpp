// Landlock through its raw system calls: glibc wraps none of them.

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <negzero/confine/landlock.hpp>

namespace negzero::confine::landlock {

namespace {

// The same on every architecture.
constexpr long kCreateRuleset = 444;
constexpr long kAddRule = 445;
constexpr long kRestrictSelf = 446;

struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};
struct [[gnu::packed]] PathBeneath {
  std::uint64_t rights;
  std::int32_t parent;
};
constexpr unsigned kAskVersion = 1;
constexpr int kPathBeneath = 1;

/// Rights that mean something for a file; the others are about what a directory holds.
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDevice;

/// Returns everything that a version can refuse. The kernel takes a larger structure than it knows where the rest is 0.
RulesetAttributes all_of(int version) noexcept {
  RulesetAttributes all{.files = (1u << 13) - 1, .network = 0, .scopes = 0};
  if (version >= 2) all.files |= 1u << 13;  // rename and link between directories
  if (version >= 3) all.files |= kTruncate;
  if (version >= 4) all.network = 3;            // bind and connect of TCP
  if (version >= 5) all.files |= kIoctlDevice;  // ioctl of devices
  if (version >= 6) all.scopes = 3;             // abstract UNIX sockets, signals
  return all;
}

void permit_path(int ruleset, const char* path, std::uint64_t rights) noexcept {
  const int file = ::open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return;
  struct stat about {};
  if (::fstat(file, &about) == 0) {
    if (!S_ISDIR(about.st_mode)) rights &= kOfFiles;
    const PathBeneath rule{rights, file};
    if (rights != 0) ::syscall(kAddRule, ruleset, kPathBeneath, &rule, 0);
  }
  ::close(file);
}

}  // namespace

int abi() noexcept {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version < 0 ? -errno : static_cast<int>(version);
}

int restrict_self(std::span<const Rule> rules, std::span<const Rule> more) noexcept {
  const int version = abi();
  if (version < 0) return -version;
  const RulesetAttributes all = all_of(version);
  const int ruleset = static_cast<int>(::syscall(kCreateRuleset, &all, sizeof all, 0));
  if (ruleset < 0) return errno;
  // In the process itself, whose number /proc/self leads to; exec keeps it.
  for (const std::span<const Rule> each : {rules, more}) {
    for (const Rule& rule : each) permit_path(ruleset, rule.path.c_str(), rule.rights & all.files);
  }
  const int reason = ::syscall(kRestrictSelf, ruleset, 0) == 0 ? 0 : errno;
  ::close(ruleset);
  return reason;
}

}  // namespace negzero::confine::landlock
