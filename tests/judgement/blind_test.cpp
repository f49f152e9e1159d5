// What cannot be seen: terms of a sum whose loss would pass.

#include <gtest/gtest.h>

#include <negzero/judgement/blind.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::judgement {
namespace {

using exact::Dyadic;
using number::FormatId;

operation::Case sum_of(const std::vector<double>& values) {
  operation::Case value;
  const auto count = static_cast<std::int64_t>(values.size());
  value.operation = operation::Reduce{.rows = 1, .columns = count};
  tensor::Tensor x(FormatId::F32, {1, count});
  for (std::int64_t i = 0; i < count; ++i) {
    x.set(i, number::from_double(x.format(), values[static_cast<std::size_t>(i)]));
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}

TEST(Blind, CountsTheTermsThatCouldBeLost) {
  // Rule c: B is about 24 u S, with S about 2^20: between 2^-1 and 2^1. Terms of 2^-20 are lost in it, those of 2^15
  // not.
  std::vector<double> values(32, 0x1p15);
  for (int i = 0; i < 96; ++i) values.push_back(0x1.1p-20);
  const operation::Case value = sum_of(values);
  const std::int64_t element = 0;
  const Blindness seen = blindness(value, {}, {&element, 1}, 1);
  EXPECT_EQ(seen.of, 1);
  EXPECT_DOUBLE_EQ(seen.share, 96.0 / 128);
}

TEST(Blind, SeesEveryTermOfAnExactSum) {
  const operation::Case value = sum_of({1, 2, 3, 4, 0});
  const std::int64_t element = 0;
  EXPECT_EQ(blindness(value, {}, {&element, 1}, 1).share, 0);
  EXPECT_EQ(terms_of(value, 0).size(), 4u) << "a zero is no term to lose";
}

TEST(Blind, TermsAreScaledAsTheResultIs) {
  operation::Case value;
  value.operation = operation::Gemm{.m = 1, .n = 1, .k = 2, .alpha = {FormatId::F32, 0xc0000000}};  // -2
  tensor::Tensor a(FormatId::F32, {1, 1, 2}), b(FormatId::F32, {1, 2, 1}), c(FormatId::F32, {1, 1, 1});
  for (const std::int64_t i : {0, 1}) {
    a.set(i, number::from_double(a.format(), 3 + static_cast<double>(i)));
    b.set(i, number::from_double(b.format(), 0.5));
  }
  value.tensors = {{"a", a}, {"b", b}, {"c", c}};
  operation::pack_missing_layouts(value);
  EXPECT_EQ(terms_of(value, 0), (std::vector<Dyadic>{Dyadic(-3), Dyadic(-4)}));

  value = sum_of({1, 2, 6});
  operation::Operation mean = operation::Reduce{.kind = operation::ReduceKind::Mean, .rows = 1, .columns = 4};
  value = sum_of({1, 2, 6, 0});
  value.operation = mean;
  EXPECT_EQ(terms_of(value, 0), (std::vector<Dyadic>{Dyadic(1, -2), Dyadic(1, -1), Dyadic(3, -1)}));
}

TEST(Blind, ScansAndScattersHaveTermsOfTheirOwn) {
  operation::Case value = sum_of({1, 2, 3});
  value.operation = *operation::operation_named("scan.exclusive");
  value.operation.extent("rows") = 1;
  value.operation.extent("columns") = 3;
  EXPECT_EQ(terms_of(value, 2), (std::vector<Dyadic>{Dyadic(1), Dyadic(2)}));
  EXPECT_TRUE(terms_of(value, 0).empty());

  operation::Case scatter;
  scatter.operation = operation::Scatter{.updates = 3, .destinations = 2};
  tensor::Tensor index(FormatId::I32, {3}), x(FormatId::F32, {3}), init(FormatId::F32, {2});
  index.set(1, 1);
  for (std::int64_t i = 0; i < 3; ++i) x.set(i, number::from_double(x.format(), 1 + static_cast<double>(i)));
  scatter.tensors = {{"index", index}, {"x", x}, {"init", init}};
  EXPECT_EQ(terms_of(scatter, 0), (std::vector<Dyadic>{Dyadic(1), Dyadic(3)}));
  EXPECT_EQ(terms_of(scatter, 1), (std::vector<Dyadic>{Dyadic(2)}));
}

TEST(Blind, SelectionsHaveNothingToLose) {
  EXPECT_FALSE(adds(operation::Reduce{.kind = operation::ReduceKind::Max}));
  EXPECT_FALSE(adds(*operation::operation_named("convert")));
  EXPECT_FALSE(adds(*operation::operation_named("scatter.min")));
  EXPECT_TRUE(adds(*operation::operation_named("scatter.add")));
  EXPECT_TRUE(adds(operation::Gemm{}));
  EXPECT_TRUE(adds(*operation::operation_named("gemm.grouped")));
}

}  // namespace
}  // namespace negzero::judgement
