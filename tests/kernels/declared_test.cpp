// Kernels of declared operations on numbers whose results are known, in every layout and order of threads.

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsNan;
using ::testing::NanSensitiveDoubleEq;

using Numbers = std::vector<double>;

/// Expects the numbers of one output from a kernel, however operands lie and threads run; NaN equals NaN.
void expect(const std::string& kernel, Declared declared, const std::string& output, const Numbers& wanted) {
  std::vector<::testing::Matcher<double>> each;
  for (const double number : wanted) each.emplace_back(NanSensitiveDoubleEq(number));
  for (const Lie lie : {Lie::Packed, Lie::Padded, Lie::Transposed}) {
    declared.lie = lie;
    for (const How& how : runs()) {
      const DeclaredOutput ran = run(kernel_named(kernel), declared, how);
      EXPECT_EQ(ran.refusal, "") << kernel;
      EXPECT_EQ(ran.report.status, engine::LaunchStatus::Ok) << kernel;
      EXPECT_TRUE(ran.surroundings_intact) << kernel;
      EXPECT_THAT(ran.outputs.at(output), ElementsAreArray(each)) << kernel;
    }
  }
}

/// The same of a kernel and of its reference.
void expect_both(const std::string& kernel, const Declared& declared, const std::string& output,
                 const Numbers& wanted) {
  expect(kernel, declared, output, wanted);
  expect(kernel_named(kernel).reference.kernel, declared, output, wanted);
}

Numbers counted(std::int64_t count) {
  Numbers numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i));
  return numbers;
}

TEST(Declared, Softmax) {
  const Declared declared{.extents = {{"rows", 4}, {"columns", 2}},
                          .inputs = {{"x", {5, 5, -kInf, 0, kInf, 0, -kInf, -kInf}}}};
  const Numbers wanted{0.5, 0.5, 0, 1, kNan, kNan, kNan, kNan};
  expect_both("softmax.online.f32", declared, "y", wanted);
  expect_both("softmax.three_pass.f32", declared, "y", wanted);
}

TEST(Declared, SoftmaxInOnePassScalesEveryThreadsSum) {
  // The greatest element stands last, behind a whole pass of the block; all others vanish beside it.
  Numbers x(200, 0.0), wanted(200, 0.0);
  x.back() = 1000;
  wanted.back() = 1;
  expect_both("softmax.online.f32", {.extents = {{"rows", 1}, {"columns", 200}}, .inputs = {{"x", x}}}, "y", wanted);
}

TEST(Declared, Layernorm) {
  const Declared declared{.extents = {{"rows", 2}, {"columns", 2}},
                          .inputs = {{"x", {1, 3, 7, kNan}}, {"weight", {2, 3}}, {"bias", {10, 20}}},
                          .scalars = {{"epsilon", 0}}};
  expect_both("layernorm.statistics_f64.f32", declared, "y", {8, 23, kNan, kNan});
  expect_both("layernorm.statistics_f64.f32", declared, "mean", {2, kNan});
  expect_both("layernorm.statistics_f64.f32", declared, "rstd", {1, kNan});
  expect_both("layernorm.y.two_pass.f32", declared, "y", {8, 23, kNan, kNan});
}

TEST(Declared, LayernormOfAConstantRowIsTheBias) {
  const Declared declared{.extents = {{"rows", 1}, {"columns", 4}},
                          .inputs = {{"x", {1e30, 1e30, 1e30, 1e30}}, {"weight", {1, 2, 3, 4}}, {"bias", {5, 6, 7, 8}}},
                          .scalars = {{"epsilon", 0.25}}};
  expect_both("layernorm.statistics_f64.f32", declared, "y", {5, 6, 7, 8});
  expect_both("layernorm.statistics_f64.f32", declared, "rstd", {2});
}

TEST(Declared, Rmsnorm) {
  const Declared declared{.extents = {{"rows", 2}, {"columns", 2}},
                          .inputs = {{"x", {2, -2, 0, 0}}, {"weight", {3, 5}}},
                          .scalars = {{"epsilon", 12}}};
  expect_both("rmsnorm.rows.f32", declared, "y", {1.5, -2.5, 0, 0});
}

