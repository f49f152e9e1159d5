// Races of one kernel: told apart by their lines, stores of equal values kept behind all others.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

class Races : public ::testing::Test {
 protected:
  Races() { ::setenv("NEGZERO_CACHE", (directory_ / "cache").c_str(), 1); }
  ~Races() override { ::unsetenv("NEGZERO_CACHE"); }
  void SetUp() override {
#if defined(NEGZERO_SANITIZE) || defined(NEGZERO_FUZZ)
    GTEST_SKIP() << "a build with instrumentation compiles no files";
#endif
  }

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

  Directory directory_;
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

}  // namespace
}  // namespace negzero::cli_test
