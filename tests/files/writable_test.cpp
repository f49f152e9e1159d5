// Places that cannot be written are noticed beforehand, whatever keeps them so, and asking leaves nothing behind.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <negzero/files/safetensors.hpp>
#include <negzero/files/writable.hpp>

namespace negzero::files {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Writable : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "negzero-writable-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }
  /// Both questions are asked of one place: a file of it, and a directory of it.
  static void expect_refused(const std::string& place, const std::string& reason) {
    for (const auto& status : {check_writable_file(place), check_writable_directory(place)}) {
      ASSERT_FALSE(status.ok()) << place;
      EXPECT_EQ(status.error().kind, base::ErrorKind::Infrastructure);
      EXPECT_THAT(status.error().message,
                  AllOf(StartsWith(place + ": cannot be written: "), HasSubstr(reason), HasSubstr("place")));
    }
  }

  fs::path folder_;
};

TEST_F(Writable, PlacesThatAre) {
  std::ofstream(path("file")) << "kept";
  fs::create_symlink(path("file"), path("link"));
  for (const char* name : {"file", "link", "new"}) EXPECT_TRUE(check_writable_file(path(name)).ok()) << name;
  EXPECT_TRUE(check_writable_file("/dev/null").ok());
  for (const char* name : {"", "new", "new/deep/er", "./new/../other"}) {
    EXPECT_TRUE(check_writable_directory(path(name)).ok()) << name;
  }
  EXPECT_TRUE(check_writable_directory("").ok()) << "here";
  EXPECT_EQ(entries(), 2u) << "nothing is left behind";
  std::string kept;
  std::ifstream(path("file")) >> kept;
  EXPECT_EQ(kept, "kept");
}

TEST_F(Writable, AFileInTheWay) {
  std::ofstream(path("file")) << "x";
  expect_refused(path("file/below"), "Not a directory");
  EXPECT_FALSE(check_writable_directory(path("file")).ok());
  EXPECT_FALSE(check_writable_file(folder_.string()).ok()) << "a folder is no file";
  fs::create_symlink(path("nowhere"), path("dangling"));
  EXPECT_FALSE(check_writable_directory(path("dangling/below")).ok());
}

TEST_F(Writable, NamesThatCannotBe) {
  expect_refused(path(std::string(300, 'x')), "File name too long");
  fs::create_symlink(path("loop"), path("loop"));
  expect_refused(path("loop"), "Too many levels");
  EXPECT_FALSE(check_writable_file("").ok());
  EXPECT_FALSE(check_writable_file(path("no/such/folder")).ok()) << "the folder of a file is not made";
}

TEST_F(Writable, FoldersThatTakeNoFilesWhateverTheirPermissions) {
  // Root may write to /proc by its permissions, and yet nobody can make a file there.
  expect_refused("/proc/negzero", "");
  expect_refused("/proc/self/negzero", "");
}

TEST_F(Writable, AFolderWithoutPermission) {
  constexpr uid_t kNobody = 65534;
  fs::permissions(folder_,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  expect_refused(path("x"), "Permission denied");
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
}

// A limit on the size of files stops a write as a full disk does, without needing a disk to fill.
TEST_F(Writable, AFullDisk) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  for (const rlim_t limit : {0, 100}) {
    const rlimit small{.rlim_cur = limit, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto file = check_writable_file(path("f")), directory = check_writable_directory(path("d"));
    ::setrlimit(RLIMIT_FSIZE, &before);
    for (const auto& status : {file, directory}) {
      ASSERT_FALSE(status.ok());
      EXPECT_THAT(status.error().message, HasSubstr("make room there or name another place"));
    }
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Writable, WhatADeadWriterLeftIsRemovedAndNothingElse) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const auto file_of = [&](pid_t pid, const std::string& end) {
    const std::string at = path(".negzero-" + std::to_string(pid) + end);
    std::ofstream(at) << "half";
    return at;
  };
  for (const char* end : {"-0.tmp", "-17.tmp", "-3.probe"}) file_of(dead, end);
  const std::string locked = file_of(dead, "-5.tmp");
  const int lock = ::open(locked.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  const std::vector<std::string> kept = {locked,
                                         file_of(::getpid(), "-0.tmp"),
                                         file_of(dead, "-0.safetensors"),
                                         file_of(dead, ".tmp"),
                                         file_of(-1, "-0.tmp"),
                                         path("a.tmp")};
  std::ofstream(kept.back()) << "somebody's";
  fs::create_symlink(kept.back(), path(".negzero-" + std::to_string(dead) + "-8.tmp"));
  remove_abandoned_files(folder_);
  for (const std::string& at : kept) EXPECT_TRUE(fs::exists(at)) << at;
  EXPECT_EQ(entries(), kept.size() + 1) << "and the link";
  ::close(lock);
  remove_abandoned_files(folder_);
  EXPECT_FALSE(fs::exists(locked));
  remove_abandoned_files(path("nowhere"));
}

}  // namespace
}  // namespace negzero::files