TEST(Declared, Gelu) {
  const Declared declared{.extents = {{"count", 7}}, .inputs = {{"x", {0, 50, -50, 0x1p100, kInf, -kInf, kNan}}}};
  expect_both("gelu.tanh.f32", declared, "y", {0, 50, 0, 0x1p100, kInf, 0, kNan});
}

TEST(Declared, ResidualAndBias) {
  const Declared declared{.extents = {{"rows", 2}, {"columns", 2}},
                          .inputs = {{"x", {1, 2, 3, kInf}}, {"residual", {10, 20, 30, -kInf}}, {"bias", {100, 200}}}};
  expect_both("residual.bias.f32", declared, "y", {111, 222, 133, kNan});
}

TEST(Declared, Quantise) {
  // The steps are 1, 0 (of zeros), 1 beside NaN, infinite, and 0 of what is too small.
  const Declared declared{
      .extents = {{"rows", 5}, {"columns", 3}},
      .inputs = {{"x", {448, -3.2, 17, 0, 0, 0, kNan, 448, 2, kInf, 1, -kInf, 0x1p-149, kNan, -0x1p-149}}}};
  expect("quantise.rows.f32_f8", declared, "q", {448, -3.25, 16, 0, 0, 0, kNan, 448, 2, kNan, 0, kNan, 0, kNan, 0});
  expect_both("quantise.rows.f32_f8", declared, "step", {1, 0, 1, kInf, 0});
}

