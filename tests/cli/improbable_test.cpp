// `check` warns of errors that random roundings do not explain, and fails nothing by them.

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A right row sum, a dot product without one term of long ones, row sums whose additions truncate.
constexpr const char* kImprobableSums = R"(
__global__ void right(const float* x, float* y, int columns) {
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += x[blockIdx.x * columns + j];
  y[blockIdx.x] = sum;
}
__global__ void loses(const float* a, const float* b, float* d, int k) {
  float sum = 0;
  for (int j = 0; j < k; ++j) {
    if (k < 2048 || j != 77) sum += a[j] * b[j];
  }
  *d = sum;
}
__global__ void truncates(const float* x, float* y, int columns) {
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum = __fadd_rz(sum, x[blockIdx.x * columns + j]);
  y[blockIdx.x] = sum;
}
)";
constexpr const char* kImprobableDeclarations = R"(kernel    right
operation reduce.sum
limits    rows >= 1, columns >= 1
launch    right<<<rows, 1>>>(x, y, columns);

kernel    loses
operation gemm
limits    batch = 1, m = 1, n = 1, k >= 1, alpha = one, beta = zero
launch    loses<<<1, 1>>>(a, b, d, k);

kernel    truncates
operation reduce.sum
limits    rows >= 1, columns >= 1
launch    truncates<<<rows, 1>>>(x, y, columns);
)";

class ImprobableErrors : public CompilesFiles {
 protected:
  void SetUp() override {
    CompilesFiles::SetUp();
    if (IsSkipped()) return;
    write(directory_ / "sums.cu", kImprobableSums);
    write(directory_ / "sums.nz", kImprobableDeclarations);
  }
  Ran check(const std::string& kernel, const std::string& extents, const std::string& seed,
            const std::vector<std::string>& more) {
    std::vector<std::string> words{"check",         kernel,
                                   "--kernels",     directory_ / "sums.cu",
                                   "--cases",       "100",
                                   "--seed",        seed,
                                   "--weight",      "normal=1",
                                   "--weight",      "uniform=1",
                                   "--save",        directory_ / "found",
                                   "--extents",     extents,
                                   "--executor",    "host",
                                   "--watch",       "never",
                                   "--shrink-time", "0s"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(ImprobableErrors, AreWarnedOfAndFailNothing) {
  for (int seed = 1; seed <= 4; ++seed) {
    const json lost = check("loses", "k=4096", std::to_string(seed), {"--json"}).json()["kernels"][0];
    EXPECT_THAT(lost["improbable"].get<std::string>(), StartsWith("improbable: ")) << lost;
    EXPECT_GT(2 * lost["random_errors"]["beyond"].get<int>(), lost["random_errors"]["cases"].get<int>());
  }
  EXPECT_THAT(check("loses", "k=4096", "1", {}).out,
              HasSubstr("warning: improbable: errors exceed six standard deviations"));

  const Ran ran = check("truncates", "columns=4096,rows=1", "1", {"--json"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  const json truncated = ran.json()["kernels"][0];
  EXPECT_EQ(truncated["pass"], 100);
  EXPECT_THAT(truncated["improbable"].get<std::string>(), StartsWith("improbable: "));

  const json right = check("right", "columns=4096,rows=1", "1", {"--json"}).json()["kernels"][0];
  EXPECT_EQ(right["random_errors"]["beyond"], 0);
  EXPECT_GE(right["random_errors"]["cases"], 90);
  EXPECT_EQ(right["improbable"], "");
}

}  // namespace
}  // namespace negzero::cli_test
