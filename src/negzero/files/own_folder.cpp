// Asks for the owner and the mode of what is there, and of no link's target.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/own_folder.hpp>

namespace negzero::files {
namespace {

namespace fs = std::filesystem;

constexpr fs::perms kWrittenByOthers = fs::perms::group_write | fs::perms::others_write;

}  // namespace

std::string why_not_own(const std::string& path) {
  struct stat about {};
  // A slash behind a link's name would lead to its target.
  const std::string name = path.substr(0, std::max<std::size_t>(path.find_last_not_of('/') + 1, 1));
  if (::lstat(name.c_str(), &about) != 0) return std::strerror(errno);
  if (S_ISLNK(about.st_mode)) return "it is a symbolic link, and what it leads to may change";
  if (!S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)) return "it is no folder and no file";
  if (about.st_uid != ::geteuid()) return fmt::format("it belongs to user {}, not to {}", about.st_uid, ::geteuid());
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) == 0) return "";
  return fmt::format("others may write it (its mode is {:04o})", about.st_mode & 07777u);
}

base::Status make_own_folder(const std::string& path) {
  std::error_code code;
  fs::create_directories(fs::path(path).parent_path(), code);
  std::string why;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) why = std::strerror(errno);
  if (why.empty()) why = why_not_own(path);
  if (why.empty() && !fs::is_directory(path, code)) why = "it is no folder";
  if (why.empty()) return base::Ok{};
  return base::infrastructure_error(fmt::format("{}: {}", path, why));
}

base::Status make_own_folder_anew(const std::string& path) {
  if (make_own_folder(path)) return base::Ok{};
  std::error_code code;
  fs::remove_all(path, code);
  return make_own_folder(path);
}

void close_to_others(const std::string& path) {
  std::error_code code;
  const auto close = [&](const fs::path& each) {
    if (fs::is_symlink(fs::symlink_status(each, code))) return;
    fs::permissions(each, kWrittenByOthers, fs::perm_options::remove, code);
  };
  close(path);
  for (const auto& entry : fs::recursive_directory_iterator(path, code)) close(entry.path());
}

}  // namespace negzero::files
