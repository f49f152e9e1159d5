// Contracts drawn field by field: what the screen lets pass is permitted, and `may` permits what `no` and `only` do.

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/screen.hpp>

#include "../screen_of.hpp"
#include "words_near.hpp"

namespace negzero::oracle {
namespace {

using base::Random;
using contract::TensorCore;
using number::FormatId;

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

template <class T, std::size_t Count>
T one_of(Random& random, const T (&values)[Count]) {
  return values[random.below(Count)];
}

/// How the elements of one tensor are drawn.
struct Style {
  int center, spread, grid;
  bool specials;
};

Style draw_style(Random& random, const number::Format& format) {
  constexpr int kGrids[] = {-2, -3, -9, -40, -200};
  Style style{};
  style.grid = one_of(random, kGrids);
  style.spread = random.below(2) == 0 ? 2 : 14;
  const auto place = random.below(8);
  if (place == 0) style.center = format.max_exponent();
  if (place == 1) style.center = format.min_normal_exponent() + 2;
  if (place < 2) style.grid = -200;
  style.specials = random.below(6) == 0;
  return style;
}

std::uint64_t draw(Random& random, const number::Format& format, const Style& style) {
  const auto pick = random.below(48);
  if (style.specials && pick < 2) return pick == 0 ? number::infinity(format) : number::canonical_nan(format);
  if (pick < 6) return number::zero(format, random.below(2) == 0);
  const double sign = random.below(2) == 0 ? 1 : -1;
  if (pick == 6) return number::from_double(format, sign * std::ldexp(1.0, format.eta_exponent()));
  const double value =
      std::ldexp(1 + static_cast<double>(random.below(1 << 12)) * 0x1p-12,
                 style.center - static_cast<int>(random.below(static_cast<std::uint64_t>(style.spread))));
  const double kept = style.grid < -100 ? value : std::ldexp(std::round(std::ldexp(value, -style.grid)), style.grid);
  number::EncodeOptions options;
  options.overflow = number::Overflow::Saturate;
  return number::from_double(format, sign * kept, options);
}

operation::Scalar draw_scalar(Random& random, double usual) {
  constexpr FormatId kScalars[] = {FormatId::F32, FormatId::F32, FormatId::F32, FormatId::F16, FormatId::F64};
  constexpr double kValues[] = {-1,       1.7,  -0.75,    2,         0,   -0.0,    0x1p-20,
                                0x1.8p10, 3e-5, HUGE_VAL, -HUGE_VAL, NAN, 0x1p-24, 1 + 0x1p-23};
  const FormatId id = one_of(random, kScalars);
  const double value = random.below(2) == 0 ? usual : one_of(random, kValues);
  return {id, number::from_double(number::format(id), value)};
}

constexpr FormatId kFactorsOf[] = {FormatId::F16,     FormatId::F16,     FormatId::BF16,
                                   FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F32};
constexpr FormatId kOutputs[] = {FormatId::F32,  FormatId::F32,     FormatId::F16,
                                 FormatId::BF16, FormatId::F8_E4M3, FormatId::F8_E5M2};

operation::Case draw_case(Random& random) {
  operation::Gemm gemm;
  gemm.batch = random.between(1, 2);
  gemm.m = random.between(1, 2);
  gemm.n = random.between(1, 3);
  gemm.k = random.below(3) == 0 ? random.between(0, 6) : random.between(7, 100);
  gemm.a = gemm.b = one_of(random, kFactorsOf);
  if (gemm.a == FormatId::F8_E4M3 && random.below(3) == 0) gemm.b = FormatId::F8_E5M2;
  gemm.d = one_of(random, kOutputs);
  gemm.alpha = draw_scalar(random, 1);
  gemm.beta = draw_scalar(random, random.below(2) == 0 ? 0 : 1);
  operation::Case value;
  value.operation = gemm;
  const auto tensor = [&](FormatId id, std::vector<std::int64_t> shape) {
    tensor::Tensor result(id, std::move(shape));
    const Style style = draw_style(random, result.format());
    for (std::int64_t i = 0; i < result.element_count(); ++i) result.set(i, draw(random, result.format(), style));
    return result;
  };
  value.tensors.emplace("a", tensor(gemm.a, {gemm.batch, gemm.m, gemm.k}));
  value.tensors.emplace("b", tensor(gemm.b, {gemm.batch, gemm.k, gemm.n}));
  value.tensors.emplace("c", tensor(gemm.d, {gemm.batch, gemm.m, gemm.n}));
  return value;
}

/// Every field that a GEMM on tensor cores may have; some that contradict each other.
contract::Contract draw_contract(Random& random, FormatId factors) {
  using namespace contract;
  constexpr Subnormals kPolicies[] = {Subnormals::Keep, Subnormals::Flush, Subnormals::Either};
  constexpr number::Rounding kRoundings[] = {number::Rounding::NearestEven, number::Rounding::TowardZero,
                                             number::Rounding::Up, number::Rounding::Down};
  constexpr FormatId kScalars[] = {FormatId::F32, FormatId::F16, FormatId::F64, FormatId::BF16};
  Contract contract;
  contract.accumulate = factors == FormatId::F16 && random.below(2) == 0 ? FormatId::F16 : FormatId::F32;
  contract.tensor_core = random.below(2) == 0 ? TensorCore::May : TensorCore::Only;
  if (random.below(2) == 0) contract.unit = static_cast<negzero::contract::Unit>(random.below(7));
  contract.slices = static_cast<std::int64_t>(random.below(3));
  if (random.below(3) == 0) contract.slice_format = random.below(2) == 0 ? FormatId::F16 : FormatId::BF16;
  contract.wider = random.below(2) == 0;
  if (factors == FormatId::F32) contract.multiplicand = static_cast<Multiplicand>(random.between(1, 7));
  if (factors == FormatId::F16 && random.below(3) == 0) contract.multiplicand = Multiplicand::F16;
  const auto rarely = [&] { return random.below(4) == 0; };
  if (rarely()) contract.zero_sign = ZeroSign::Ieee;
  if (rarely()) contract.contraction = static_cast<Contraction>(random.below(3));
  if (rarely()) contract.start = static_cast<Start>(random.below(4));
  if (rarely()) contract.alpha = static_cast<AlphaPlace>(random.below(3));
  if (rarely()) contract.beta = static_cast<BetaPlace>(random.below(3));
  if (rarely()) contract.scalar_format = one_of(random, kScalars);
  if (random.below(8) == 0) contract.intermediate.push_back({FormatId::F16, one_of(random, kRoundings)});
  if (rarely()) contract.intermediate_at = IntermediateAt::Sum;
  if (rarely()) contract.output_rounding = one_of(random, kRoundings);
  if (rarely()) contract.subnormal_inputs = one_of(random, kPolicies);
  if (rarely()) contract.subnormal_results = one_of(random, kPolicies);
  if (rarely()) contract.overflow = static_cast<OverflowPolicy>(random.below(4));
  if (random.below(8) == 0) contract.reads_a_b_at_alpha_zero = true;
  if (random.below(8) == 0) contract.reads_c_at_beta_zero = true;
  return contract;
}

TEST(ContractsOnTensorCores, HoldTogether) {
  const Random all(setting("NEGZERO_TENSOR_CORE_SEED", 1));
  std::uint64_t words = 0, permitted = 0, passed = 0, decided = 0, compared = 0;
  for (std::uint64_t n = 0; n < setting("NEGZERO_TENSOR_CORE_CONTRACTS", 4000); ++n) {
    Random random = all.split(n);
    const operation::Case value = draw_case(random);
    contract::Contract contract = draw_contract(random, value.tensors.at("a").format_id());
    const auto oracle = Oracle::make(value, contract);
    if (!oracle.ok()) continue;  // A contradiction, or a unit that does not take the format.
    const auto screen = screen_of(value, contract);
    contract::Contract other = contract;
    other.tensor_core = contract.tensor_core == TensorCore::Only ? TensorCore::May : TensorCore::No;
    if (other.tensor_core == TensorCore::No) {
      other.unit = contract::Unit::Any;
      if (!contract.slice_format) other.slices = 0;
    }
    const auto second = Oracle::make(value, other);
    ASSERT_TRUE(second.ok()) << second.error().message;
    const bool is_may = contract.tensor_core == TensorCore::May;
    const auto& wide = is_may ? *oracle : *second;
    const auto& narrow = is_may ? *second : *oracle;
    const std::int64_t outputs = value.tensors.at("c").element_count();
    for (std::int64_t i = 0; i < outputs; ++i) {
      const Permitted set = oracle->permitted(i), outer = wide.permitted(i), inner = narrow.permitted(i);
      const auto about = [&] {
        return std::to_string(n) + " element " + std::to_string(i) + "\n" + contract::to_json(contract) + "\n" +
               oracle->explain(i) + "\n" + second->explain(i);
      };
      std::vector<std::uint64_t> tried = words_near(random, set);
      for (const std::uint64_t word : words_near(random, inner)) tried.push_back(word);
      for (const std::uint64_t word : tried) {
        ++words;
        permitted += set.contains(word) ? 1 : 0;
        compared += inner.contains(word) ? 1 : 0;
        // Zero may lie between two ranges of `no` without being in either; then either zero is in their hull.
        const bool between =
            number::is_zero(number::format(set.format), word) && inner.low.sign() < 0 && inner.high.sign() > 0;
        ASSERT_TRUE(!inner.contains(word) || outer.contains(word) || between) << std::hex << word << " " << about();
        if (screen == nullptr) continue;
        const bool passes = screen->settle(i, word).passes;
        passed += passes ? 1 : 0;
        ASSERT_TRUE(!passes || set.contains(word)) << "screen " << std::hex << word << " " << about();
        if (!passes || !screen->decides(i)) continue;
        ++decided;
        ASSERT_FALSE(set.vacuous) << "screen, vacuous " << about();
      }
    }
  }
  std::cout << "           " << words << " words, " << permitted << " permitted, " << passed << " passed, " << decided
            << " known not to be vacuous; " << compared << " of narrower contracts\n";
  EXPECT_GT(passed, 0u);
  EXPECT_GT(decided, 0u);
  EXPECT_GT(compared, words / 8);
}

}  // namespace
}  // namespace negzero::oracle
