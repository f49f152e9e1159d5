// Results that have no place to go: noticed before the work, and later never called saved.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

/// Every command that writes, with its output at this place: code 3, one line that names flag and place, no work done.
void expect_noticed(const std::string& place, const How& how = {}) {
  struct Command {
    std::string flag;
    Words words;
  };
  for (const Command& command :
       {Command{"--save", {"check", "faulty.A1.*", "--cases", "100", "--save", place}},
        Command{"--junit", {"replay", kCase, "--junit", place}}, Command{"--output", {"shrink", kCase, "-o", place}}}) {
    const Ran ran = run(command.words, how);
    EXPECT_EQ(ran.code, 3) << command.flag << " " << place << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << "noticed before the work";
    EXPECT_THAT(ran.err, HasSubstr("negzero: " + command.flag + " " + place + ": cannot be written: "));
    EXPECT_THAT(ran.err, HasSubstr("another place") | HasSubstr("a place that can be written"));
  }
}

/// A folder in which nobody but root can write, and root cannot either: a program of this user id runs in it.
TEST(UnwritablePlaces, AreNoticedBeforeTheWork) {
  const Directory directory;
  write(directory / "file", "x");
  expect_noticed(directory / "file/x");
  expect_noticed("/proc/x");
  expect_noticed("/proc/self/x");
  expect_noticed(directory / std::string(300, 'x'));
  expect_noticed(directory / "x", {.file_limit = 0});
  EXPECT_FALSE(std::filesystem::exists(directory / "x")) << "asking leaves nothing behind";
  if (::geteuid() != 0) {
    std::filesystem::create_directory(directory / "locked");
    std::filesystem::permissions(directory / "locked", std::filesystem::perms::owner_exec);
    expect_noticed(directory / "locked/x");
    std::filesystem::permissions(directory / "locked", std::filesystem::perms::owner_all);
  }
}

TEST(UnwritablePlaces, AFolderThatIsNotThereIsMadeForFindingsAlone) {
  const Directory directory;
  const std::string place = directory / "no/such/place";
  EXPECT_EQ(run({"replay", kCase, "--junit", place}).code, 3);
  EXPECT_EQ(run({"shrink", kCase, "-o", place}).code, 3);
  EXPECT_EQ(run({"check", "faulty.A1.*", "--cases", "100", "--save", place}).code, 1);
  EXPECT_FALSE(std::filesystem::is_empty(place));
}

// The probe of one page fits and a case file does not: the disk that fills up while cases run. A large case is needed.
TEST(UnwritablePlaces, AFindingIsPrintedWhereItCannotBeSaved) {
  const Directory directory;
  const Words words = {"check", "faulty.G14.*", "--cases", "300", "--save", directory / "found"};
  // Standard output is limited as well, so what it says must be short: it goes to a pipe-like place of no size.
  const Ran ran = run(words, {.out = "/dev/null", .file_limit = 4096});
  EXPECT_EQ(ran.code, 1) << ran.err;
  if (ran.err.find("cannot be written") == std::string::npos) GTEST_SKIP() << "all cases were small";
  EXPECT_THAT(ran.err,
              HasSubstr(".safetensors: cannot be written: File too large; make room there or name another place"));
  EXPECT_EQ(ran.err.find("cannot be written"), ran.err.rfind("cannot be written")) << "said once";
}

}  // namespace
}  // namespace negzero::cli_test
