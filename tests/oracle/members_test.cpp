// Contracts that leave the conversion of factors open: their permitted sets are the unions of their members'.

#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/oracle/output.hpp>

#include "build.hpp"

namespace negzero::oracle {
namespace {

using contract::Contract;
using contract::Multiplicand;
using contract::TensorCore;
using ::testing::Contains;
using testing::FormatId;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::word;

Contract rounding(Multiplicand multiplicand) {
  Contract contract = testing::accumulating(FormatId::F32);
  contract.multiplicand = multiplicand;
  return contract;
}

operation::Case product(std::uint64_t a, std::uint64_t b) { return testing::dot_case({.a = {a}, .b = {b}}); }

// a is a tie that rounds down to even, b one that rounds up to it.
constexpr double kA = 1 + 0x1p-11, kB = 1 + 0x3p-11;
constexpr double kTruncated = 1 + 0x1p-10, kEven = 1 + 0x1p-9, kAway = (1 + 0x1p-10) * (1 + 0x1p-9), kExact = kA * kB;

operation::Case ties() { return product(word(FormatId::F32, kA), word(FormatId::F32, kB)); }

TEST(Members, OfOneProductEachIsPermittedAndNothingBetween) {
  const Permitted any = testing::permitted(ties(), rounding(Multiplicand::Tf32Any));
  const Permitted or_exact = testing::permitted(ties(), rounding(Multiplicand::Tf32OrExact));
  for (const double value : {kTruncated, kEven, kAway}) {
    EXPECT_TRUE(any.contains(word(FormatId::F32, value))) << value;
    EXPECT_TRUE(or_exact.contains(word(FormatId::F32, value))) << value;
  }
  EXPECT_FALSE(any.contains(word(FormatId::F32, kExact)));
  EXPECT_TRUE(or_exact.contains(word(FormatId::F32, kExact)));
  // One factor by one conversion and the other by another; and neighbours of each.
  const double mixed[] = {(1 + 0x1p-10) * (1 + 0x1p-10), 1 * kB, kA * (1 + 0x1p-9), 1.0};
  for (const double value : mixed) EXPECT_FALSE(or_exact.contains(word(FormatId::F32, value))) << value;
  for (const double value : {kTruncated, kEven, kAway, kExact}) {
    const number::Format& format = number::format(FormatId::F32);
    EXPECT_FALSE(or_exact.contains(number::next_up(format, word(FormatId::F32, value)))) << value;
    EXPECT_FALSE(or_exact.contains(number::next_down(format, word(FormatId::F32, value)))) << value;
  }
  EXPECT_TRUE(or_exact.has_gaps());
  EXPECT_EQ(or_exact.pieces().size(), 4u);
  EXPECT_EQ(or_exact.rule, verdict::Rule("sum.exact"));
}

TEST(Members, OfFactorsThatTf32HoldsAreOne) {
  const operation::Case value = product(word(FormatId::F32, 1.5), word(FormatId::F32, 3));
  const Permitted set = testing::permitted(value, rounding(Multiplicand::Tf32OrExact));
  EXPECT_FALSE(set.has_gaps());
  EXPECT_FALSE(set.has_gaps());
  EXPECT_EQ(set.to_string(), "4.5 (0x40900000)");
}

// 3 a - b + c is -2^-10 rounded to even, 2^-9 rounded away, and cancels where the factors are cut.
TEST(Members, OnBothSidesOfAZeroLeaveItsSignToTheOneThatGivesIt) {
  const operation::Case value = testing::dot_case(
      {.a = testing::words(FormatId::F32, {kA, kB, -2 + 0x1p-10}), .b = testing::words(FormatId::F32, {3, -1, 1})});
  Contract contract = rounding(Multiplicand::Tf32Any);
  contract.zero_sign = contract::ZeroSign::Ieee;
  const Permitted set = testing::permitted(value, contract);
  ASSERT_EQ(set.pieces().size(), 3u);
  for (const double each : {-0x1p-10, 0.0, 0x1p-9}) EXPECT_TRUE(set.contains(word(FormatId::F32, each))) << each;
  EXPECT_FALSE(set.contains(word(FormatId::F32, -0.0)));
  EXPECT_TRUE(set.plus_zero);
  EXPECT_FALSE(set.minus_zero);
}

TEST(Members, AreAllSaidInWords) {
  const operation::Case value = ties();
  const auto oracle = Oracle::make(value, rounding(Multiplicand::Tf32OrExact));
  const std::string text = oracle->explain(0);
  for (const char* name : {"exact", "tf32_nearest_even", "tf32_nearest_away", "tf32_truncate"}) {
    EXPECT_THAT(text, HasSubstr(std::string("multiplicand ") + name + ": exact 1.00"));
  }
  EXPECT_EQ(text.find("sum.exact:"), text.rfind("sum.exact:"));
  EXPECT_THAT(oracle->permitted(0).to_string(), HasSubstr(" or "));
  EXPECT_EQ(oracle->exact(0), word(FormatId::F32, kExact));
  EXPECT_EQ(oracle->facts(0).result->approximate(), kExact);
}

TEST(Members, AFailureIsMeasuredFromTheNearestOfThem) {
  const operation::Case value = ties();
  const auto judged = [&](double result, bool screen = true) {
    const auto oracle = Oracle::make(value, rounding(Multiplicand::Tf32OrExact), {.screen = screen});
    const tensor::Tensor observed = testing::tensor_of(FormatId::F32, {1, 1, 1}, {word(FormatId::F32, result)});
    return oracle->look({&observed, 1}, {.farthest = true});
  };
  for (const bool screen : {false, true}) {
    EXPECT_EQ(judged(kEven, screen).failed, 0);
    EXPECT_TRUE(judged(kEven, screen).decided);
    EXPECT_EQ(judged(kTruncated, screen).failed, 0);
    const Look look = judged(kEven - 0x1p-23, screen);
    ASSERT_EQ(look.failed, 1);
    EXPECT_EQ(look.worst.front().steps, 1u);
    EXPECT_EQ(look.worst.front().direction, verdict::Direction::None);
    EXPECT_EQ(judged(1, screen).worst.front().direction, verdict::Direction::TooLow);
  }
}

TEST(Members, AZeroBetweenThemIsAWrongValue) {
  // As it stands 2^-12; to even 1 + 2^-10 and -1; away 1 + 2^-10 and its opposite; cut 1 and -1.
  const auto value = testing::dot_case(
      {.a = testing::words(FormatId::F32, {1 + 0x3p-12, -1 - 0x1p-11}), .b = testing::words(FormatId::F32, {1, 1})});
  const Permitted set = testing::permitted(value, rounding(Multiplicand::Tf32OrExact));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-12)));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0x1p-10)));
  EXPECT_TRUE(set.contains(word(FormatId::F32, 0)));
  EXPECT_FALSE(set.contains(word(FormatId::F32, 0x1p-11)));
  EXPECT_TRUE(set.has(0));
  // Zero in the hull alone.
  const Permitted above(FormatId::F32, Interval{5, 5}), below(FormatId::F32, Interval{-5, -5});
  const Permitted both = united({above, below});
  EXPECT_FALSE(both.has(0));
  EXPECT_FALSE(both.contains(0));
  EXPECT_TRUE(both.has_gaps());
}

