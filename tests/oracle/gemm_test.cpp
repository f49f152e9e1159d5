// alpha, beta, C and K = 0: where they act, what is read, what they permit.

#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using namespace testing;
using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contract;
using contract::Contraction;
using contract::IntermediateAt;
using contract::Order;
using contract::Start;
using contract::ZeroSign;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dot f16_dot(const std::vector<double>& a, const std::vector<double>& b) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F16};
  dot.a = words(FormatId::F16, a);
  dot.b = words(FormatId::F16, b);
  return dot;
}

std::string set_of(const Dot& dot, const Contract& contract) { return permitted(dot_case(dot), contract).to_string(); }

TEST(Reads, BetaZeroIgnoresC) {
  for (const double beta : {0.0, -0.0}) {
    Dot dot = f16_dot({1}, {2});
    dot.beta = f32(beta);
    dot.c = 0x7e00;
    EXPECT_EQ(set_of(dot, {}), "2 (0x4000)");
    Contract reads;
    reads.reads_c_at_beta_zero = true;
    EXPECT_EQ(set_of(dot, reads), "nan");
  }
}

TEST(Reads, AlphaZeroIgnoresAAndB) {
  for (const double alpha : {0.0, -0.0}) {
    Dot dot = f16_dot({kNotANumber}, {2});
    dot.alpha = f32(alpha);
    dot.beta = f32(2);
    dot.c = word(FormatId::F16, 3);
    const Permitted set = permitted(dot_case(dot), {});
    EXPECT_EQ(set.to_string(), "6 (0x4600)");
    EXPECT_EQ(set.rule, verdict::Rule("gemm.alpha_zero"));
    Contract reads;
    reads.reads_a_b_at_alpha_zero = true;
    EXPECT_EQ(set_of(dot, reads), "nan");
  }
}

TEST(KZero, IsBetaTimesC) {
  Dot dot = f16_dot({}, {});
  dot.alpha = f32(kNotANumber);  // not used
  dot.beta = f32(2);
  dot.c = word(FormatId::F16, 3);
  EXPECT_EQ(set_of(dot, {}), "6 (0x4600)");
  EXPECT_EQ(permitted(dot_case(dot), {}).rule, verdict::Rule("gemm.k_zero"));
  dot.beta = f32(0);
  dot.c = 0x7e00;
  Contract ieee;
  ieee.zero_sign = ZeroSign::Ieee;
  EXPECT_EQ(set_of(dot, ieee), "0 (0x0000)");
  dot.beta = f32(kNotANumber);
  EXPECT_EQ(set_of(dot, ieee), "nan");
}

TEST(KZero, AtBetaOneGivesCsBits) {
  Contract ieee;
  ieee.zero_sign = ZeroSign::Ieee;
  Dot dot = f16_dot({}, {});
  dot.beta = f32(1);
  for (const std::uint64_t c : {0x8000u, 0x0000u, 0x0001u, 0x3c01u, 0x7c00u}) {
    dot.c = c;
    const Permitted set = permitted(dot_case(dot), ieee);
    EXPECT_TRUE(set.contains(c)) << c;
    EXPECT_FALSE(set.contains(c ^ 0x8000)) << c;
  }
  dot.c = 0x7e01;
  EXPECT_EQ(set_of(dot, ieee), "nan");  // may be quieted
}

TEST(Formula, IsEvaluatedAtKZero) {
  Contract formula;
  formula.scalars = contract::Scalars::Formula;
  formula.zero_sign = ZeroSign::Ieee;
  const auto at = [&](double alpha, double beta, double c) {
    Dot dot = f16_dot({}, {});
    dot.alpha = f32(alpha);
    dot.beta = f32(beta);
    dot.c = word(FormatId::F16, c);
    return set_of(dot, formula);
  };
  EXPECT_EQ(at(kNotANumber, 2, 3), "nan");
  EXPECT_EQ(at(-kInfinity, 2, 3), "nan");
  EXPECT_EQ(at(3, 2, 3), "6 (0x4600)");
  EXPECT_EQ(at(3, 1, kInfinity), "+inf");
  EXPECT_EQ(at(3, 0, kInfinity), "nan") << "0 * Inf";
  EXPECT_EQ(at(3, 0, -1), "0 (0x0000)") << "+0 and -0 add up to +0";
  EXPECT_EQ(at(-3, 0, -1), "-0 (0x8000)") << "-3 * 0 is -0, and so is 0 * -1";
  formula.alpha = AlphaPlace::Operand;
  EXPECT_EQ(at(kNotANumber, 2, 3), "6 (0x4600)") << "no operand has alpha in it";
  formula.alpha = AlphaPlace::Partial;
  EXPECT_EQ(at(kNotANumber, 2, 3), "nan");
}

