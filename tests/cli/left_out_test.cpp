// Kernels that are registered wrongly: named with file and line, left out, and in nobody's way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace negzero::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const How kHow{.program = NEGZERO_LEFT_OUT};

TEST(LeftOut, TheOthersAreCheckedAndTheCodeIsNoPass) {
  const Directory directory;
  const Ran ran =
      run({"check", "--executor", "host", "--cases", "20", "--seed", "1", "--save", directory.path()}, kHow);
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("scatter.max.right"), Not(HasSubstr("scatter.max.narrow")), Not(HasSubstr("saved"))));
  EXPECT_THAT(
      ran.err,
      ContainsRegex("left_out_kernels.cpp:[1-9][0-9]: kernel 'scatter.max.narrow': limits: multiple 0 of updates"));
  EXPECT_THAT(ran.err, HasSubstr("kernel 'scatter.max.contradicts': contract: order \"model\" needs the field model"));
}

TEST(LeftOut, TheDocumentOfACheckHasThemAsErrors) {
  const Directory directory;
  const Ran ran = run({"check", "--executor", "host", "--cases", "20", "--save", directory.path(), "--json"}, kHow);
  EXPECT_EQ(ran.code, 3) << ran.err;
  const nlohmann::json document = ran.json();
  EXPECT_EQ(document["kernels"].size(), 1u);
  ASSERT_EQ(document["errors"].size(), 2u);
  EXPECT_THAT(document["errors"][0].get<std::string>(), HasSubstr("scatter.max.narrow"));
}

TEST(LeftOut, OtherCommandsGoOnAndAnErrorOfTheirOwnKeepsItsCode) {
  const Ran listed = run({"list", "operations"}, kHow);
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.err, HasSubstr("kernel 'scatter.max.narrow': limits: "));
  EXPECT_THAT(listed.out, HasSubstr("scatter.max"));
  EXPECT_EQ(run({"replay", "/nowhere"}, kHow).code, 2);
  EXPECT_EQ(run({"check", "zzz"}, kHow).code, 3) << "3 counts before 4";
}

}  // namespace
}  // namespace negzero::cli_test
