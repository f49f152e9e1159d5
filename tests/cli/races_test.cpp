// Races of one kernel: told apart by their lines, stores of equal values kept behind all others.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

/// Races for want of two barriers, each in cases of its own, and stores of one same value by all threads in all cases.
constexpr const char* kMoved = R"(template <bool kFirst, bool kSecond, bool kOne>
__global__ void moved(const float* x, float* y, float* flag, int n) {
  __shared__ float a[64], b[64];
  const int i = threadIdx.x;
  float left = 0, right = 0;
  for (int round = 0; round < 2; ++round) {
    a[i] = i < n ? x[i] : 0;
    __syncthreads();
    left = a[(i + 1) % 64];
    if (kFirst || n > 32) __syncthreads();
  }
  for (int round = 0; round < 2; ++round) {
    b[i] = left;
    __syncthreads();
    right = b[(i + 3) % 64];
    if (kSecond || n <= 32) __syncthreads();
  }
  if (kOne ? i == 0 : true) *flag = 1;
  if (i < n) y[i] = right;
}
)";

/// Lanes of one warp read each other's cells, of two arrays, and nothing but a shuffle comes in between.
constexpr const char* kTurned = R"(template <bool kFirst, bool kSecond, bool kRace>
__global__ void turned(const float* x, float* y, int n) {
  __shared__ float a[32], b[32], c[32];
  const int i = threadIdx.x;
  a[i] = i < n ? x[i] : 0;
  if (kFirst) __syncwarp();
  int other = __shfl_xor_sync(0xffffffffu, i, 1);
  b[i] = a[other];
  if (kSecond) __syncwarp();
  other = __shfl_xor_sync(0xffffffffu, i, 2);
  c[i] = b[other];
  if (!kRace) __syncwarp();
  if (i < n) y[i] = c[i ^ 4];
}
)";

class Races : public CompilesFiles {
 protected:
  /// The findings of one kernel, by rule and lines.
  std::vector<std::string> found(const std::string& arguments) {
    write(directory_ / "x.cu", kMoved);
    write(directory_ / "x.nz",
          "kernel k\noperation moved: y[n], flag[one] <- x[n]\nlimits n >= 1, n <= 64, one = 1\n"
          "launch moved<" +
              arguments + "><<<1, 64>>>(x, y, flag, n);\n");
    const Ran ran = run({"check", directory_ / "x.cu", "--cases", "60", "--executor", "host", "--watch", "always",
                         "--save", directory_ / "found", "--shrink-time", "1s", "--json"});
    const nlohmann::json document = ran.json();
    std::vector<std::string> result;
    for (const nlohmann::json& finding : document.at("kernels").at(0).at("findings")) {
      std::string text = finding.at("rule").get<std::string>();
      for (const char* line : {"x.cu:7", "x.cu:9", "x.cu:13", "x.cu:15", "x.cu:18"}) {
        if (finding.at("message").get<std::string>().find(std::string(line) + " ") != std::string::npos) {
          text += std::string(" ") + line;
        }
      }
      result.push_back(text);
    }
    return result;
  }