// A set that cannot reject garbage makes the union one that cannot.
TEST(Members, TheUnionIsVacuousWhereOneOfThemIs) {
  const Permitted narrow(FormatId::F32, Interval{0, 0});
  Permitted wide(FormatId::F32, Interval{0, 100});
  wide.vacuous = true;
  EXPECT_TRUE(united({narrow, wide}).vacuous);
  EXPECT_TRUE(united({wide, narrow}).vacuous);
  EXPECT_FALSE(united({narrow, narrow}).vacuous);
}

TEST(Members, ANanOfLowBitsMayBeReadAsAnInfinity) {
  const operation::Case value = product(0x7f800001, word(FormatId::F32, 1));
  for (const Multiplicand each : {Multiplicand::Tf32Any, Multiplicand::Tf32OrExact}) {
    const Permitted set = testing::permitted(value, rounding(each));
    EXPECT_TRUE(set.nan && set.contains(0x7fc00000));
    EXPECT_TRUE(set.contains(0x7f800000));
  }
  const Permitted other =
      testing::permitted(product(0x7f802000, word(FormatId::F32, 1)), rounding(Multiplicand::Tf32OrExact));
  EXPECT_TRUE(other.contains(0x7fc00000));
  EXPECT_FALSE(other.contains(0x7f800000));
}

TEST(Members, OfOperationsWithoutFactorsAreOne) {
  const auto row =
      testing::row_case(operation::ReduceKind::Sum, FormatId::F32, FormatId::F32, testing::words(FormatId::F32, {kA}));
  for (const Multiplicand each : {Multiplicand::Tf32Any, Multiplicand::Tf32OrExact}) {
    EXPECT_EQ(testing::permitted(row, rounding(each)).to_string(),
              testing::permitted(row, rounding(Multiplicand::Exact)).to_string());
  }
}

TEST(Members, OnTensorCoresF32AsItStandsIsMultipliedInTheOrdinaryWay) {
  Contract contract = rounding(Multiplicand::Tf32OrExact);
  contract.tensor_core = TensorCore::May;
  contract.unit = contract::Unit::Hopper;
  contract.slices = 2;
  const Permitted set = testing::permitted(ties(), contract);
  for (const double value : {kTruncated, kEven, kAway, kExact}) EXPECT_TRUE(set.contains(word(FormatId::F32, value)));
  // Without a unit for TF32 there is nothing that it could mean.
  contract.unit = contract::Unit::Volta;
  EXPECT_FALSE(Oracle::make(ties(), contract).ok());
}

