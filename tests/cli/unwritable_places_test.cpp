// Results that have no place to go: noticed before the work, and later never called saved.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

/// Every command that writes, with its output at this place: code 3, one line that names flag and place, no work done.
void expect_noticed(const std::string& place, const How& how = {}) {
  struct Command {
    std::string flag;
    Words words;
  };
  for (const Command& command : {Command{"--save", {"check", "faulty.A1.*", "--cases", "100", "--save", place}},
                                 Command{"--junit", {"replay", kCase, "--junit", place}},
                                 Command{"--report", {"check", "faulty.A1.*", "--cases", "100", "--report", place}},
                                 Command{"--output", {"shrink", kCase, "-o", place}}}) {
    const Ran ran = run(command.words, how);
    EXPECT_EQ(ran.code, 3) << command.flag << " " << place << "\n" << ran.err;
    EXPECT_EQ(ran.out, "") << "noticed before the work";
    EXPECT_THAT(ran.err, HasSubstr("negzero: " + command.flag + " " + place + ": cannot be written: "));
    EXPECT_THAT(ran.err, AnyOf(HasSubstr("another place"), HasSubstr("a place that can be written")));
  }
}

TEST(UnwritablePlaces, AreNoticedBeforeTheWork) {
  const Directory directory;
  write(directory / "file", "x");
  expect_noticed(directory / "file/x");
  expect_noticed("/proc/x");
  expect_noticed("/proc/self/x");
  expect_noticed(directory / std::string(300, 'x'));
  expect_noticed(directory / "x", {.file_limit = 2000});
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

TEST(UnwritablePlaces, AFindingIsPrintedWhereItCannotBeSaved) {
  const Directory directory;
  // The probe fits in here, a name with the kernel's in it does not: a path has at most 4095 bytes (PATH_MAX).
  std::string found = directory.path();
  while (found.size() < 4040) found += "/" + std::string(std::min<std::size_t>(250, 4040 - found.size()), 'x');
  const Ran ran = run({"check", "faulty.A1.*", "--cases", "100", "--save", found});
  EXPECT_EQ(ran.code, 1) << "a finding comes before 3";
  for (const std::string part :
       {"FAIL  faulty.A1", "observed", "permitted", "not saved", "not everything could be saved"}) {
    EXPECT_THAT(ran.out, HasSubstr(part));
  }
  EXPECT_THAT(ran.out, Not(HasSubstr(" replay "))) << "there is no file to replay";
  EXPECT_THAT(ran.out, Not(HasSubstr(".safetensors")));
  EXPECT_THAT(ran.err, HasSubstr(found + "/faulty.A1.max_by_value_sign."));
  EXPECT_THAT(ran.err,
              HasSubstr(".safetensors: cannot be written: File name too long; name a place that can be written"));
  EXPECT_THAT(ran.err, HasSubstr("(not saved)\n")) << "when it was found";
  EXPECT_EQ(ran.err.find("cannot be written:"), ran.err.rfind("cannot be written:")) << "said once";
}

// The probe of one page fits, the case as it was found does not, the shrunk one does.
TEST(UnwritablePlaces, WhatCouldBeSavedReplays) {
  const Directory directory;
  const Ran ran = run({"check", "faulty.G1.*", "--cases", "300", "--save", directory / "found", "--json"},
                      {.out = "/dev/null", .file_limit = 4096});
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr(".original.safetensors: cannot be written: File too large; make room there"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory / "found")) {
    EXPECT_EQ(run({"replay", entry.path().string()}).code, 1) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 2u);
}

}  // namespace
}  // namespace negzero::cli_test