TEST(Declared, QuantisingRoundsToNearestEvenAsEncodingsDo) {
  // Every number of F8_E4M3, and between two neighbours the middle and the numbers of F32 on either side of it.
  const number::Format& f8 = number::format(number::FormatId::F8_E4M3);
  Numbers x{448};
  for (std::uint64_t code = 0; code < 0x7e; ++code) {
    const double low = number::to_double(f8, code), high = number::to_double(f8, code + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    x.insert(x.end(), {low, middle, std::nextafterf(middle, 0), std::nextafterf(middle, 500)});
  }
  Numbers wanted;
  for (const double number : x) wanted.push_back(number::to_double(f8, number::from_double(f8, number)));
  const Declared declared{.extents = {{"rows", 1}, {"columns", static_cast<std::int64_t>(x.size())}},
                          .inputs = {{"x", x}}};
  expect("quantise.rows.f32_f8", declared, "q", wanted);
}

TEST(Declared, Dequantise) {
  const number::Format& f8 = number::format(number::FormatId::F8_E4M3);
  Numbers q, wanted;
  for (std::uint64_t code = 0; code < 256; ++code) {
    q.push_back(number::to_double(f8, code));
    wanted.push_back(q.back() * 0.75);
  }
  const Declared declared{.extents = {{"rows", 1}, {"columns", 256}}, .inputs = {{"q", q}, {"step", {0.75}}}};
  expect_both("dequantise.rows.f8_f32", declared, "y", wanted);
}

TEST(Declared, Topk) {
  const Declared declared{.extents = {{"rows", 2}, {"columns", 5}, {"k", 4}},
                          .inputs = {{"x", {1, kNan, 3, kInf, 3, -kInf, -kInf, -kInf, -0.0, 0.0}}}};
  expect_both("topk.rounds.f32", declared, "values", {kNan, kInf, 3, 3, 0, 0, -kInf, -kInf});
  expect_both("topk.rounds.f32", declared, "at", {1, 3, 2, 4, 3, 4, 0, 1});
}

TEST(Declared, Transpose) {
  constexpr std::int64_t kRows = 17, kColumns = 33;
  Numbers wanted;
  for (std::int64_t j = 0; j < kColumns; ++j) {
    for (std::int64_t i = 0; i < kRows; ++i) wanted.push_back(static_cast<double>(i * kColumns + j));
  }
  const Declared declared{.extents = {{"rows", kRows}, {"columns", kColumns}},
                          .inputs = {{"x", counted(kRows * kColumns)}}};
  expect_both("transpose.tiled.f32", declared, "y", wanted);
}

TEST(Declared, Histogram) {
  Numbers at;
  for (int i = 0; i < 300; ++i) at.push_back(i % 3 == 0 ? 4 : i % 2);
  const Declared declared{.extents = {{"n", 300}, {"bins", 6}}, .inputs = {{"at", at}}};
  expect_both("histogram.shared.i32", declared, "counts", {100, 100, 0, 0, 100, 0});
  expect_both("histogram.shared.i32", {.extents = {{"n", 0}, {"bins", 2}}, .inputs = {{"at", {}}}}, "counts", {0, 0});
}

TEST(Declared, SumsOfSegments) {
  const Declared declared{.extents = {{"segments", 4}, {"elements", 300}},
                          .inputs = {{"x", counted(300)}, {"ends", {0, 2, 2, 200}}}};
  expect_both("segments.sum.f32", declared, "y", {0, 1, 0, 19899});
}

// Each fault shows itself on one directed input, as its report says, and its twin does not.

void expect_pair(const std::string& id, const Declared& declared, const std::string& output, const Numbers& right) {
  const auto given = [&](const std::string& glob) {
    return run(*kernels_like(glob + "." + id + ".*").at(0), declared).outputs.at(output);
  };
  std::vector<::testing::Matcher<double>> each;
  for (const double number : right) each.emplace_back(NanSensitiveDoubleEq(number));
  EXPECT_THAT(given("twin"), ElementsAreArray(each)) << id;
  EXPECT_THAT(given("faulty"), ::testing::Not(ElementsAreArray(each))) << id;
}

TEST(DeclaredFaults, EachIsSeenOnItsInput) {
  const std::map<std::string, std::int64_t> row{{"rows", 1}, {"columns", 2}};
  expect_pair("O1", {.extents = row, .inputs = {{"x", {100, 100}}}}, "y", {0.5, 0.5});
  expect_pair("O2", {.extents = row, .inputs = {{"x", {-kInf, 0}}}}, "y", {0, 1});
  expect_pair("O3",
              {.extents = row,
               .inputs = {{"x", {4097, 4099}}, {"weight", {1, 1}}, {"bias", {0, 0}}},
               .scalars = {{"epsilon", 0}}},
              "y", {-1, 1});
  expect_pair("O4", {.extents = row, .inputs = {{"x", {2, -2}}, {"weight", {1, 1}}}, .scalars = {{"epsilon", 12}}}, "y",
              {0.5, -0.5});
  expect_pair("O5", {.extents = {{"count", 1}}, .inputs = {{"x", {16}}}}, "y", {16});
  expect_pair("O6",
              {.extents = {{"rows", 2}, {"columns", 2}},
               .inputs = {{"x", {0, 0, 0, 0}}, {"residual", {0, 0, 0, 0}}, {"bias", {1, 2}}}},
              "y", {1, 2, 1, 2});
  expect_pair("O7", {.extents = row, .inputs = {{"x", {0, 0}}}}, "q", {0, 0});
  expect_pair("O8", {.extents = {{"rows", 1}, {"columns", 2}, {"k", 2}}, .inputs = {{"x", {1, kNan}}}}, "values",
              {kNan, 1});
  expect_pair("O11", {.extents = {{"segments", 2}, {"elements", 2}}, .inputs = {{"x", {3, 5}}, {"ends", {0, 2}}}}, "y",
              {0, 8});
  expect_pair("O12", {.extents = {{"count", 1}}, .inputs = {{"x", {-kInf}}}}, "y", {0});
}

TEST(DeclaredFaults, O9OverwritesATileThatOthersRead) {
  // Three tiles for two blocks: a thread that runs ahead writes the third tile where others still read the first.
  Declared declared{.extents = {{"rows", 1}, {"columns", 48}}, .inputs = {{"x", counted(48)}}};
  EXPECT_EQ(run(kernel_named("twin.O9.tile_after_barrier"), declared, runs()[0]).outputs.at("y"), counted(48));
  EXPECT_NE(run(kernel_named("faulty.O9.tile_overwritten"), declared, runs()[0]).outputs.at("y"), counted(48));
}

TEST(DeclaredFaults, O10IsRightWhereOneBlockCounts) {
  // What two blocks do to each other is a matter of time, which the watch does not need.
  const Declared declared{.extents = {{"n", 128}, {"bins", 2}}, .inputs = {{"at", Numbers(128, 1)}}};
  for (const std::string name : {"faulty.O10.counts_added_without_atomics", "twin.O10.counts_added_by_atomics"}) {
    EXPECT_THAT(run(kernel_named(name), declared).outputs.at("counts"), ElementsAre(0, 128)) << name;
  }
}

}  // namespace
}  // namespace negzero::kernels_test