TEST(Formula, ReadsWhatZerosMultiply) {
  Contract formula, reads;
  formula.scalars = contract::Scalars::Formula;
  reads.reads_a_b_at_alpha_zero = reads.reads_c_at_beta_zero = true;
  for (const double alpha : {0.0, -0.0, 1.0, 2.0}) {
    for (const double beta : {0.0, -0.0, 1.0, 3.0}) {
      for (const double x : {1.0, kInfinity, kNotANumber}) {
        Dot dot = f16_dot({x}, {2});
        dot.alpha = f32(alpha);
        dot.beta = f32(beta);
        dot.c = word(FormatId::F16, 1 / x);
        EXPECT_EQ(set_of(dot, formula), set_of(dot, reads)) << alpha << " " << beta << " " << x;
        EXPECT_EQ(set_of(dot, formula) == "nan", x != x || (alpha == 0 && x == kInfinity));
      }
    }
  }
}

TEST(WiderC, IsReadWithAllItsBits) {
  Dot dot = f16_dot({1}, {1});
  dot.c_format = FormatId::F32;
  dot.beta = f32(1);
  dot.c = word(FormatId::F32, 2049);
  EXPECT_EQ(set_of(dot, {}), "2050 (0x6801)")
      << "2049 is no F16: rounded to 2048 first, the sum would be 2049 and so 2048";
  dot.beta = f32(2);
  dot.c = word(FormatId::F32, 1024.25);
  EXPECT_EQ(set_of(dot, {}), "2050 (0x6801)") << "2049.5: in F16 2 * 1024 + 1 = 2049, half way to 2048";
}

TEST(WiderC, AtKZeroAndBetaOneIsRoundedOnce) {
  Dot dot = f16_dot({}, {});
  dot.c_format = FormatId::F32;
  dot.beta = f32(1);
  const auto at = [&](double c, Contract contract = {}) {
    dot.c = word(FormatId::F32, c);
    return set_of(dot, contract);
  };
  EXPECT_EQ(at(1 + 0x1p-11), "1 (0x3c00)") << "a tie goes to the even neighbour";
  EXPECT_EQ(at(1 + 0x1p-11 + 0x1p-23), "1.001 (0x3c01)");
  Contract ieee, saturates;
  ieee.overflow = contract::OverflowPolicy::Ieee;
  saturates.overflow = contract::OverflowPolicy::Saturate;
  EXPECT_EQ(at(65519, ieee), "65504 (0x7bff)");
  EXPECT_EQ(at(65520, ieee), "+inf");
  EXPECT_EQ(at(65520, saturates), "65504 (0x7bff)");
}

TEST(NarrowerC, IsReadInItsOwnFormat) {
  Dot dot{.factors = FormatId::F16, .d = FormatId::F32};
  dot.a = words(FormatId::F16, {1});
  dot.b = words(FormatId::F16, {2});
  dot.c_format = FormatId::F8_E4M3;
  dot.beta = f32(3);
  dot.c = word(FormatId::F8_E4M3, 448);
  EXPECT_EQ(set_of(dot, {}), "1346 (0x44a84000)");
}

