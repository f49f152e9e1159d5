// The enumeration and the faults, where numerics.md or arithmetic by hand has the results.

#include "every.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faulty.hpp"
#include "found.hpp"

namespace negzero::oracle_faults {
namespace {

using number::FormatId;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using Words = std::vector<std::uint64_t>;

constexpr std::size_t kMany = 1'000'000;

contract::Contract parsed(const char* text) {
  const auto contract = contract::parse(text);
  EXPECT_TRUE(contract.ok()) << text;
  return *contract;
}

Question products(FormatId factors, FormatId out, Words x, Words y) {
  Question question;
  question.a = question.b = factors;
  question.c = question.d = out;
  question.has_c = true;
  question.x = std::move(x);
  question.y = std::move(y);
  return question;
}

Words reached(const Question& question, const char* contract, Reading reading = Reading::Possibly) {
  const Reached all = every(question, parsed(contract), reading, kMany);
  EXPECT_TRUE(all.is_complete);
  return all.words;
}

TEST(Every, AHullHasGapsThatItHasNot) {
  // 2^-11 is lost beside 1, and its double is not. The second sum is m = 2: products and their sum are exact or
  // rounded, and the number between two results is none.
  const Question three = products(FormatId::F16, FormatId::F16, {0x3c00, 0x1000, 0x1000}, {0x3c00, 0x3c00, 0x3c00});
  EXPECT_THAT(reached(three, R"({"accumulate":"F16","wider":false})"), ElementsAre(0x3c00, 0x3c01));
  const Question gap = products(FormatId::F32, FormatId::F32, {0xbf900000, 0xbf11b40e}, {0x3fe42641, 0xc0138f40});
  EXPECT_THAT(reached(gap, R"({})"), Not(Contains(0xbf316663)));
  EXPECT_THAT(reached(gap, R"({})"), testing::IsSupersetOf({0xbf316662U, 0xbf316664U}));
}

TEST(Every, AdditionsAreInSeveralWidthsWhereThatIsPermitted) {
  // numerics.md 2d.
  const Question mixed = products(FormatId::F16, FormatId::F32, {0x41f1, 0xbef2}, {0x32ed, 0x3c00});
  EXPECT_THAT(reached(mixed, R"({"accumulate":"F16"})", Reading::Surely), Contains(0xbf8bf000));
  EXPECT_THAT(reached(mixed, R"({"accumulate":"F16"})"), Contains(0xbf8bf000));
  EXPECT_THAT(reached(mixed, R"({"accumulate":"F16","wider":false})"), Not(Contains(0xbf8bf000)));
}

TEST(Every, ProductsAreFusedOrNot) {
  // (1 + 2^-12)^2 - 1 is 2^-11 + 2^-24, of which the last bit is lost where the product is rounded.
  const Question square = products(FormatId::F32, FormatId::F32, {0x3f800000, 0x3f800800}, {0xbf800000, 0x3f800800});
  EXPECT_THAT(reached(square, R"({"wider":false,"contraction":"separate"})"), ElementsAre(0x3a000000));
  EXPECT_THAT(reached(square, R"({"wider":false})"), ElementsAre(0x3a000000, 0x3a000400));
  EXPECT_THAT(reached(square, R"({"wider":false,"order":"ascending","contraction":"fused"})"), ElementsAre(0x3a000400));
  EXPECT_THAT(reached(square, R"({"contraction":"separate"})"), ElementsAre(0x3a000000, 0x3a000400));
}

TEST(Every, CIsATermOrComesBehind) {
  // numerics.md 2c: C = 2048 and ones, in F16.
  Question question = products(FormatId::F16, FormatId::F16, Words(3, 0x3c00), Words(3, 0x3c00));
  question.addend = 0x6800;
  question.beta.bits = 0x3f800000;
  EXPECT_THAT(reached(question, R"({"accumulate":"F16","wider":false,"beta":"epilogue"})"), ElementsAre(0x6802));
  EXPECT_THAT(reached(question, R"({"accumulate":"F16","wider":false,"beta":"leaf"})"),
              ElementsAre(0x6800, 0x6801, 0x6802));
}

TEST(Every, ATensorCoreTruncatesEachTerm) {
  // numerics.md 2e: 128 * 128 + 1 * 1 of E4M3 in one step, or in two that add in the other order.
  const Question question = products(FormatId::F8_E4M3, FormatId::F32, {0x70, 0x38}, {0x70, 0x38});
  const char* unit = R"({"wider":false,"tensor_core":"only","unit":"hopper"})";
  EXPECT_THAT(reached(question, unit, Reading::Surely), ElementsAre(0x46800000));
  EXPECT_THAT(reached(question, unit), Contains(0x46800000));
}

/// What the fault gives at the only place that there is.
Planted planted_in(const Question& question, const char* contract, Fault fault) {
  base::Random random(1);
  const auto words = planted(question, parsed(contract), fault, random);
  EXPECT_TRUE(words.has_value());
  return words.value_or(Planted{});
}

TEST(Faulty, EachKindChangesWhatItSays) {
  const char* chain = R"({"wider":false,"order":"ascending","contraction":"fused"})";
  // 1 + 3 * 2^-25: above half of 2^-23.
  const Question half = products(FormatId::F32, FormatId::F32, {0x3f800000, 0x33c00000}, {0x3f800000, 0x3f800000});
  EXPECT_EQ(planted_in(half, chain, Fault::Truncated).sound, 0x3f800001U);
  EXPECT_EQ(planted_in(half, chain, Fault::Truncated).faulty, 0x3f800000U);
  // 1 + 2^-24 + 2^-30, which two more bits do not hold.
  const Question tie = products(FormatId::F32, FormatId::F32, {0x3f800000, 0x33820000}, {0x3f800000, 0x3f800000});
  EXPECT_EQ(planted_in(tie, chain, Fault::TwiceJoin).sound, 0x3f800001U);
  EXPECT_EQ(planted_in(tie, chain, Fault::TwiceJoin).faulty, 0x3f800000U);
  const Question wide = products(FormatId::F64, FormatId::F64, {0x3ff0000000000000, 0x3ca0200000000000},
                                 {0x3ff0000000000000, 0x3ff0000000000000});
  const char* wide_chain = R"({"accumulate":"F64","order":"ascending","contraction":"fused"})";
  EXPECT_EQ(planted_in(wide, wide_chain, Fault::TwiceJoin).sound, 0x3ff0000000000001U);
  EXPECT_EQ(planted_in(wide, wide_chain, Fault::TwiceJoin).faulty, 0x3ff0000000000000U);
  // 1 + 2^-23.
  const Question last = products(FormatId::F32, FormatId::F32, {0x3f800000, 0x34000000}, {0x3f800000, 0x3f800000});
  EXPECT_EQ(planted_in(last, chain, Fault::NarrowJoin).sound, 0x3f800001U);
  EXPECT_EQ(planted_in(last, chain, Fault::NarrowJoin).faulty, 0x3f800000U);
  const Question one = products(FormatId::F32, FormatId::F32, {0x3f800001}, {0x3f800000});
  EXPECT_EQ(planted_in(one, chain, Fault::NarrowProduct).faulty, 0x3f800000U);
  EXPECT_FALSE(has_place(parsed(R"({"wider":false,"contraction":"fused"})"), Fault::SplitProduct));
  EXPECT_TRUE(has_place(parsed(chain), Fault::SplitProduct));
}

TEST(Found, WhatIsIllegalIsToldFromWhatIsNotKnown) {
  base::Random random(1);
  const auto contract = parsed(R"({"accumulate":"F16","wider":false})");
  const Question few = products(FormatId::F16, FormatId::F16, {0x3c00, 0x1000, 0x1000}, {0x3c00, 0x3c00, 0x3c00});
  EXPECT_EQ(legality(few, contract, 0x3c01, kMany, random), Legality::Legal);
  EXPECT_EQ(legality(few, contract, 0x3c02, kMany, random), Legality::Illegal);
  // Ones beside 2^-11, fifteen of them: a sum of 1 + 7 * 2^-10 at most.
  Words x(16, 0x1000);
  x.front() = 0x3c00;
  const Question many = products(FormatId::F16, FormatId::F16, x, Words(16, 0x3c00));
  EXPECT_EQ(legality(many, contract, 0x3c00, kMany, random), Legality::Legal);
  EXPECT_EQ(legality(many, contract, 0x3c40, kMany, random), Legality::Beyond);
}

}  // namespace
}  // namespace negzero::oracle_faults
