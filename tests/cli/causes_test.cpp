// Failures of one kernel and one rule that have several causes: a finding each.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiles_files.hpp"
#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::UnorderedElementsAre;

/// Two outputs that are wrong in cases of their own.
constexpr const char* kApart = R"(
__global__ void apart(const float* x, float* y, float* z, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  y[i] = 2 * x[i] + (n > 4 && n % 2 == 1 ? 1 : 0);
  z[i] = 3 * x[i] + (n > 4 && n % 2 == 0 ? 1 : 0);
}
__global__ void right(const double* x, double* y, double* z, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = 2 * x[i];
    z[i] = 3 * x[i];
  }
}
)";
constexpr const char* kApartDeclared = R"(kernel right
operation right: y[n], z[n] <- x[n]
formats x=F64 y=F64 z=F64
launch right<<<1, 1>>>(x, y, z, n);
kernel apart
operation apart: y[n], z[n] <- x[n]
limits n >= 1, n <= 32
values x -100..100
reference right
error y ulps=1
error z ulps=1
launch apart<<<1, 32>>>(x, y, z, n);
)";

class Causes : public CompilesFiles {
 protected:
  /// The findings of one kernel, as the document has them.
  nlohmann::json findings(const char* kernels, const std::string& declared, const std::string& name) {
    write(directory_ / "x.cu", kernels);
    write(directory_ / "x.nz", declared);
    const Ran ran = run({"check", directory_ / "x.cu", name, "--cases", "200", "--executor", "host", "--save",
                         directory_ / "found", "--shrink-time", "2s", "--json"});
    return ran.json().at("kernels").at(0).at("findings");
  }
};

TEST_F(Causes, AWrongOutputIsNotShrunkToAnother) {
  std::vector<std::string> outputs;
  for (const nlohmann::json& finding : findings(kApart, kApartDeclared, "apart")) {
    outputs.push_back(finding.at("message").get<std::string>().substr(0, 2));
  }
  EXPECT_THAT(outputs, UnorderedElementsAre("y ", "z "));
}

}  // namespace
}  // namespace negzero::cli_test
