// The enumerator against hand-computed cases and against evaluations written out in the host's own arithmetic.

#include "enumerator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "formats.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

constexpr Starts kAnyStart{true, true};

Machine machine_of(FormatId id, Mode mode = Mode::NearestEven) {
  Machine machine;
  machine.rounder.format = small_format(id);
  machine.rounder.mode = mode;
  return machine;
}

Term value(std::int64_t significand, int exponent = 0) { return {{make_number(significand, exponent)}, false}; }
Term product(std::int64_t significand, int exponent = 0) { return {{make_number(significand, exponent)}, true}; }

TEST(Enumerator, OneTermIsItsRounding) {
  const Machine machine = machine_of(FormatId::F8_E5M2);
  EXPECT_EQ(any_order(machine, std::vector{product(9)}, kAnyStart), Codes{code_of(FormatId::F8_E5M2, 8)});
  EXPECT_EQ(any_order(machine, std::vector<Term>{}, kAnyStart), Codes{0});
}

TEST(Enumerator, ThreeTermsInEveryOrder) {
  // p = 3: (8 + 1) + 1 = 8, 8 + (1 + 1) = 10.
  const Machine machine = machine_of(FormatId::F8_E5M2);
  const Codes got = any_order(machine, std::vector{value(8), value(1), value(1)}, kAnyStart);
  EXPECT_EQ(got, (Codes{code_of(FormatId::F8_E5M2, 8), code_of(FormatId::F8_E5M2, 10)}));
}

TEST(Enumerator, FusedProductsJoinUnrounded) {
  // p = 3, products 9 and 9/8: rounded 8 + 1 = 9 -> 8; 8 + 9/8 = 9.125 -> 10; 1 + 9 = 10.
  Machine machine = machine_of(FormatId::F8_E5M2);
  const std::vector<Term> terms{product(9), product(9, -3)};
  EXPECT_EQ(any_order(machine, terms, kAnyStart),
            (Codes{code_of(FormatId::F8_E5M2, 8), code_of(FormatId::F8_E5M2, 10)}));
  machine.fused = false;
  EXPECT_EQ(any_order(machine, terms, kAnyStart), Codes{code_of(FormatId::F8_E5M2, 8)});
}

TEST(Enumerator, SignsOfZero) {
  const Machine machine = machine_of(FormatId::F16);
  Number minus_zero = make_number(0);
  minus_zero.negative = true;
  const std::vector<Term> zeros{{{minus_zero}, true}, {{minus_zero}, true}};
  EXPECT_EQ(any_order(machine, zeros, {false, true}), Codes{kSignBit});
  EXPECT_EQ(any_order(machine, zeros, {true, false}), Codes{0});
  EXPECT_EQ(any_order(machine, zeros, kAnyStart), (Codes{0, kSignBit}));
  EXPECT_EQ(any_order(machine, std::vector{value(3), value(-3)}, kAnyStart), Codes{0});
  // A tiny negative product joined to +0 rounds to -0; rounded first and then added to +0 it gives +0.
  Machine fused = machine;
  fused.separate = false;
  EXPECT_EQ(ascending(fused, std::vector{product(-1, -60)}, {true, false}, std::nullopt), Codes{kSignBit});
  Machine separate = machine;
  separate.fused = false;
  EXPECT_EQ(ascending(separate, std::vector{product(-1, -60)}, {true, false}, std::nullopt), Codes{0});
}

TEST(Enumerator, CStandsAmongScaledSlicesUnscaled) {
  // p = 3, half of 1 and of 1: beside 4 one half after the other is a tie that goes to 4; together they give 5.
  Machine machine = machine_of(FormatId::F8_E5M2);
  const std::vector<Term> terms{value(1), value(1)};
  const Number half = make_number(1, -1);
  const auto code = [](double x) { return code_of(FormatId::F8_E5M2, x); };
  EXPECT_EQ(scaled_anywhere(machine, terms, kAnyStart, half, std::nullopt), Codes{code(1)});
  EXPECT_EQ(scaled_anywhere(machine, terms, kAnyStart, half, value(4)), (Codes{code(4), code(5)}));
}

TEST(Enumerator, MeansDivideOrMultiply) {
  const Machine machine = machine_of(FormatId::F16);
  const SmallFormat f16 = machine.format();
  const Codes five{code_of(FormatId::F16, 5)};
  EXPECT_EQ(means(machine, five, f16, 3, {true, false}), Codes{code_of(FormatId::F16, 1.6669921875)});
  EXPECT_EQ(means(machine, five, f16, 3, {false, true}), Codes{code_of(FormatId::F16, 1.666015625)});
  // Three times the largest number, where sums have no upper end.
  const Code large = Rounder{f16.raised()}.round(make_number(3 * 65504));
  EXPECT_EQ(means(machine, {large}, f16.raised(), 3, {true, false}), Codes{f16.max_magnitude});
}

TEST(Enumerator, OverflowInSomeOrdersOnly) {
  const Machine machine = machine_of(FormatId::F16);
  const SmallFormat f16 = machine.format();
  const Codes got = any_order(machine, std::vector{value(32768), value(32768), value(-32768)}, kAnyStart);
  EXPECT_EQ(got, (Codes{code_of(FormatId::F16, 32768), f16.infinity()}));
}

TEST(Enumerator, ChainStartedAtC) {
  const Machine machine = machine_of(FormatId::F16);
  const std::vector<Term> ones(5, value(1));
  EXPECT_EQ(ascending(machine, ones, kAnyStart, value(2048)), Codes{code_of(FormatId::F16, 2048)});
}

