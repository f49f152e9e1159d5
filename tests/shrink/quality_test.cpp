// "This failure must shrink to exactly that": faults of the catalogue, from the first case that shows them.

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/campaign/evaluate.hpp>
#include <negzero/campaign/shrinking.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero {
namespace {

using operation::Case;
using operation::Gemm;
using verdict::FailureClass;
using verdict::Verdict;
using verdict::VerdictKind;

/// A case shrunk on a kernel, found by its own strategies.
struct Shrunk {
  Case value;
  FailureClass kind;
  std::int64_t evaluations;
};

/// The first case of the stream that fails with one of the classes (any class when there are none), shrunk.
std::optional<Shrunk> shrink_first(const std::string& name, std::uint64_t seed,
                                   const std::vector<FailureClass>& wanted = {}) {
  const kernel::Kernel* kernel = kernel::registry().find(name, kernel::Place::Host);
  if (kernel == nullptr) return std::nullopt;
  const generate::Request request{kernel->operation, kernel->limits, kernel->contract, {}};
  campaign::Evaluator evaluator({.in_process = true});
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Case value = generate::make_case(request, seed, index);
    auto verdicts = evaluator.evaluate({&value, 1}, *kernel);
    const Verdict& verdict = verdicts->front();
    if (verdict.kind != VerdictKind::Fail) continue;
    const FailureClass kind = verdict.failure->kind;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), kind) == wanted.end()) continue;
    auto shrunk = campaign::shrink(evaluator, value, verdict, *kernel);
    EXPECT_EQ(shrunk->verdict.failure->kind, kind) << "shrinking must keep the class";
    return Shrunk{std::move(shrunk->value), kind, shrunk->evaluations};
  }
  return std::nullopt;
}

/// Set bits of the widest significand in a tensor.
int most_significand_bits(const tensor::Tensor& tensor) {
  int most = 0;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    most = std::max(most, std::popcount(number::decode(tensor.format(), tensor.get(i)).significand));
  }
  return most;
}

class ShrinkQuality : public ::testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, ShrinkQuality, ::testing::Values(1, 2, 3));

TEST_P(ShrinkQuality, A1IsOneIndexAndOneNegativeZero) {
  const auto shrunk = shrink_first("faulty.A1.max_by_value_sign", GetParam());
  ASSERT_TRUE(shrunk);
  const auto& scatter = operation::view<operation::Scatter>(shrunk->value.operation);
  EXPECT_EQ(scatter.updates, 1);
  EXPECT_EQ(scatter.destinations, 1);
  EXPECT_EQ(shrunk->value.tensors.at("x").get(0), 0x80000000u);
}

TEST_P(ShrinkQuality, B3IsARowAndARowOfPadding) {
  const auto shrunk = shrink_first("faulty.B3.padding_row_times_zero", GetParam(), {FailureClass::WrongSpecialValue});
  ASSERT_TRUE(shrunk);
  const operation::Operation& grouped = shrunk->value.operation;
  for (const char* extent : {"groups", "n", "k"}) EXPECT_EQ(grouped.extent(extent), 1) << extent;
  EXPECT_LE(grouped.extent("capacity"), 2);
  EXPECT_EQ(shrunk->value.tensors.at("rows").get(0), static_cast<std::uint64_t>(grouped.extent("capacity")) - 1);
}

TEST_P(ShrinkQuality, G14AndG15AreOneElementOfFewBits) {
  for (const char* name : {"faulty.G14.f16_accumulator", "faulty.G15.tf32_multiplicands"}) {
    const auto shrunk = shrink_first(name, GetParam(), {FailureClass::WrongValue});
    ASSERT_TRUE(shrunk) << name;
    const auto& gemm = view<Gemm>(shrunk->value.operation);
    EXPECT_EQ(gemm.batch, 1) << name;
    EXPECT_EQ(gemm.m, 1) << name;
    EXPECT_EQ(gemm.n, 1) << name;
    EXPECT_LE(gemm.k, 2) << name;
    for (const char* tensor : {"a", "b", "c"}) {
      EXPECT_LE(most_significand_bits(shrunk->value.tensors.at(tensor)), 3) << name << " " << tensor;
    }
    EXPECT_EQ(gemm.alpha.bits, number::one(number::format(gemm.alpha.format))) << name;
    for (const auto& [tensor, layout] : shrunk->value.layouts) {
      EXPECT_EQ(layout, tensor::Layout::packed(layout.shape)) << name << " " << tensor;
    }
  }
}

TEST_P(ShrinkQuality, G8IsOneElementAndTheSmallestK) {
  const auto shrunk = shrink_first("faulty.G8.k_tail_not_predicated", GetParam(), {FailureClass::WrongSpecialValue});
  ASSERT_TRUE(shrunk);
  const auto& gemm = view<Gemm>(shrunk->value.operation);
  EXPECT_EQ(gemm.m, 1);
  EXPECT_EQ(gemm.n, 1);
  EXPECT_EQ(gemm.k, 1) << "one value of k leaves a tail of every tile";
}

TEST_P(ShrinkQuality, R1IsOneElement) {
  const auto shrunk = shrink_first("faulty.R1.flt_max_identity", GetParam());
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(shrunk->value.tensors.at("x").element_count(), 1);
  EXPECT_EQ(shrunk->value.tensors.at("x").get(0), 0xff800000u);
}

TEST_P(ShrinkQuality, G6HasNoKAndOneElementOfC) {
  const auto shrunk = shrink_first("faulty.G6.forgets_beta_at_k_zero", GetParam());
  ASSERT_TRUE(shrunk);
  EXPECT_EQ(view<Gemm>(shrunk->value.operation).k, 0);
  EXPECT_EQ(shrunk->value.tensors.at("c").element_count(), 1);
}

// A hang costs its whole budget of events in every thread: few cases may hang on the way, wherever the NaN stands.
TEST(ShrinkHang, A5IsOneUpdateOfANaNInFewEvaluations) {
  // Each evaluation of a hang lasts as long as its time limit.
  for (const std::uint64_t seed : {1, 2, 1000}) {
    SCOPED_TRACE(seed);
    const auto shrunk = shrink_first("faulty.A5.cas_compares_floats", seed, {FailureClass::Hang});
    ASSERT_TRUE(shrunk);
    const auto& scatter = operation::view<operation::Scatter>(shrunk->value.operation);
    EXPECT_EQ(scatter.updates, 1);
    EXPECT_EQ(scatter.destinations, 1);
    EXPECT_TRUE(number::is_nan(number::format(number::FormatId::F32), shrunk->value.tensors.at("init").get(0)));
    EXPECT_LE(shrunk->evaluations, 150);
  }
}

}  // namespace
}  // namespace negzero
