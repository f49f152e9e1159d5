// A folder or a file that another user may have written is not this user's own, whatever its name leads to.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/own_folder.hpp>

namespace negzero::files {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OwnFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "negzero-own-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] static unsigned mode_of(const std::string& path) {
    struct stat about {};
    return ::lstat(path.c_str(), &about) == 0 ? about.st_mode & 07777u : ~0u;
  }

  std::string folder_;
};

TEST_F(OwnFolder, IsMadeWithThoseAboveForThisUserAlone) {
  const mode_t before = ::umask(0);
  const auto made = make_own_folder(path("a/b"));
  ::umask(before);
  EXPECT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(mode_of(path("a/b")), 0700u);
  EXPECT_TRUE(make_own_folder(path("a/b")).ok()) << "it is there";
  EXPECT_TRUE(is_own(path("a/b")));
  EXPECT_TRUE(is_own(path("a/b/")));
}

TEST_F(OwnFolder, IsNoneThatOthersMayWrite) {
  for (const unsigned mode : {0777u, 0775u, 01777u, 0702u}) {
    ::mkdir(path("x").c_str(), 0700);
    ASSERT_EQ(::chmod(path("x").c_str(), mode), 0);
    const auto made = make_own_folder(path("x"));
    ASSERT_FALSE(made.ok()) << mode;
    EXPECT_EQ(made.error().kind, base::ErrorKind::Infrastructure);
    EXPECT_THAT(made.error().message, StartsWith(path("x") + ": others may write it (its mode is "));
  }
  ASSERT_EQ(::chmod(path("x").c_str(), 0755), 0);
  EXPECT_TRUE(is_own(path("x"))) << "to read it is no matter";
}

TEST_F(OwnFolder, IsNoLinkNoFileAndNothingElse) {
  fs::create_directory(path("there"));
  fs::create_directory_symlink(path("there"), path("link"));
  EXPECT_THAT(why_not_own(path("link")), HasSubstr("symbolic link"));
  EXPECT_THAT(why_not_own(path("link/")), HasSubstr("symbolic link"));
  EXPECT_FALSE(make_own_folder(path("link")).ok());
  std::ofstream(path("file")) << "x";
  close_to_others(path("file"));
  EXPECT_TRUE(is_own(path("file")));
  EXPECT_FALSE(make_own_folder(path("file")).ok());
  EXPECT_FALSE(make_own_folder(path("file/below")).ok());
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(why_not_own(path("pipe")), HasSubstr("no folder and no file"));
  EXPECT_THAT(why_not_own(path("none")), HasSubstr("No such file"));
}

TEST_F(OwnFolder, IsNoneOfAnotherUser) {
  fs::create_directory(path("x"));
  if (::chown(path("x").c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root gives folders away";
  EXPECT_THAT(why_not_own(path("x")), StartsWith("it belongs to user 65534, not to "));
  EXPECT_FALSE(make_own_folder(path("x")).ok());
}

TEST_F(OwnFolder, IsMadeAnewWhereSomethingElseIs) {
  fs::create_directories(path("x/below"));
  fs::permissions(path("x"), fs::perms::all);
  ASSERT_TRUE(make_own_folder_anew(path("x")).ok());
  EXPECT_TRUE(fs::is_empty(path("x"))) << "nothing stays of what others may have written";
  fs::create_directory(path("x/kept"));
  ASSERT_TRUE(make_own_folder_anew(path("x")).ok());
  EXPECT_TRUE(fs::exists(path("x/kept"))) << "it was this user's own";
}

TEST_F(OwnFolder, ClosesWhatTheUmaskHasLeftOpen) {
  fs::create_directories(path("x/below"));
  std::ofstream(path("x/below/file")) << "x";
  std::ofstream(path("outside")) << "x";
  for (const char* const each : {"x", "x/below", "x/below/file", "outside"}) {
    fs::permissions(path(each), fs::perms::all);
  }
  fs::create_symlink(path("outside"), path("x/link"));
  close_to_others(path("x"));
  for (const char* const each : {"x", "x/below", "x/below/file"}) EXPECT_EQ(mode_of(path(each)), 0755u) << each;
  EXPECT_EQ(mode_of(path("outside")), 0777u) << "links are not followed";
}

}  // namespace
}  // namespace negzero::files
