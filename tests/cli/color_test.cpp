// Colours: which lines have them, when, and never where a program reads.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <negzero/cli/color.hpp>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using cli::Style;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Color, OfALineIsWhatItSays) {
  const std::pair<const char*, Style> lines[] = {
      {"FAIL  gemm.mine.f32  wrong_value", Style::Finding},
      {"ERROR x.safetensors  gemm.mine.f32: a worker died", Style::Finding},
      {"negzero: no such file", Style::Finding},
      {"gemm.mine.f32     1000 cases      998 pass  2 FAIL", Style::Finding},
      {"gemm.mine.f32     1000 cases     1000 pass  4 watched  worst margin 1.000", Style::Pass},
      {"gemm.mine.f32        5 cases        0 pass  5 vacuous", Style::Warning},
      {"               warning: nothing was decided", Style::Warning},
      {"  warning    it passes now", Style::Warning},
      {"none  x.safetensors  gemm.mine.f32: nothing was decided", Style::Warning},
      {"ok    x.safetensors  gemm.mine.f32: pass", Style::Pass},
      {"1 kernel, 5 cases, seed 1, host executor, 0.1 s: 1 finding", Style::Finding},
      {"1 kernel, 5 cases, seed 1, host executor, 0.1 s: no finding, 1 accepted finding", Style::Pass},
      {"nothing was decided, 2 cases skipped", Style::Plain},
      {"3 verdicts: 2 pass, 1 FAIL", Style::Finding},
      {"3 verdicts: 3 pass", Style::Pass},
      {"  replay     negzero replay x.safetensors", Style::Secondary},
      {"  claim      the sum is right", Style::Plain},
      {"kernels/x.cu:12: data_race: sum += x[i];", Style::Plain},
      {"", Style::Plain}};
  for (const auto& [line, style] : lines) EXPECT_EQ(cli::style_of(line), style) << line;
  EXPECT_EQ(cli::colored("FAIL  x\n\n  claim\nok   "), "\x1b[31mFAIL  x\x1b[0m\n\n  claim\n\x1b[32mok   \x1b[0m");
}

TEST(Color, IsForTerminalsOfUsersWhoWantIt) {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(cli::wants_color("auto", true));
  EXPECT_FALSE(cli::wants_color("auto", false));
  EXPECT_TRUE(cli::wants_color("always", false));
  EXPECT_FALSE(cli::wants_color("never", true));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(cli::wants_color("auto", true));
  EXPECT_TRUE(cli::wants_color("always", true)) << "a flag says more than a variable";
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(cli::wants_color("auto", true)) << "set to nothing, it is not set";
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(cli::wants_color("auto", true));
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
}

TEST(Color, IsOnStandardOutputAloneAndNeverInJsonAndFiles) {
  const Directory directory;
  const std::vector<std::string> words = {"check", "faulty.G8.*", "--cases", "20",     "--shrink-time",
                                          "0s",    "--color",     "always",  "--save", directory / "found"};
  std::vector<std::string> with_files = words, with_json = words;
  with_files.insert(with_files.end(), {"--report", directory / "page", "--junit", directory / "junit", "--markdown",
                                       directory / "summary", "--sarif", directory / "sarif"});
  with_json.emplace_back("--json");
  const Ran ran = run(with_files);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\x1b[31mFAIL  faulty.G8.k_tail_not_predicated"), HasSubstr("\x1b[2m  replay")));
  EXPECT_THAT(ran.err, HasSubstr("\x1b[31mfound  "));
  for (const char* const file : {"page", "junit", "summary", "sarif"}) {
    EXPECT_THAT(contents(directory / file), Not(HasSubstr("\x1b"))) << file;
  }
  const Ran document = run(with_json);
  EXPECT_THAT(document.out + document.err, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run({"replay", kCase}).out, Not(HasSubstr("\x1b"))) << "a file is no terminal";
  EXPECT_THAT(run({"replay", "/no/such/file", "--color", "always"}).err, StartsWith("\x1b[31mnegzero: "));
  EXPECT_EQ(run({"replay", kCase, "--color", "red"}).code, 2);
}

/// What a command writes to a terminal.
std::string on_terminal(const std::vector<std::string>& words) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(::grantpt(terminal), 0);
  EXPECT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // Or what was written would go with its writer.
  (void)run(words, {.out = name});
  char text[4096] = "";
  const auto size = ::read(terminal, text, sizeof text);
  ::close(held);
  ::close(terminal);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST(Color, ATerminalHasThemUnlessTheUserSaysNo) {
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_THAT(on_terminal({"replay", kCase}), StartsWith("\x1b[32mok    "));
  EXPECT_THAT(on_terminal({"replay", kCase, "--color", "never"}), StartsWith("ok    "));
  EXPECT_THAT(on_terminal({"replay", kCase, "--json"}), StartsWith("{"));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(on_terminal({"replay", kCase}), StartsWith("ok    "));
  ::unsetenv("NO_COLOR");
}

}  // namespace
}  // namespace negzero::cli_test
