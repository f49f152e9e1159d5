// Scalars that are whole numbers or truth values: their limits, and what a launch gets.

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <negzero/source/declaration.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/proposal.hpp>

namespace negzero::source {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string with(std::string_view lines) {
  return "kernel k\noperation pick: y[n] <- x[n], first int, largest bool, scale\nlaunch f(x, y, n, first, largest, "
         "scale);\n" +
         std::string(lines);
}

json scalars(std::string_view lines) {
  const auto read = read_declarations(with(lines), "x.nz");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read ? json::parse(read->kernels.at(0).json)["limits"]["scalars"] : json();
}

std::string mistake(std::string_view lines) {
  const auto read = read_declarations(with(lines), "x.nz");
  return read ? "none" : read.error().message;
}

TEST(WholeScalars, HaveLimits) {
  EXPECT_EQ(scalars("limits first >= 0, first <= 15\n"), json::parse(R"({"first": {"least": 0, "greatest": 15}})"));
  EXPECT_EQ(scalars("limits -3 <= first <= 15\n"), json::parse(R"({"first": {"least": -3, "greatest": 15}})"));
  EXPECT_EQ(scalars("values first 0..15\n"), json::parse(R"({"first": {"least": 0, "greatest": 15}})"));
  EXPECT_EQ(scalars("limits first = 4\n"), json::parse(R"({"first": {"least": 4, "greatest": 4}})"));
  for (const char* const value : {"1", "true"}) {
    EXPECT_EQ(scalars("limits largest = " + std::string(value) + "\n"),
              json::parse(R"({"largest": {"least": 1, "greatest": 1}})"));
  }
  EXPECT_EQ(scalars("limits largest = false\n"), json::parse(R"({"largest": {"least": 0, "greatest": 0}})"));
}

TEST(WholeScalars, SayWhatIsWrongWithTheirLimits) {
  EXPECT_THAT(mistake("limits first <= 1.5\n"), HasSubstr("first is a whole number, and 1.5 is none; give its range"));
  EXPECT_THAT(mistake("values first 0..0.5\n"), HasSubstr("first is a whole number, and 0.5 is none"));
  EXPECT_THAT(mistake("limits first <= many\n"), HasSubstr("x.nz:4: limits: 'first <= many': first is a whole number"));
  EXPECT_THAT(mistake("limits largest = yes\n"), HasSubstr("largest is a truth value; give 0 or 1"));
  EXPECT_THAT(mistake("limits largest >= 2\n"),
              HasSubstr("largest is a truth value, from 0 to 1, and none lies between"));
  EXPECT_THAT(mistake("limits first < 3\n"), HasSubstr("is none of SCALAR <= X, SCALAR >= X, SCALAR = N"));
  EXPECT_THAT(mistake("limits scale = 3\n"), HasSubstr("'scale = 3' is none of SCALAR <= X, SCALAR >= X"));
}

TEST(WholeScalars, ALaunchGetsIntAndBool) {
  const auto read = read_declarations(with(""), "x.nz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  for (const bool is_for_gpu : {false, true}) {
    const auto glue = glue_for({}, "x.nz", read->kernels, {}, is_for_gpu);
    ASSERT_TRUE(glue.ok()) << glue.error().message;
    EXPECT_THAT(*glue, HasSubstr("const int first = negzero_args.scalar(\"first\").as<std::int32_t>();"));
    EXPECT_THAT(*glue, HasSubstr("const bool largest = negzero_args.scalar(\"largest\").as<std::int32_t>() != 0;"));
    EXPECT_THAT(*glue, HasSubstr("const auto scale = negzero_args.scalar(\"scale\").as<float>();"));
  }
}

TEST(WholeScalars, ATruthValueOfAKernelIsProposed) {
  const auto proposed =
      propose("__global__ void pick(const float* x, float* y, int n, float scale, bool largest) { y[0] = x[0]; }\n",
              "pick.cu", "");
  ASSERT_TRUE(proposed.ok()) << proposed.error().message;
  const std::string& text = proposed->declarations.at(0).text;
  EXPECT_THAT(text, HasSubstr("operation pick: y[n] <- x[n], scale, largest bool each n"));
  EXPECT_THAT(text, HasSubstr("(x, y, n, scale, largest);"));
}

}  // namespace
}  // namespace negzero::source