TEST(Alpha, InTheEpilogueOverflowsBeforeItScales) {
  // 65504 + 65504 is Inf although 2^-4 would bring it back.
  Dot dot = f16_dot({65504, 65504}, {1, 1});
  dot.alpha = f32(0x1p-4);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_EQ(set_of(dot, contract), "+inf");
  contract.alpha = AlphaPlace::Operand;
  EXPECT_EQ(set_of(dot, contract), "8188 (0x6fff)");
  contract.alpha = AlphaPlace::Any;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(0x6fff));
  EXPECT_TRUE(permitted(dot_case(dot), contract).plus_infinity);
}

TEST(Alpha, OverflowsAfterItScales) {
  Dot dot = f16_dot({32768, 16384}, {1, 1});
  dot.alpha = f32(2);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_EQ(set_of(dot, contract), "+inf");
}

TEST(Alpha, RoundsOnceInTheEpilogueAndOncePerTermInAnOperand) {
  // 3 (2048 + 1027) in F16: the sum 3075 rounds to 3076, 9228 to 9232. Folded: 6144 + 3081 -> 3080 = 9224.
  Dot dot = f16_dot({2048, 1027}, {1, 1});
  dot.alpha = f32(3);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(9232));
  contract.alpha = AlphaPlace::Operand;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(9224));
  contract.alpha = AlphaPlace::Any;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(9224, 9232));
  contract.alpha = AlphaPlace::Partial;
  EXPECT_TRUE(permitted(dot_case(dot), contract).contains(word(FormatId::F16, 9224)));
}

TEST(Alpha, InfiniteMeetsTheSignOfTheSum) {
  Dot dot = f16_dot({1}, {-2});
  dot.alpha = f32(kInfinity);
  Contract contract = accumulating(FormatId::F32);
  EXPECT_EQ(set_of(dot, contract), "-inf");
  dot.a = dot.b = words(FormatId::F16, {0});
  EXPECT_EQ(set_of(dot, contract), "nan");
  // 0 inside [s - B, s + B]: either infinity, and NaN.
  dot.factors = dot.d = FormatId::F32;
  dot.a = words(FormatId::F32, {0.1, 0.2, -0.3, 0.7, -0.7, 0.9, -0.9, 1.1, -1.1});
  dot.b = words(FormatId::F32, std::vector<double>(9, 0.1));
  contract.alpha = AlphaPlace::Epilogue;
  const Permitted set = permitted(dot_case(dot), contract);
  EXPECT_TRUE(set.plus_infinity && set.minus_infinity && set.nan);
  EXPECT_FALSE(set.finite);
}

TEST(Alpha, NanGivesNan) {
  Dot dot = f16_dot({1}, {-2});
  dot.alpha = f32(kNotANumber);
  EXPECT_EQ(set_of(dot, {}), "nan");
}

TEST(Beta, AsALeafMayAbsorbTheSum) {
  // c = 2048 and five ones: started at C the chain stays at 2048; 2048 + 5 = 2053 rounds to 2052.
  Dot dot = f16_dot({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1});
  dot.beta = f32(1);
  dot.c = word(FormatId::F16, 2048);
  Contract contract = accumulating(FormatId::F16);
  contract.beta = BetaPlace::Epilogue;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2052));
  contract.beta = BetaPlace::Leaf;
  const Permitted leaf = permitted(dot_case(dot), contract);
  EXPECT_TRUE(leaf.contains(word(FormatId::F16, 2048)));
  EXPECT_TRUE(leaf.contains(word(FormatId::F16, 2052)));
  EXPECT_FALSE(leaf.contains(word(FormatId::F16, 2046)));
  contract.order = Order::Ascending;
  contract.start = Start::C;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2048));
  contract.start = Start::PlusZero;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2052));
}

TEST(Beta, IsAFactorThoughCBeOne) {
  // beta = 2^-11 + 2^-30 is no F16: rounded apart it is 2^-11, and 1 + 2^-11 is a tie that goes to 1.
  Dot dot = f16_dot({1}, {1});
  dot.beta = f32(0x1p-11 + 0x1p-30);
  dot.c = word(FormatId::F16, 1);
  Contract contract = accumulating(FormatId::F16);
  contract.beta = BetaPlace::Leaf;
  contract.contraction = Contraction::Separate;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1));
  contract.contraction = Contraction::Either;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(1, 1 + 0x1p-10));
}