  /// Checks moved<arguments> with these lines of its declaration besides; `more` are flags.
  Ran moved(const std::string& arguments, const std::string& accepted, std::vector<std::string> more = {}) {
    write(directory_ / "x.cu", kMoved);
    write(directory_ / "x.nz", "kernel k\noperation moved: y[n], flag[one] <- x[n]\nlimits n >= 1, n <= 64, one = 1\n" +
                                   accepted + "launch moved<" + arguments + "><<<1, 64>>>(x, y, flag, n);\n");
    std::vector<std::string> words{"check",         directory_ / "x.cu",
                                   "--cases",       "60",
                                   "--executor",    "host",
                                   "--watch",       "always",
                                   "--save",        directory_ / "found",
                                   "--shrink-time", "1s",
                                   "--json",        "--allow-not-judged"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  /// The findings, by rule and line of one access, with a + where they are accepted.
  static std::vector<std::string> said(const Ran& ran) {
    std::vector<std::string> result;
    const nlohmann::json document = ran.json();
    for (const nlohmann::json& finding : document.at("kernels").at(0).at("findings")) {
      const std::string message = finding.at("message").get<std::string>();
      std::string text = (finding.at("accepted").is_null() ? "" : "+") + finding.at("rule").get<std::string>();
      for (const char* line : {"x.cu:9", "x.cu:15", "x.cu:18"}) {
        if (message.find(std::string(line) + " ") != std::string::npos) text += std::string(" ") + line;
      }
      result.push_back(text);
    }
    return result;
  }

  Ran turned(const std::string& arguments, std::vector<std::string> more = {}) {
    write(directory_ / "x.cu", kTurned);
    write(directory_ / "x.nz", "kernel k\noperation turned: y[n] <- x[n]\nlimits n >= 1, n <= 32\nlaunch turned<" +
                                   arguments + "><<<1, 32>>>(x, y, n);\n");
    std::vector<std::string> words{
        "check",  directory_ / "x.cu",  "--cases",       "20", "--executor",        "host", "--watch", "always",
        "--save", directory_ / "found", "--shrink-time", "1s", "--allow-not-judged"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Races, OfDifferentLinesAreFindingsOfTheirOwnAndEqualStoresComeLast) {
  EXPECT_THAT(found("true, true, true"), ::testing::IsEmpty());
  EXPECT_THAT(found("false, true, true"), ::testing::ElementsAre("run.race x.cu:7 x.cu:9"));
  EXPECT_THAT(found("false, false, true"),
              ::testing::UnorderedElementsAre("run.race x.cu:7 x.cu:9", "run.race x.cu:13 x.cu:15"));
  EXPECT_THAT(found("true, true, false"), ::testing::ElementsAre("run.equal_stores x.cu:18"));
  EXPECT_THAT(found("false, true, false"),
              ::testing::ElementsAre("run.race x.cu:7 x.cu:9", "run.equal_stores x.cu:18"));
}

TEST_F(Races, OrderedByAShufflesValueOnlyAreWarningsOnceForEachPairOfLinesBehindAllElse) {
  using testing::AllOf, testing::ElementsAre, testing::EndsWith, testing::HasSubstr;
  const auto warned = [](const nlohmann::json& kernel) {
    std::vector<std::string> all{kernel.at("warning").get<std::string>()};
    for (const nlohmann::json& each : kernel.value("more_warnings", nlohmann::json::array())) all.push_back(each);
    return all;
  };
  const nlohmann::json clean = turned("true, true, false", {"--json"}).json();
  EXPECT_EQ(clean.at("kernels").at(0).at("warning"), "");
  const auto warning = [](const char* first, const char* second) {
    return AllOf(HasSubstr(": ordered by a shuffle's value only: "), HasSubstr(std::string("x.cu:") + first + " "),
                 HasSubstr(std::string("x.cu:") + second + " "), EndsWith("put __syncwarp() between the two"));
  };
  const Ran both = turned("false, false, false", {"--json"});
  EXPECT_EQ(both.code, 0) << both.out;
  const nlohmann::json kernel = both.json().at("kernels").at(0);
  EXPECT_THAT(warned(kernel), testing::UnorderedElementsAre(warning("5", "8"), warning("8", "11")));

  const Ran race = turned("false, true, true", {"--json"});
  EXPECT_EQ(race.code, 1);
  const nlohmann::json beside = race.json().at("kernels").at(0);
  EXPECT_EQ(beside.at("findings").at(0).at("rule"), "run.race");
  EXPECT_THAT(warned(beside), ElementsAre(warning("5", "8")));
  const std::string text = turned("false, true, true").out;
  EXPECT_GT(text.find("ordered by a shuffle's value only"), text.find("data race on")) << text;
}

TEST_F(Races, AnEntryAtALineAcceptsOneAndLeavesTheOthers) {
  using testing::UnorderedElementsAre;
  const auto entry = [](const std::string& at) {
    return "accept class=data_race at=\"" + at + "\" reason=\"known\" link=o/r#1\n";
  };
  const Ran one = moved("false, false, true", entry("left = a[(i+1) % 64];"));
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(said(one), UnorderedElementsAre("+run.race x.cu:9", "run.race x.cu:15"));
  const Ran both = moved("false, false, true", entry("left = a[(i+1) % 64];") + entry("  b[i] = left ;"));
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(said(both), UnorderedElementsAre("+run.race x.cu:9", "+run.race x.cu:15"));
  const Ran flag = moved("true, true, false", entry("if (kOne ? i == 0 : true) *flag = 1;"));
  EXPECT_EQ(flag.code, 0) << flag.err;
  EXPECT_THAT(said(flag), UnorderedElementsAre("+run.equal_stores x.cu:18"));
  // Of another line, or of the same text elsewhere than in a race of it.
  const Ran none = moved("false, true, true", entry("right = b[(i + 3) % 64];"));
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(said(none), UnorderedElementsAre("run.race x.cu:9"));
  EXPECT_THAT(none.err, testing::HasSubstr("accepted finding #1 (k, data_race, at right = b[(i + 3) % 64];) did not "
                                           "occur: fixed? remove it from "));
}

TEST_F(Races, AcceptedEqualStoresHideNoValueThatTheReferenceForbids) {
  write(directory_ / "x.cu",
        "template <bool kWrong> __global__ void k(const float* x, float* y, int n) {\n"
        "  __shared__ float s;\n  s = 1;\n  int i = threadIdx.x;\n  if (i < n) y[i] = kWrong && n > 3 ? x[i] + 1 : "
        "x[i];\n}\n"
        "__global__ void r(const double* x, double* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
  const auto check = [&](const std::string& wrong) {
    write(directory_ / "x.nz",
          "kernel ref\noperation ref: y[n] <- x[n]\nformats y=F64 x=F64\nlaunch r<<<1, 1>>>(x, y, n);\n\n"
          "kernel k\noperation copied: y[n] <- x[n]\nlimits n >= 2, n <= 64\nvalues x -9..9\nreference ref\n"
          "error y ulps=1\naccept rule=run.equal_stores reason=\"a flag\" link=o/r#1\nlaunch k<" +
              wrong + "><<<1, 64>>>(x, y, n);\n");
    return run({"check", directory_ / "x.cu", "k", "--cases", "60", "--executor", "host", "--watch", "always", "--save",
                directory_ / "found", "--shrink-time", "1s"});
  };
  const Ran wrong = check("true"), right = check("false");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_THAT(wrong.out, ::testing::HasSubstr("reference.error"));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
}

TEST_F(Races, AcceptingEqualStoresLeavesAMissingBarrier) {
  // As the document has it.
  const std::string document = contents(NEGZERO_SOURCE_DIR "/docs/explanation/what_a_pass_means.md");
  const std::size_t begin = document.find("accept rule=run.equal_stores ");
  ASSERT_NE(begin, std::string::npos);
  const std::string accepted = document.substr(begin, document.find('`', begin) - begin) + "\n";
  const Ran both = moved("false, true, false", accepted);
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(said(both), testing::ElementsAre("run.race x.cu:9", "+run.equal_stores x.cu:18"));
  const Ran flag = moved("true, true, false", accepted);
  EXPECT_EQ(flag.code, 0) << flag.err;
  EXPECT_THAT(said(flag), testing::ElementsAre("+run.equal_stores x.cu:18"));
}

}  // namespace
}  // namespace negzero::cli_test
