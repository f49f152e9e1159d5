// The names of strides that a launch has.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/operation/operation.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/strides.hpp>

namespace negzero::source {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> named(std::string_view operation, std::string_view statement) {
  std::vector<std::string> result;
  for (const NamedStride& each : strides_named(**operation::signature_of(operation), statement)) {
    result.push_back(fmt::format("{} {}[{}]", each.name, each.tensor, each.dimension));
  }
  return result;
}

TEST(Strides, AreThoseThatTheStatementNames) {
  EXPECT_THAT(named("gemm", "k<<<1, 2>>>(d, a, 2 * b_stride2, a_stride1);"),
              ElementsAre("a_stride1 a[1]", "b_stride2 b[2]"));
  EXPECT_THAT(named("gemm", "f(m * b_stride2, d_stride0);"), ElementsAre("b_stride2 b[2]", "d_stride0 d[0]"));
  // No such dimension, no whole word, no code.
  EXPECT_THAT(named("gemm", "f(a_stride3, aa_stride0, a_stride01, \"a_stride0\");  // a_stride1"), ElementsAre());
  EXPECT_THAT(named("one: y[n] <- x[n]", "f(y_stride0, x_stride0, x_stride1);"),
              ElementsAre("x_stride0 x[0]", "y_stride0 y[0]"));
}

TEST(Strides, GiveWayToOtherThingsOfThatName) {
  EXPECT_THAT(named("gemm", "const int a_stride0 = 3; f(a_stride0, b_stride0);"), ElementsAre("b_stride0 b[0]"));
  EXPECT_THAT(named("one: y[x_stride0] <- x[x_stride0]", "f(x_stride0);"), ElementsAre());
  EXPECT_THAT(named("one: y[n] <- x[n], x_stride0", "f(x_stride0);"), ElementsAre());
  // What an output holds before is in the output's memory, and no operand.
  EXPECT_THAT(named("scatter.add", "f(init_stride0, out_stride0);"), ElementsAre("out_stride0 out[0]"));
}

TEST(Strides, AreInTheCodeOfBothExecutors) {
  for (const bool is_for_gpu : {false, true}) {
    const auto declared = read_declarations("kernel k\noperation gemm\nlaunch f(d, b_stride2);\n", "x.nz");
    const auto glue = glue_for({}, "x.nz", declared->kernels, {}, is_for_gpu);
    ASSERT_TRUE(glue.ok()) << glue.error().message;
    EXPECT_THAT(*glue, AllOf(HasSubstr("const std::int64_t b_stride2 = negzero_args.operand(\"b\").strides[2];"),
                             Not(HasSubstr("b_stride1"))));
  }
}

}  // namespace
}  // namespace negzero::source