TEST(Epilogue, FusesOneOfTheTwoProducts) {
  // beta c = (1 + 2^-10)(1 - 2^-10) = 1 - 2^-20: separately it rounds to 1, and 2050 + 1 is a tie that goes to 2052.
  Dot dot = f16_dot({2050}, {1});
  dot.beta = f32(1 + 0x1p-10);
  dot.c = word(FormatId::F16, 1 - 0x1p-10);
  Contract contract = accumulating(FormatId::F16);
  contract.beta = BetaPlace::Epilogue;
  contract.contraction = Contraction::Separate;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2052));
  contract.contraction = Contraction::Fused;  // or alpha's product is the fused one, though alpha is 1
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2050, 2052));
}

TEST(Epilogue, RunsInTheDeclaredScalarFormat) {
  // F16 accumulator, F32 scalars: 2049 exists in F32 only.
  Dot dot{.factors = FormatId::F16, .d = FormatId::F32};
  dot.a = words(FormatId::F16, {683});
  dot.b = words(FormatId::F16, {1});
  dot.alpha = f32(3);
  Contract contract = accumulating(FormatId::F16);
  contract.alpha = AlphaPlace::Epilogue;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2048));
  contract.scalar_format = FormatId::F32;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2049));
  dot.alpha = f32(1 + 0x1p-12);  // 1 in F16
  contract.scalar_format = FormatId::F16;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(683));
}

TEST(Intermediate, StandsOnTheSumOrOnTheResult) {
  // Fault G24: round_F16(2049) + 1 = 2049, round_F16(2049 + 1) = 2050.
  Dot dot{.factors = FormatId::F32, .d = FormatId::F32};
  dot.a = words(FormatId::F32, {2049});
  dot.b = words(FormatId::F32, {1});
  dot.beta = f32(1);
  dot.c = word(FormatId::F32, 1);
  Contract contract = accumulating(FormatId::F32);
  contract.beta = BetaPlace::Epilogue;
  contract.intermediate = {{FormatId::F16, number::Rounding::NearestEven}};
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2050));
  contract.intermediate_at = IntermediateAt::Sum;
  EXPECT_THAT(finite_values(permitted(dot_case(dot), contract)), ElementsAre(2049));
}

TEST(Elements, AreFoundInBatchesAndColumns) {
  operation::Case value;
  value.operation = operation::Gemm{.batch = 2, .m = 2, .n = 3, .k = 2};
  std::vector<double> a(8), b(12);
  for (std::size_t i = 0; i < 8; ++i) a[i] = static_cast<double>(i + 1);
  for (std::size_t i = 0; i < 12; ++i) b[i] = static_cast<double>(i + 1);
  value.tensors.emplace("a", tensor_of(FormatId::F32, {2, 2, 2}, words(FormatId::F32, a)));
  value.tensors.emplace("b", tensor_of(FormatId::F32, {2, 2, 3}, words(FormatId::F32, b)));
  value.tensors.emplace("c", tensor_of(FormatId::F32, {2, 2, 3}, Words(12)));
  const Contract contract;
  const auto oracle = Oracle::make(value, contract);
  ASSERT_TRUE(oracle.ok());
  for (std::int64_t e = 0; e < 12; ++e) {
    const auto batch = static_cast<std::size_t>(e / 6), i = static_cast<std::size_t>(e / 3 % 2),
               j = static_cast<std::size_t>(e % 3);
    double sum = 0;
    for (std::size_t k = 0; k < 2; ++k) sum += a[batch * 4 + i * 2 + k] * b[batch * 6 + k * 3 + j];
    EXPECT_THAT(finite_values(oracle->permitted(e)), ElementsAre(sum)) << e;
  }
}

