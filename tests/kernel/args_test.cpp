// Arguments are found by their names, and a name that is not there says what is.

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/kernel/args.hpp>

namespace negzero::kernel {
namespace {

TEST(Args, AreFoundByTheirNames) {
  float x = 1, y = 2;
  Args args;
  args.add("rows", std::int64_t{3});
  args.add("columns", std::int64_t{5});
  args.add("x", Operand{&x, {5, 1, 0}});
  args.add("y", Operand{&y, {7, 0, 0}});
  args.add("alpha", ScalarArg{0x3f800000});
  EXPECT_EQ(args.extent("columns"), 5);
  EXPECT_EQ(args.operand("x").data, &x);
  EXPECT_EQ(args.scalar("alpha").as<float>(), 1.0f);
  const ReduceArgs reduce = reduce_args(args);
  EXPECT_EQ(reduce.rows, 3);
  EXPECT_EQ(reduce.columns, 5);
  EXPECT_EQ(reduce.x.strides[0], 5);
  EXPECT_EQ(reduce.y.data, &y);
  EXPECT_EQ(reduce.y.strides[0], 7);
}

TEST(Args, OptionsHaveTheValueThatTheLaunchHas) {
  Args args;
  args.add("k", std::int64_t{3});
  args.add_option("algorithm", 2);
  args.add_option("workspace", std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(args.option("algorithm"), 2);
  EXPECT_EQ(args.option("workspace"), std::numeric_limits<std::int64_t>::min());
}

template <typename Ask>
std::string answer_to(const Ask& ask) {
  try {
    ask();
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "found";
}

TEST(Args, AnUnknownNameIsToldWithThoseThereAre) {
  Args args;
  args.add("rows", std::int64_t{3});
  args.add("columns", std::int64_t{5});
  args.add("x", Operand{});
  EXPECT_EQ(answer_to([&] { (void)args.extent("row"); }), "no extent 'row': there are rows, columns");
  EXPECT_EQ(answer_to([&] { (void)args.option("algorithm"); }), "no option 'algorithm': there are none");
  args.add_option("workspace", 0);
  EXPECT_EQ(answer_to([&] { (void)args.option("rows"); }), "no option 'rows': there are workspace");
  EXPECT_EQ(answer_to([&] { (void)args.operand("rows"); }), "no operand 'rows': there are x");
  EXPECT_EQ(answer_to([&] { (void)gemm_args(args); }), "no extent 'batch': there are rows, columns");
  EXPECT_EQ(answer_to([&] { (void)scatter_args(args); }), "no extent 'updates': there are rows, columns");
}

}  // namespace
}  // namespace negzero::kernel