TEST(Enumerator, EpilogueRoundsEachScaling) {
  const Machine machine = machine_of(FormatId::F8_E5M2);
  const Codes sum{code_of(FormatId::F8_E5M2, 7)};
  // 3 * 7 = 21 -> 20; 3 * 1.5 = 4.5 -> 4; separately 24; fma 21 + 4 = 25 -> 24; fma 20 + 4.5 = 24.5 -> 24.
  EXPECT_EQ(epilogue(machine, sum, make_number(3), make_number(3), {make_number(3, -1)}),
            Codes{code_of(FormatId::F8_E5M2, 24)});
  EXPECT_EQ(epilogue(machine, sum, make_number(1), make_number(1), {}), sum);
  EXPECT_EQ(epilogue(machine, sum, make_number(4, -2), make_number(0), {}), sum);
}

/// Every order and every parenthesisation of `leaves`, one after another, in host arithmetic.
template <typename Float>
void all_trees(const std::vector<Float>& leaves, std::vector<Float>& out) {
  if (leaves.size() == 1) {
    out.push_back(leaves[0]);
    return;
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (std::size_t j = i + 1; j < leaves.size(); ++j) {
      std::vector<Float> rest;
      for (std::size_t k = 0; k < leaves.size(); ++k) {
        if (k != i && k != j) rest.push_back(leaves[k]);
      }
      rest.push_back(leaves[i] + leaves[j]);
      all_trees(rest, out);
    }
  }
}

template <typename Float, typename Bits>
void compare_sums_with_host(FormatId id, int rounds) {
  base::Random random(7);
  Machine machine = machine_of(id);
  machine.fused = false;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Float> leaves;
    std::vector<Term> terms;
    const auto count = 2 + random.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto significand = random.between(-(std::int64_t{1} << (machine.format().precision - 1)),
                                              std::int64_t{1} << (machine.format().precision - 1));
      const int exponent = static_cast<int>(random.between(-machine.format().precision, 2));
      leaves.push_back(static_cast<Float>(std::ldexp(static_cast<double>(significand), exponent)));
      terms.push_back(value(significand, exponent));
    }
    std::vector<Float> host;
    all_trees(leaves, host);
    Codes expected;
    for (const Float x : host) expected.push_back(to_code(id, std::bit_cast<Bits>(x)));
    tidy(expected);
    ASSERT_EQ(any_order(machine, terms, {false, true}), expected) << "round " << round;
  }
}

TEST(Enumerator, AllTreesAgreeWithTheHostInF32) { compare_sums_with_host<float, std::uint32_t>(FormatId::F32, 400); }
#ifdef __FLT16_MAX__
TEST(Enumerator, AllTreesAgreeWithTheHostInF16) { compare_sums_with_host<_Float16, std::uint16_t>(FormatId::F16, 400); }
#endif

TEST(Enumerator, ChainsOfFmaAgreeWithTheHost) {
  base::Random random(8);
  Machine fused = machine_of(FormatId::F32);
  fused.separate = false;
  Machine separate = machine_of(FormatId::F32);
  separate.fused = false;
  const SmallFormat f32 = small_format(FormatId::F32);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Term> terms;
    float chained = 0;
    float added = 0;
    for (int k = 0; k < 5; ++k) {
      const auto a = static_cast<float>(random.uniform() - 0.5);
      const auto b = static_cast<float>(random.uniform() * std::ldexp(1.0, static_cast<int>(random.below(8))));
      chained = std::fma(a, b, chained);
      added = added + a * b;
      terms.push_back({{multiply(f32.decode(to_code(FormatId::F32, std::bit_cast<std::uint32_t>(a))),
                                 f32.decode(to_code(FormatId::F32, std::bit_cast<std::uint32_t>(b))))},
                       true});
    }
    const Code chain = to_code(FormatId::F32, std::bit_cast<std::uint32_t>(chained));
    ASSERT_EQ(ascending(fused, terms, {true, false}, std::nullopt), Codes{chain});
    const Code sum = to_code(FormatId::F32, std::bit_cast<std::uint32_t>(added));
    ASSERT_EQ(ascending(separate, terms, {true, false}, std::nullopt), Codes{sum});
    const Codes all = any_order(machine_of(FormatId::F32), terms, kAnyStart);
    ASSERT_TRUE(std::binary_search(all.begin(), all.end(), chain));
    ASSERT_TRUE(std::binary_search(all.begin(), all.end(), sum));
  }
}

TEST(Enumerator, CompensationRecoversWhatAPlainChainLoses) {
  // F16: 2048 + 1 + 1 + 1 + 1 = 2048 in a chain, 2052 exactly; both compensated sums find it in every permutation.
  const Machine machine = machine_of(FormatId::F16);
  const std::vector<Term> terms{value(2048), value(1), value(1), value(1), value(1)};
  EXPECT_EQ(compensated(machine, terms), Codes{code_of(FormatId::F16, 2052)});
}

TEST(Enumerator, FlushedResultsMayVanish) {
  Machine machine = machine_of(FormatId::F8_E5M2);
  machine.rounder.flush = Flush::Either;
  // 2^-14 - 1.25 * 2^-14 = -2^-16: subnormal, kept or a zero of its sign.
  EXPECT_EQ(any_order(machine, std::vector{value(1, -14), value(-5, -16)}, kAnyStart), (Codes{kSignBit, kSignBit | 1}));
}

}  // namespace
}  // namespace negzero::oracle_cross