TEST(Integers, WrapOrClamp) {
  Dot dot{.factors = FormatId::I32, .d = FormatId::I32};
  dot.alpha = {FormatId::I32, 1};
  dot.beta = {FormatId::I32, 0};
  dot.a = {0x7fffffff, 2};
  dot.b = {1, 1};
  Contract contract = accumulating(FormatId::I32);
  Permitted set = permitted(dot_case(dot), contract);
  EXPECT_EQ(set.low, -2147483647);
  EXPECT_EQ(set.high, -2147483647);
  EXPECT_EQ(set.rule, verdict::Rule("integer.wrap"));
  contract.integer_overflow = contract::IntegerOverflow::Saturate;
  EXPECT_EQ(permitted(dot_case(dot), contract).low, 2147483647);
  dot.a.push_back(static_cast<std::uint32_t>(-10));
  dot.b.push_back(1);
  set = permitted(dot_case(dot), contract);  // the order decides: 2147483637 if clamped first, 2147483639 if not
  EXPECT_EQ(set.low, 2147483637);
  EXPECT_EQ(set.high, 2147483639);
  contract.order = Order::Ascending;
  EXPECT_EQ(permitted(dot_case(dot), contract).high, 2147483637);
  dot.alpha = {FormatId::I32, 3};
  dot.a = {0x40000000};
  dot.b = {2};
  contract = accumulating(FormatId::I32);
  EXPECT_EQ(permitted(dot_case(dot), contract).low, static_cast<std::int32_t>(0x80000000u * 3));
}

TEST(Make, RefusesWhatDoesNotFit) {
  const auto error = [](const operation::Case& value, const Contract& contract, const Options& options = {}) {
    const auto oracle = Oracle::make(value, contract, options);
    return oracle.ok() ? std::string() : oracle.error().message;
  };
  const auto value = dot_case(f16_dot({1}, {1}));
  EXPECT_THAT(error(value, accumulating(FormatId::I32)), HasSubstr("integers and floating point do not mix"));
  Contract model;
  model.order = Order::Model;
  model.model = "hopper.wgmma.f8";
  EXPECT_THAT(error(value, model), HasSubstr("hopper.wgmma.f8"));
  model.model.clear();
  EXPECT_THAT(error(value, model), HasSubstr("needs the field model"));
  EXPECT_THAT(error(value, {}, {.exact = "abacus"}), HasSubstr("multiprecision"));
  EXPECT_EQ(error(value, {}, {.exact = "multiprecision"}), "");
}

TEST(Wider, ASumMayBeStoredToTheDeclaredAccumulatorFirst) {
  // fl32(fl64(s)) + c is 41403d6d; neither F32 nor F64 throughout reaches it.
  Dot dot;
  dot.a = {0xbebfa9a8, 0xc0a153ba};
  dot.b = {0xbff90f9f, 0xbfecbc97};
  dot.beta = f32(1);
  dot.c = 0x3ffb2f46;
  const Permitted set = permitted(dot_case(dot), {});
  EXPECT_TRUE(set.contains(0x41403d6c));
  EXPECT_TRUE(set.contains(0x41403d6d));
  Contract narrow;
  narrow.wider = false;
  EXPECT_FALSE(permitted(dot_case(dot), narrow).contains(0x41403d6d));
}

TEST(Multiplicands, ATruncatedNanMayBecomeAnInfinity) {
  Dot dot;
  dot.a = {0x3f800000};
  dot.b = {0xff800001};  // The payload lies below TF32's fraction.
  Contract contract;
  contract.multiplicand = contract::Multiplicand::Tf32Truncate;
  const Permitted cut = permitted(dot_case(dot), contract);
  EXPECT_TRUE(cut.nan && !cut.plus_infinity && cut.minus_infinity && !cut.finite)
      << "it is negative: " << cut.to_string();
  dot.b = {0xff802000};  // The lowest bit that TF32 keeps.
  EXPECT_EQ(set_of(dot, contract), "nan");
  dot.b = {0xff800001, 0x7fc00000};
  dot.a = {0x3f800000, 0x3f800000};
  EXPECT_EQ(set_of(dot, contract), "nan");
  contract.multiplicand = contract::Multiplicand::Tf32NearestAway;
  dot.a.resize(1);
  dot.b.resize(1);
  EXPECT_EQ(set_of(dot, contract), "nan");
}

}  // namespace
}  // namespace negzero::oracle