/// A small GEMM of F32 with factors of few and of many bits.
operation::Case drawn_case(base::Random& random) {
  operation::Gemm gemm;
  gemm.m = random.between(1, 3);
  gemm.n = random.between(1, 3);
  gemm.k = random.below(4) == 0 ? random.between(1, 6) : random.between(9, 24);
  if (random.below(3) == 0) gemm.alpha = testing::f32(random.below(2) == 0 ? -1 : 1.7);
  if (random.below(3) == 0) gemm.beta = testing::f32(random.below(2) == 0 ? 1 : 0.3);
  operation::Case value;
  value.operation = gemm;
  const int bits = random.below(2) == 0 ? 12 : 23;
  const bool has_specials = random.below(6) == 0;
  const auto tensor = [&](std::vector<std::int64_t> shape) {
    tensor::Tensor result(FormatId::F32, std::move(shape));
    for (std::int64_t i = 0; i < result.element_count(); ++i) {
      const double number = std::ldexp(1 + std::ldexp(static_cast<double>(random.below(1u << bits)), -bits),
                                       static_cast<int>(random.between(-3, 3)));
      std::uint64_t bits_of = word(FormatId::F32, random.below(2) == 0 ? number : -number);
      if (random.below(10) == 0) bits_of = 0;
      if (has_specials && random.below(20) == 0) bits_of = random.below(2) == 0 ? 0x7f800001 : 0x7f7fffff;
      result.set(i, bits_of);
    }
    return result;
  };
  value.tensors.emplace("a", tensor({1, gemm.m, gemm.k}));
  value.tensors.emplace("b", tensor({1, gemm.k, gemm.n}));
  value.tensors.emplace("c", tensor({1, gemm.m, gemm.n}));
  return value;
}

TEST(Members, OfRandomCasesTheUnionIsWhatEachPermits) {
  const number::Format& f32 = number::format(FormatId::F32);
  std::uint64_t words = 0, permitted = 0, gaps = 0, failing = 0;
  for (std::uint64_t n = 0; n < 600; ++n) {
    base::Random random = base::Random(20261125).split(n);
    const operation::Case value = drawn_case(random);
    Contract contract = rounding(random.below(2) == 0 ? Multiplicand::Tf32Any : Multiplicand::Tf32OrExact);
    contract.wider = random.below(2) == 0;
    if (random.below(2) == 0) contract.tensor_core = TensorCore::May;
    if (random.below(4) == 0) contract.slice_format = FormatId::BF16;
    const auto oracle = Oracle::make(value, contract), plain = Oracle::make(value, contract, {.screen = false});
    ASSERT_TRUE(oracle.ok()) << oracle.error().message;
    std::vector<Oracle> members;
    for (Contract member : contract::members(contract)) {
      if (member.multiplicand == Multiplicand::Exact) member.tensor_core = TensorCore::No;
      members.push_back(*Oracle::make(value, member));
    }
    tensor::Tensor observed = value.tensors.at("c");
    for (std::int64_t i = 0; i < observed.element_count(); ++i) {
      const Permitted set = oracle->permitted(i);
      gaps += set.has_gaps() ? 1 : 0;
      std::vector<std::uint64_t> tried{0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000};
      bool is_vacuous = false;
      std::vector<Permitted> sets;
      for (const Oracle& member : members) sets.push_back(member.permitted(i));
      for (const Permitted& inner : sets) {
        is_vacuous |= inner.vacuous;
        if (!inner.finite) continue;
        for (const std::int64_t end : {inner.hull().low, inner.hull().high}) {
          const std::uint64_t at = number::from_ordinal(f32, end);
          for (const std::uint64_t each : {at, number::next_up(f32, at), number::next_down(f32, at)}) {
            tried.push_back(each);
          }
        }
      }
      EXPECT_EQ(set.vacuous, is_vacuous);
      for (const std::uint64_t each : tried) {
        bool expected = false;
        for (const Permitted& inner : sets) expected |= inner.contains(each);
        ASSERT_EQ(set.contains(each), expected) << n << " element " << i << " " << std::hex << each << "\n"
                                                << contract::to_json(contract) << "\n"
                                                << oracle->explain(i);
        ++words;
        permitted += expected ? 1 : 0;
      }
      observed.set(i, tried[random.below(tried.size())]);
    }
    const verdict::Verdict a = oracle->judge(observed), b = plain->judge(observed);
    EXPECT_EQ(a.kind, b.kind) << n;
    EXPECT_EQ(a.failure, b.failure) << n;
    failing += a.failure ? 1 : 0;
  }
  EXPECT_GT(permitted, words / 4);
  EXPECT_LT(permitted, words * 3 / 4);
  EXPECT_GT(gaps, 200u);
  EXPECT_GT(failing, 100u);
}

}  // namespace
}  // namespace negzero::oracle
