// Outputs with many wrong elements: those that lie beyond the hull of a set of few terms are refused without the set
// itself, and none is that lies in the set.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using operation::ReduceKind;

/// A number of few exponents, a zero now and then.
std::uint64_t draw_word(FormatId format, base::Random& random) {
  if (random.one_in(6)) return number::zero(number::format(format), random.one_in(2));
  const double size = std::ldexp(1 + random.uniform(), static_cast<int>(random.between(-6, 6)));
  return number::from_double(number::format(format), random.one_in(2) ? size : -size);
}
tensor::Tensor draw_tensor(FormatId format, std::vector<std::int64_t> shape, base::Random& random) {
  tensor::Tensor tensor(format, std::move(shape));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) tensor.set(i, draw_word(format, random));
  return tensor;
}

/// What a kernel might give: of each element something permitted, a neighbour of it, or a number far away.
tensor::Tensor draw_observed(const Oracle& oracle, FormatId format, std::vector<std::int64_t> shape,
                             base::Random& random) {
  const number::Format& numbers = number::format(format);
  tensor::Tensor observed(format, std::move(shape));
  for (std::int64_t i = 0; i < observed.element_count(); ++i) {
    const auto exact = oracle.exact(i);
    const std::uint64_t near = exact && !number::is_nan(numbers, *exact) ? *exact : draw_word(format, random);
    const std::int64_t steps = random.between(-3, 3);
    const std::uint64_t moved = number::from_ordinal(numbers, number::ordinal(numbers, near) + steps);
    observed.set(i, random.one_in(3) ? draw_word(format, random) : moved);
  }
  return observed;
}

void expect_those_that_are_not_permitted(const operation::Case& value, const std::string& contract, FormatId output,
                                         std::vector<std::int64_t> shape, base::Random& random) {
  const auto oracle = Oracle::make(value, *contract::parse(contract));
  ASSERT_TRUE(oracle) << oracle.error().message;
  const tensor::Tensor observed = draw_observed(*oracle, output, std::move(shape), random);
  std::vector<OutputElement> wrong;
  for (std::int64_t i = 0; i < observed.element_count(); ++i) {
    if (!oracle->permitted(i).contains(observed.get(i))) wrong.push_back({0, i});
  }
  ASSERT_GT(wrong.size(), 40u);
  const Look look = oracle->look(std::span(&observed, 1), {.worst = 2});
  EXPECT_EQ(look.failing, wrong) << contract;
  EXPECT_EQ(look.failed, static_cast<std::int64_t>(wrong.size()));
  ASSERT_EQ(look.worst.size(), 2u);
  // The worst one is found among all of them, and its set is the set itself.
  const auto of_all = static_cast<std::size_t>(observed.element_count());
  const Look far = oracle->look(std::span(&observed, 1), {.worst = 2, .farthest = true});
  const Look far_of_all = oracle->look(std::span(&observed, 1), {.worst = of_all, .farthest = true});
  EXPECT_EQ(far.failing, wrong) << contract;
  EXPECT_EQ(far.worst.front().place, far_of_all.worst.front().place) << contract;
  EXPECT_EQ(far.worst.front().steps, far_of_all.worst.front().steps) << contract;
  const Look first = oracle->look(std::span(&observed, 1), {.worst = of_all});
  EXPECT_EQ(look.worst.front().place, first.worst.front().place) << contract;
  const Miss& worst = look.worst.front();
  EXPECT_EQ(worst.permitted.to_string(), oracle->permitted(worst.place.element).to_string());
}

TEST(ManyFailing, AreThoseThatAreNotPermitted) {
  const char* const contracts[] = {
      "{}",
      R"({"wider": false})",
      R"({"accumulate": "F16"})",
      R"({"accumulate": "F16", "wider": false, "contraction": "separate"})",
      R"({"accumulate": "BF16", "subnormal_results": "either"})",
      R"({"wider": false, "depth": 3})",
      R"({"accumulate_rounding": "toward_zero"})",
      R"({"tensor_core": "only", "unit": "hopper"})",
      R"({"tensor_core": "may"})",
  };
  base::Random random(5);
  for (const char* contract : contracts) {
    for (std::int64_t k = 1; k <= 4; ++k) {
      operation::Gemm gemm;
      gemm.m = gemm.n = 16;
      gemm.k = k;
      gemm.a = gemm.b = FormatId::F16;
      gemm.d = FormatId::F32;
      gemm.alpha = f32(1);
      gemm.beta = f32(0);
      operation::Case value;
      value.operation = gemm;
      value.tensors.emplace("a", draw_tensor(FormatId::F16, {1, 16, k}, random));
      value.tensors.emplace("b", draw_tensor(FormatId::F16, {1, k, 16}, random));
      value.tensors.emplace("c", tensor::Tensor(FormatId::F32, {1, 16, 16}));
      expect_those_that_are_not_permitted(value, contract, FormatId::F32, {1, 16, 16}, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ManyFailing, OfReductionsToo) {
  base::Random random(6);
  for (const ReduceKind kind : {ReduceKind::Sum, ReduceKind::Mean}) {
    for (const char* contract : {"{}", R"({"accumulate": "F16", "wider": false})", R"({"mean": "terms"})"}) {
      operation::Reduce reduce;
      reduce.kind = kind;
      reduce.rows = 200;
      reduce.columns = 4;
      reduce.x = FormatId::F16;
      reduce.y = FormatId::F32;
      operation::Case value;
      value.operation = reduce;
      value.tensors.emplace("x", draw_tensor(FormatId::F16, {200, 4}, random));
      expect_those_that_are_not_permitted(value, contract, FormatId::F32, {200}, random);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace negzero::oracle
