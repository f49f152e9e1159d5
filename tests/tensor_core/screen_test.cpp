// The screen of sums on tensor cores: what it lets pass is permitted, and it lets pass nearly all that is.

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

#include "../screen_of.hpp"
#include "one_element.hpp"
#include "trial.hpp"
#include "words_near.hpp"

namespace negzero::oracle {
namespace {

using base::Random;
using contract::TensorCore;
using number::FormatId;

/// Values with `spread` binades, multiples of 2^grid where that is less than what the format holds.
double draw(Random& random, FormatId id, int spread, int grid) {
  const number::Format& format = number::format(id);
  if (random.below(12) == 0) return 0;
  const double sign = random.below(2) == 0 ? 1 : -1;
  if (random.below(40) == 0) return sign * std::ldexp(1.0, format.eta_exponent());
  const double value = std::ldexp(1 + static_cast<double>(random.below(1 << 12)) * 0x1p-12,
                                  -static_cast<int>(random.below(static_cast<std::uint64_t>(spread))));
  const double kept = std::round(std::ldexp(value, -grid));
  return sign * number::to_double(format, number::from_double(format, std::ldexp(kept, grid)));
}

struct Formats {
  FormatId factors, d, accumulate;
};
constexpr Formats kFormats[] = {
    {FormatId::F16, FormatId::F32, FormatId::F32},     {FormatId::F16, FormatId::F16, FormatId::F32},
    {FormatId::BF16, FormatId::BF16, FormatId::F32},   {FormatId::BF16, FormatId::F32, FormatId::F32},
    {FormatId::F16, FormatId::F16, FormatId::F16},     {FormatId::F8_E4M3, FormatId::F32, FormatId::F32},
    {FormatId::F8_E5M2, FormatId::F16, FormatId::F32}, {FormatId::F32, FormatId::F32, FormatId::F32}};

operation::Case draw_case(Random& random, const Formats& formats) {
  operation::Gemm gemm;
  gemm.m = random.between(1, 3);
  gemm.n = random.between(1, 9);
  gemm.k = random.below(3) == 0 ? random.between(1, 6) : random.between(7, 150);
  gemm.a = gemm.b = formats.factors;
  gemm.d = formats.d;
  if (random.below(40) == 0) {  // Sets of narrow accumulators are vacuous there.
    gemm.m = gemm.n = 1;
    gemm.k = random.between(400, 9000);
  }
  if (random.below(3) == 0)
    gemm.beta = {FormatId::F32, number::from_double(number::format(FormatId::F32), random.below(2) == 0 ? 1 : -0.75)};
  if (random.below(3) == 0)
    gemm.alpha = {FormatId::F32, number::from_double(number::format(FormatId::F32), random.below(2) == 0 ? -1 : 1.7)};
  const int spread = random.below(2) == 0 ? 3 : 12, grid = random.below(2) == 0 ? -3 : -30;
  const auto tensor = [&](FormatId id, std::vector<std::int64_t> shape) {
    tensor::Tensor result(id, std::move(shape));
    for (std::int64_t i = 0; i < result.element_count(); ++i) {
      result.set(i, number::from_double(result.format(), draw(random, id, spread, grid)));
    }
    return result;
  };
  operation::Case value;
  value.operation = gemm;
  value.tensors.emplace("a", tensor(gemm.a, {1, gemm.m, gemm.k}));
  value.tensors.emplace("b", tensor(gemm.b, {1, gemm.k, gemm.n}));
  value.tensors.emplace("c", tensor(gemm.d, {1, gemm.m, gemm.n}));
  return value;
}

contract::Contract draw_contract(Random& random, const Formats& formats) {
  contract::Contract contract;
  contract.accumulate = formats.accumulate;
  contract.tensor_core = random.below(2) == 0 ? TensorCore::May : TensorCore::Only;
  if (formats.factors == FormatId::F16) contract.unit = static_cast<contract::Unit>(random.below(7));
  contract.slices = static_cast<std::int64_t>(random.below(3));
  if (contract.accumulate == FormatId::F32 && random.below(2) == 0) {
    contract.slice_format = random.below(2) == 0 ? FormatId::F16 : FormatId::BF16;
  }
  contract.wider = random.below(2) == 0;
  if (formats.factors == FormatId::F32) contract.multiplicand = contract::Multiplicand::Tf32NearestEven;
  if (random.below(3) == 0) contract.zero_sign = contract::ZeroSign::Ieee;
  if (random.below(4) == 0) contract.alpha = contract::AlphaPlace::Epilogue;
  if (random.below(4) == 0) contract.beta = contract::BetaPlace::Epilogue;
  if (random.below(6) == 0) contract.subnormal_results = contract::Subnormals::Either;
  if (random.below(6) == 0) contract.overflow = contract::OverflowPolicy::Either;
  return contract;
}

TEST(ScreenOfTensorCores, WhatPassesIsPermitted) {
  const Random all(20261124);
  std::uint64_t words = 0, permitted = 0, passed = 0, decided = 0, elements = 0, vacuous = 0;
  for (std::uint64_t n = 0; n < 6000; ++n) {
    Random random = all.split(n);
    const Formats& formats = kFormats[random.below(std::size(kFormats))];
    const operation::Case value = draw_case(random, formats);
    const contract::Contract contract = draw_contract(random, formats);
    const auto oracle = Oracle::make(value, contract);
    if (!oracle.ok()) continue;  // A unit that does not take the format.
    const auto screen = screen_of(value, contract);
    if (screen == nullptr) continue;
    const std::int64_t outputs =
        operation::output_specs(value.operation)[0].shape[1] * operation::output_specs(value.operation)[0].shape[2];
    for (std::int64_t i = 0; i < outputs; ++i, ++elements) {
      const Permitted set = oracle->permitted(i);
      vacuous += set.vacuous ? 1 : 0;
      for (const std::uint64_t word : words_near(random, set)) {
        const bool passes = screen->settle(i, word).passes;
        ++words;
        permitted += set.contains(word) ? 1 : 0;
        passed += passes ? 1 : 0;
        ASSERT_TRUE(!passes || set.contains(word)) << n << " element " << i << " word " << std::hex << word << "\n"
                                                   << contract::to_json(contract) << "\n"
                                                   << oracle->explain(i);
        if (passes && screen->decides(i)) {
          ++decided;
          ASSERT_FALSE(set.vacuous) << n << " element " << i << "\n"
                                    << contract::to_json(contract) << "\n"
                                    << oracle->explain(i);
        }
      }
    }
  }
  std::cout << "           " << elements << " elements, " << words << " words, " << permitted << " permitted, "
            << passed << " passed, " << decided << " known not to be vacuous\n";
  EXPECT_GT(passed, permitted / 4);
  EXPECT_GT(decided, passed / 2);
  EXPECT_GT(vacuous, 0u);
}

TEST(ScreenOfTensorCores, LeavesFewOrdinaryElementsOpen) {
  Random random(7);
  operation::Gemm gemm;
  gemm.m = gemm.n = 64;
  gemm.k = 512;
  gemm.a = gemm.b = FormatId::F16;
  gemm.d = FormatId::F16;
  operation::Case value;
  value.operation = gemm;
  const auto tensor = [&](std::vector<std::int64_t> shape) {
    tensor::Tensor result(FormatId::F16, std::move(shape));
    for (std::int64_t i = 0; i < result.element_count(); ++i) {
      double normal = -6;
      for (int j = 0; j < 12; ++j) normal += static_cast<double>(random.below(1 << 20)) * 0x1p-20;
      result.set(i, number::from_double(result.format(), normal));
    }
    return result;
  };
  value.tensors.emplace("a", tensor({1, 64, 512}));
  value.tensors.emplace("b", tensor({1, 512, 64}));
  value.tensors.emplace("c", tensor::Tensor(FormatId::F16, {1, 64, 64}));
  contract::Contract contract;
  contract.tensor_core = TensorCore::May;
  const auto oracle = Oracle::make(value, contract);
  const auto screen = screen_of(value, contract);
  std::int64_t open = 0;
  for (std::int64_t i = 0; i < 64 * 64; ++i) open += screen->settle(i, *oracle->exact(i)).passes ? 0 : 1;
  EXPECT_LT(open, 64 * 64 / 100);
}

// 2^-24 * 1 aligns at 2^-14, and what 2,000 products may lose there is more than half of the sum.
TEST(ScreenOfTensorCores, SubnormalFactorsDecideNothing) {
  constexpr std::int64_t kTerms = 2000;
  operation::Gemm gemm;
  gemm.m = gemm.n = 1;
  gemm.k = kTerms;
  gemm.a = gemm.b = FormatId::F16;
  operation::Case value;
  value.operation = gemm;
  tensor::Tensor a(FormatId::F16, {1, 1, kTerms}), b(FormatId::F16, {1, kTerms, 1});
  for (std::int64_t i = 0; i < kTerms; ++i) {
    a.set(i, 0x0001);
    b.set(i, i == 0 ? 0x3c00 : 0x0001);
  }
  value.tensors.emplace("a", std::move(a));
  value.tensors.emplace("b", std::move(b));
  value.tensors.emplace("c", tensor::Tensor(FormatId::F32, {1, 1, 1}));
  contract::Contract contract;
  contract.tensor_core = TensorCore::Only;
  const auto oracle = Oracle::make(value, contract);
  ASSERT_TRUE(oracle->permitted(0).vacuous) << oracle->explain(0);
  EXPECT_FALSE(screen_of(value, contract)->decides(0));
}

/// Sets of few products are enumerated in milliseconds: what kernels give is known without them.
class ScreenOfFewProducts : public ::testing::TestWithParam<tensor_core::Kernel> {};

TEST_P(ScreenOfFewProducts, SettlesStepsAndOrdinaryChains) {
  const tensor_core::Kernel& kernel = GetParam();
  const FormatId factors = tensor_core::factor_format(kernel);
  const Random all(20261130);
  int by_steps = 0, by_chains = 0;
  constexpr int kSums = 200;
  for (std::uint64_t n = 0; n < kSums; ++n) {
    Random random = all.split(n);
    // 2 to 4 products among 40 values of k.
    std::vector<double> a(40), b(40);
    for (std::int64_t left = random.between(2, 4); left > 0; --left) {
      const std::size_t k = random.below(40);
      a[k] = tensor_core::fl(factors, draw(random, factors, 3, -30));
      b[k] = tensor_core::fl(factors, draw(random, factors, 3, -30));
    }
    operation::Gemm gemm;
    gemm.a = gemm.b = kernel.factors;
    gemm.d = kernel.held;
    const operation::Case value = tensor_core::one_element(gemm, a, b, 0);
    const number::Format& format = number::format(kernel.held);
    contract::Contract contract;
    contract.multiplicand = kernel.multiplicand;
    contract.accumulate = kernel.held;
    contract.wider = false;
    contract.unit = kernel.unit;
    const auto settles = [&](double sum) {
      return screen_of(value, contract)->settle(0, number::from_double(format, sum)).passes;
    };
    contract.tensor_core = TensorCore::Only;
    by_steps += settles(tensor_core::slice(kernel.machine, a, kernel.shape, b, kernel.shape, 0)) ? 1 : 0;
    contract.tensor_core = TensorCore::May;
    double chain = 0;
    for (std::size_t k = 0; k < a.size(); ++k) chain = tensor_core::fl(kernel.held, a[k] * b[k] + chain);
    by_chains += settles(chain) ? 1 : 0;
  }
  // Subnormal factors are not aligned alike by all.
  EXPECT_GT(by_steps, kSums * 9 / 10);
  EXPECT_EQ(by_chains, kSums);
}

/// An emulated product is an addition to nearest behind its steps.
std::vector<tensor_core::Kernel> kernels_of_steps() {
  std::vector<tensor_core::Kernel> kernels;
  for (const tensor_core::Kernel& kernel : tensor_core::kKernels) {
    if (!kernel.emulated) kernels.push_back(kernel);
  }
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(Units, ScreenOfFewProducts, ::testing::ValuesIn(kernels_of_steps()),
                         [](const auto& shown) { return std::string(shown.param.name); });

}  // namespace
}  // namespace negzero::oracle
