// What a kernel does to its own process reaches no other kernel, no stream and no process beside it.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checked.hpp"

namespace negzero::attacks_test {
namespace {

const std::vector<std::string> kCorrect = {"gemm.naive.f32", "reduce.sum.tree.f32", "scatter.add.f32"};
constexpr const char* kFewCases = "8";

std::vector<std::string> with_correct(std::vector<std::string> globs) {
  globs.insert(globs.end(), kCorrect.begin(), kCorrect.end());
  return globs;
}

TEST(Misbehaving, CorrectKernelsAreAsTheyAreAlone) {
  const Checked alone = check(NEGZERO_WORKER, kCorrect, cases_text(kFewCases));
  ASSERT_EQ(alone.ran.code, 0) << alone.ran.out << alone.ran.err;
  ASSERT_EQ(alone.kernels.size(), kCorrect.size());

  const Checked beside = check(NEGZERO_MISBEHAVING, with_correct({"quiet.*", "fatal.*", "either.*"}),
                               cases_text(kFewCases), {"--jobs", "8"});
  EXPECT_EQ(beside.ran.signal, 0);
  EXPECT_EQ(beside.ran.code, 1) << beside.ran.err;
  EXPECT_EQ(control_byte(beside.ran.err), std::string::npos) << beside.ran.err;
  EXPECT_TRUE(beside.document["errors"].empty()) << beside.document["errors"].dump(1);
  EXPECT_FALSE(beside.document["interrupted"]);
  EXPECT_EQ(left_over(), std::vector<std::string>());

  // Verdicts, counts, strategies, margins, to the last bit.
  for (const std::string& name : kCorrect) {
    ASSERT_TRUE(beside.kernels.contains(name)) << name;
    EXPECT_EQ(beside.kernels.at(name), alone.kernels.at(name));
  }

  EXPECT_GE(beside.kernels.size(), 80 + kCorrect.size());
  for (const auto& [name, kernel] : beside.kernels) {
    EXPECT_EQ(kernel["error"], 0) << kernel.dump(1);
    EXPECT_GT(kernel["cases"], 0) << name;
    if (name.starts_with("fatal.")) {
      EXPECT_GT(kernel["fail"], 0) << kernel.dump(1);
    } else if (name.starts_with("quiet.")) {
      EXPECT_EQ(kernel["pass"], kernel["cases"]) << kernel.dump(1);
    }
  }
}

}  // namespace
}  // namespace negzero::attacks_test
