// Which sums are held to random rounding errors, at the boundary of each rule, and what their exact results are.

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/judgement/improbable.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

#include "drawn.hpp"

namespace negzero::judgement {
namespace {

using contract::Contract;
using number::FormatId;

/// A row of terms, of one format as its sum.
operation::Case row_sum(std::vector<double> terms, FormatId id = FormatId::F32) {
  operation::Case value;
  const auto count = static_cast<std::int64_t>(terms.size());
  value.operation = operation::Reduce{.rows = 1, .columns = count, .x = id, .y = id};
  tensor::Tensor x(id, {1, count});
  for (std::int64_t i = 0; i < count; ++i) {
    x.set(i, number::from_double(x.format(), terms[static_cast<std::size_t>(i)]));
  }
  value.tensors.emplace("x", std::move(x));
  operation::pack_missing_layouts(value);
  return value;
}
/// So many numbers from 1 on, 2^-7 apart, times `scale`.
std::vector<double> ramp(int count, double scale = 1) {
  std::vector<double> terms;
  for (int i = 0; i < count; ++i) terms.push_back(scale * (1 + std::ldexp(i, -7)));
  return terms;
}
/// What the exact results, rounded, give.
std::optional<verdict::RandomErrors> of_exact(const operation::Case& value, const Contract& contract = {}) {
  const operation::TensorSpec spec = operation::output_specs(value.operation).front();
  tensor::Tensor observed(spec.format, spec.shape);
  const auto oracle = oracle::Oracle::make(value, contract);
  for (std::int64_t i = 0; i < observed.element_count(); ++i) observed.set(i, oracle->exact(i).value_or(0));
  return random_errors(value, contract, observed);
}

TEST(ImprobableRules, LooksAtLongSumsOfDistinctTerms) {
  EXPECT_EQ(of_exact(row_sum(ramp(64)))->terms, 64);
  EXPECT_FALSE(of_exact(row_sum(ramp(63))));
  std::vector<double> terms = ramp(65);
  terms[7] = 0;
  EXPECT_EQ(of_exact(row_sum(terms))->terms, 64) << "a zero is no term";
  for (const int distinct : {32, 31}) {
    for (std::size_t i = 0; i < 65; ++i)
      terms[i] = 1 + static_cast<double>(i % static_cast<std::size_t>(distinct)) / 64;
    terms.resize(64);
    EXPECT_EQ(of_exact(row_sum(terms)).has_value(), distinct == 32);
    terms.resize(65);
  }
  terms[1] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(of_exact(row_sum(terms)));
}

TEST(ImprobableRules, LooksAwayWhereTermsStagnate) {
  const Contract f16{.accumulate = FormatId::F16};
  // n is the sum over the median term: 128 at n u = 2^-4.
  EXPECT_TRUE(of_exact(row_sum(ramp(100), FormatId::F16), f16));
  EXPECT_FALSE(of_exact(row_sum(ramp(140), FormatId::F16), f16));
  std::vector<double> outlier = ramp(64);
  outlier[0] = 80;
  EXPECT_TRUE(of_exact(row_sum(outlier, FormatId::F16), f16)) << "n is 127";
  outlier[0] = 84;
  EXPECT_FALSE(of_exact(row_sum(outlier, FormatId::F16), f16)) << "n is 130";
  // n^3 u^2 is 1 at n = 2^16 in F32.
  outlier[0] = 80000;
  EXPECT_TRUE(of_exact(row_sum(outlier)));
  outlier[0] = 84000;
  EXPECT_FALSE(of_exact(row_sum(outlier)));
}

TEST(ImprobableRules, LooksAwayAtTheEndsOfFormats) {
  EXPECT_TRUE(of_exact(row_sum(ramp(64, 0x1p118))));
  EXPECT_FALSE(of_exact(row_sum(ramp(64, 0x1p120)))) << "2^126 and more may overflow on the way";
  const Contract flush{.subnormal_results = contract::Subnormals::Flush};
  EXPECT_TRUE(of_exact(row_sum(ramp(64, 0x1p-130)))) << "additions never err by underflowing";
  EXPECT_FALSE(of_exact(row_sum(ramp(64, 0x1p-134)))) << "the result is subnormal";
  EXPECT_TRUE(of_exact(row_sum(ramp(64, 0x1p-90)), flush));
  EXPECT_FALSE(of_exact(row_sum(ramp(64, 0x1p-110)), flush)) << "64 flushed numbers exceed one ulp of the sum";
  std::vector<double> terms = ramp(65);
  terms[0] = 0x1p-130;
  EXPECT_TRUE(of_exact(row_sum(terms)));
  EXPECT_FALSE(of_exact(row_sum(terms), {.subnormal_inputs = contract::Subnormals::Either}));
}

TEST(ImprobableRules, LooksAwayFromOtherContracts) {
  using namespace contract;
  const operation::Case value = row_sum(ramp(64));
  EXPECT_TRUE(of_exact(value, {.output_rounding = number::Rounding::NearestAway}));
  const Contract others[] = {{.multiplicand = Multiplicand::F16},
                             {.multiplicand_b = Multiplicand::F16},
                             {.accumulate_rounding = AccumulateRounding::TowardZero},
                             {.accumulate_rounding = AccumulateRounding::Faithful},
                             {.model = "any"},
                             {.order = Order::Ascending},
                             {.tensor_core = TensorCore::May},
                             {.slice_format = FormatId::F16},
                             {.intermediate = {{FormatId::F16, number::Rounding::Down}}},
                             {.output_rounding = number::Rounding::TowardZero},
                             {.accumulate = FormatId::I32}};
  tensor::Tensor y(FormatId::F32, {1});
  y.set(0, number::from_double(y.format(), 79.75));
  EXPECT_LT(random_errors(value, {}, y)->squares, 1);
  for (const Contract& other : others) EXPECT_FALSE(random_errors(value, other, y)) << contract::describe(other);
  operation::Case integers = value;
  integers.operation = operation::Reduce{.rows = 1, .columns = 64, .x = FormatId::I32, .y = FormatId::I32};
  integers.tensors.at("x") = tensor::Tensor(FormatId::I32, {1, 64});
  EXPECT_FALSE(random_errors(integers, {.accumulate = FormatId::I32}, tensor::Tensor(FormatId::I32, {1})));
  operation::Case maximum = value;
  maximum.operation = operation::Reduce{.kind = operation::ReduceKind::Max, .rows = 1, .columns = 64};
  EXPECT_FALSE(random_errors(maximum, {}, y));
}

TEST(ImprobableRules, ScalarsCountAsTheyAre) {
  const number::Format& format = number::format(FormatId::F32);
  operation::Case value;
  tensor::Tensor a(FormatId::F32, {1, 1, 64}), b(FormatId::F32, {1, 64, 1}), c(FormatId::F32, {1, 1, 1});
  const std::vector<double> terms = ramp(64);
  for (std::int64_t i = 0; i < 64; ++i) {
    a.set(i, number::from_double(format, terms[static_cast<std::size_t>(i)]));
    b.set(i, number::one(format));
  }
  c.set(0, number::from_double(format, 3));
  value.tensors = {{"a", a}, {"b", b}, {"c", c}};
  tensor::Tensor d(FormatId::F32, {1, 1, 1});
  const auto errors = [&](double alpha, double beta, double result, const Contract& contract = {}) {
    operation::Gemm gemm{.m = 1, .n = 1, .k = 64};
    gemm.alpha.bits = number::from_double(format, alpha);
    gemm.beta.bits = number::from_double(format, beta);
    value.operation = gemm;
    d.set(0, number::from_double(format, result));
    return random_errors(value, contract, d);
  };
  EXPECT_EQ(errors(1, 0, 79.75)->squares, 0);
  EXPECT_EQ(errors(-2, 5, 15 - 159.5)->squares, 0);
  EXPECT_GT(errors(-2, 5, 15 - 159.5 + 0.25)->squares, 36);
  const Contract f16{.scalar_format = FormatId::F16};
  EXPECT_TRUE(errors(1.5, 0, 119.625, f16));
  EXPECT_FALSE(errors(1 + 0x1p-12, 0, 79.75, f16)) << "F16 has another alpha";
  EXPECT_FALSE(errors(1, 1 + 0x1p-12, 82.75, f16));
  EXPECT_FALSE(errors(0, 1, 3)) << "no term counts";
  EXPECT_FALSE(errors(std::numeric_limits<double>::infinity(), 0, 79.75));
  // An F16 epilogue errs more than an F32 sum.
  const Contract narrow{.intermediate = {{FormatId::F16, number::Rounding::NearestEven}}};
  EXPECT_LT(errors(-2, 5, 15 - 159.5 + 0.25, narrow)->squares, 36);
}

/// Long sums of every operation, drawn: the exact result, rounded once, has the errors of one rounding.
TEST(ImprobableRules, KnowsTheResultOfEveryOperation) {
  for (const std::string name : {"gemm", "gemm.grouped", "reduce.sum", "reduce.sum_middle", "reduce.mean",
                                 "scan.inclusive", "scan.exclusive", "scatter.add"}) {
    generate::Request request;
    request.operation = name;
    const notation::Signature& signature = *operation::find_signature(name);
    request.mix.weights = {{"normal", 1}, {"uniform", 1}};
    request.mix.extents[signature.extents[*signature.reduced]] = {200, 300};
    for (const std::string& extent : signature.extents) {
      if (extent != signature.extents[*signature.reduced]) request.limits.extents[extent].max = 3;
    }
    int looked = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const operation::Case value = generate::make_case(request, 1, i);
      const Contract contract = default_contract(value.operation).contract;
      const auto errors = of_exact(value, contract);
      if (!errors) continue;
      ++looked;
      // One rounding is off by u |y| at most, and its V is u^2 y^2 / 3 at least.
      EXPECT_LE(errors->squares, 3) << name << " " << i;
    }
    EXPECT_GT(looked, 10) << name;
  }
}

TEST(ImprobableRules, LooksAtElementsFromTheFirstToTheLast) {
  for (const std::int64_t rows : {std::int64_t{64}, std::int64_t{1000}}) {
    operation::Case value;
    value.operation = operation::Reduce{.rows = rows, .columns = 64};
    tensor::Tensor x(FormatId::F32, {rows, 64}), y(FormatId::F32, {rows});
    const std::vector<double> terms = ramp(64);
    for (std::int64_t i = 0; i < x.element_count(); ++i) {
      x.set(i, number::from_double(x.format(), terms[static_cast<std::size_t>(i % 64)]));
    }
    const double right = std::accumulate(terms.begin(), terms.end(), 0.0);
    for (std::int64_t i = 0; i < rows; ++i) y.set(i, number::from_double(y.format(), right));
    value.tensors.emplace("x", std::move(x));
    operation::pack_missing_layouts(value);
    EXPECT_EQ(random_errors(value, {}, y)->squares, 0);
    for (const std::int64_t wrong : {std::int64_t{0}, rows - 1}) {
      tensor::Tensor one = y;
      one.set(wrong, number::from_double(y.format(), right - 1));
      EXPECT_GT(random_errors(value, {}, one)->squares, 36) << rows << " " << wrong;
    }
  }
}

}  // namespace
}  // namespace negzero::judgement
