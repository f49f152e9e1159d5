// Files: reads with a bound, writes that appear at once or not at all, and errors that name the path.

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/safetensors.hpp>

namespace negzero::files {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "negzero-file-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

base::Result<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t max_bytes = kMaxFileBytes) {
  const base::Result<std::string> text = read_text(path, max_bytes);
  if (!text) return text.error();
  return bytes_of(*text);
}

TEST_F(Files, ReadsWhatItWrote) {
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 200000u}) {
    const std::vector<std::byte> bytes(size, std::byte{0x5a});
    ASSERT_TRUE(write_file_atomically(path("f"), bytes).ok());
    EXPECT_EQ(*read_file(path("f")), bytes);
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, ReplacesAFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file_atomically(path("f"), bytes_of("a long first version")).ok());
  ASSERT_TRUE(write_file_atomically(path("f"), bytes_of("short")).ok());
  EXPECT_EQ(*read_file(path("f")), bytes_of("short"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, FollowsLinksInsteadOfReplacingThem) {
  ASSERT_TRUE(write_file_atomically(path("real"), bytes_of("old")).ok());
  fs::create_symlink(path("real"), path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), bytes_of("new")).ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("real")), bytes_of("new"));
}

TEST_F(Files, BoundsReads) {
  ASSERT_TRUE(write_file_atomically(path("f"), bytes_of("12345")).ok());
  EXPECT_TRUE(read_file(path("f"), 5).ok());
  const auto result = read_file(path("f"), 4);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message, path("f") + ": more than 4 bytes");
  EXPECT_FALSE(read_file("/dev/zero", 1 << 20).ok());
}

TEST_F(Files, ReadsPipesToTheirEnd) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string text(300000, 'p');
  std::thread writer([&] { std::ofstream(path("pipe")) << text; });
  EXPECT_EQ(*read_file(path("pipe")), bytes_of(text));
  writer.join();
}

TEST_F(Files, ErrorsNameThePathAndWhoseFaultItIs) {
  const auto missing = read_file(path("missing"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, base::ErrorKind::Usage);
  EXPECT_EQ(missing.error().message, path("missing") + ": No such file or directory");

  const auto folder = read_file(folder_.string());
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message, HasSubstr("Is a directory"));

  const auto nowhere = write_file_atomically(path("no/such/folder"), bytes_of("x"));
  ASSERT_FALSE(nowhere.ok());
  EXPECT_EQ(nowhere.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_THAT(nowhere.error().message, HasSubstr(path("no/such/folder") + ": cannot be written: No such file"));

  EXPECT_THAT(write_file_atomically(folder_.string(), bytes_of("x")).error().message, HasSubstr("Is a directory"));
  EXPECT_FALSE(write_file_atomically("", bytes_of("x")).ok());
  EXPECT_FALSE(read_file("").ok());
}

TEST_F(Files, AFullDeviceIsAnInfrastructureError) {
  const auto full = write_file_atomically("/dev/full", bytes_of("x"));
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_EQ(full.error().message,
            "/dev/full: cannot be written: No space left on device; make room there or name another place");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, DevicesAreWrittenToAndNeverReplaced) {
  EXPECT_TRUE(write_file_atomically("/dev/null", bytes_of("x")).ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// A limit on the size of files stops a write half way, as a full disk does, without needing a disk to fill.
TEST_F(Files, AWriteThatStopsHalfWayLeavesTheOldFileAndNoOther) {
  ASSERT_TRUE(write_file_atomically(path("f"), bytes_of("old")).ok());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1 << 16, .rlim_max = before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto result = write_file_atomically(path("f"), std::vector<std::byte>(1 << 18));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_EQ(result.error().message,
            path("f") + ": cannot be written: File too large; make room there or name another place");
  EXPECT_EQ(*read_file(path("f")), bytes_of("old"));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AFolderWithoutPermissionIsAnInfrastructureError) {
  constexpr uid_t kNobody = 65534;
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  // Root may write everywhere, so it steps down for the call.
  const uid_t user = ::geteuid();
  if (user == 0) {
    ASSERT_EQ(::seteuid(kNobody), 0);
  }
  const auto result = write_file_atomically(path("f"), bytes_of("x"));
  if (user == 0) {
    ASSERT_EQ(::seteuid(user), 0);
  }
  fs::permissions(folder_, fs::perms::owner_all);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, base::ErrorKind::Infrastructure);
  EXPECT_THAT(result.error().message, HasSubstr("Permission denied"));
  EXPECT_EQ(entries(), 0u);
}

}  // namespace
}  // namespace negzero::files
