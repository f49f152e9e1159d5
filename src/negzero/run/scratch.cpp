// Folders that confined processes may write: one of each process, which goes with it, and one of each kernel, which its
// workers share while a run lasts.

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/base/random.hpp>
#include <negzero/run/scratch.hpp>

namespace negzero::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "NEGZERO_SCRATCH";
constexpr const char* kName = "negzero-run-";

base::Error cannot(const std::string& where, int reason) {
  return base::infrastructure_error(fmt::format(
      "cannot make a folder for workers in {}: {}; TMPDIR names another place", where, std::strerror(reason)));
}

base::Result<std::string> made_in(const std::string& folder, const char* name) {
  std::string pattern = folder + "/" + name + "XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return cannot(folder, errno);
  return pattern;
}

/// A descriptor of a folder that nothing else holds locked, or -1.
int locked(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0 || ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

void remove_abandoned(const std::string& where) {
  // A run locks its folder a moment after it has made it.
  constexpr std::chrono::minutes kSettled{1};
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(where, code)) {
    if (!entry.path().filename().string().starts_with(kName)) continue;
    struct stat about {};
    if (::lstat(entry.path().c_str(), &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != ::geteuid()) continue;
    std::error_code ignored;
    if (fs::file_time_type::clock::now() - fs::last_write_time(entry, ignored) < kSettled) continue;
    const int lock = locked(entry.path());
    if (lock < 0) continue;
    fs::remove_all(entry.path(), ignored);
    ::close(lock);
  }
}

/// The folder that this process has made for its run.
class RunFolder {
 public:
  RunFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  ~RunFolder() {
    std::error_code ignored;
    if (::getpid() == maker_) fs::remove_all(path_, ignored);
    ::close(lock_);
  }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

 private:
  std::string path_;
  int lock_;
  pid_t maker_ = ::getpid();
};

}  // namespace

base::Result<std::string> scratch_of_run() {
  std::error_code code;
  static std::mutex mutex;
  const std::lock_guard guard(mutex);
  const char* const known = std::getenv(kVariable);
  if (known != nullptr && fs::is_directory(known, code)) return std::string(known);
  const fs::path where = fs::temp_directory_path(code);
  if (code) return cannot(where.empty() ? "the folder for temporary files" : where.string(), code.value());
  remove_abandoned(where);
  auto path = made_in(where, kName);
  if (!path) return path.error();
  // By its real name: rules for files, and programs that compare names, see no link.
  path = fs::canonical(*path, code).string();
  static std::unique_ptr<RunFolder> mine;
  mine = std::make_unique<RunFolder>(*path, locked(*path));
  ::setenv(kVariable, path->c_str(), 1);
  return path;
}

base::Result<std::shared_ptr<const Scratch>> Scratch::make(const std::string& user) {
  const auto root = scratch_of_run();
  if (!root) return root.error();
  // Names of kernels are longer than those of files may be.
  const std::string cache =
      fmt::format("{}/cache-{:016x}", *root, base::mix_bytes(std::as_bytes(std::span(user)), user.size()));
  if (::mkdir(cache.c_str(), 0700) != 0 && errno != EEXIST) return cannot(*root, errno);
  auto folder = made_in(*root, "worker-");
  if (!folder) return folder.error();
  return std::shared_ptr<const Scratch>(new Scratch(*std::move(folder), cache));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace negzero::run
