// Methods of exact sums held against each other bit for bit on adversarial operands.

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "operands.hpp"

namespace negzero::exact {
namespace {

// Around the sizes where blocks of 128, vector lanes, wide bins and narrow bins begin.
constexpr std::array<std::size_t, 17> kCounts = {0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 127, 128, 129, 257, 700, 2100};

std::vector<std::pair<number::FormatId, number::FormatId>> format_pairs() {
  std::vector<std::pair<number::FormatId, number::FormatId>> pairs;
  using enum number::FormatId;
  for (const number::Format& format : number::all_formats()) {
    // I64 holds indices, which are never summed.
    if (format.id != I64) pairs.emplace_back(format.id, format.id);
  }
  for (const auto& pair : {std::pair{F64, F8_E4M3}, {F32, F16}, {BF16, F32}, {F16, F8_E5M2}}) pairs.push_back(pair);
  return pairs;
}

TEST(Sum, MethodsAgreeOnEveryFormatAndKind) {
  base::Random random(21);
  for (const auto& [a_id, b_id] : format_pairs()) {
    const number::Format& a_format = number::format(a_id);
    const number::Format& b_format = number::format(b_id);
    Compared compared;
    for (const Kind kind : kKinds) {
      for (const std::size_t count : kCounts) {
        SCOPED_TRACE(testing::Message() << a_format.name << " x " << b_format.name << ", kind "
                                        << static_cast<int>(kind));
        const Kind other = random.one_in(3) ? Kind::Bits : kind;
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(take_apart(a_format, draw_words(a_format, kind, count, random),
                                                            b_format, draw_words(b_format, other, count, random)),
                                                 compared));
      }
    }
    EXPECT_EQ(compared.bins, std::size(kKinds) * kCounts.size() * available_levels().size());
    EXPECT_GT(compared.fixed128, 0u);
    if (a_format.precision() + b_format.precision() <= 51) {
      EXPECT_GT(compared.ladder, 0u);
      EXPECT_GT(compared.prepared, 0u);
    }
  }
}

// Every product appears once with each sign, in random order.
TEST(Sum, FullCancellationIsExactlyZero) {
  base::Random random(22);
  Compared compared;
  for (const number::Format& format : number::all_formats()) {
    for (const Kind kind : {Kind::Bits, Kind::SmallSpan, Kind::Extremes}) {
      for (const std::size_t half : {1u, 20u, 400u, 1500u}) {
        const Operands once =
            take_apart(format, draw_words(format, kind, half, random), format, draw_words(format, kind, half, random));
        std::vector<std::size_t> order(2 * half);
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
        Operands both;
        for (const std::size_t i : order) {
          const std::size_t j = i % half;
          both.add(i < half ? once.a_significand[j] : -once.a_significand[j], once.a_exponent[j], once.b_significand[j],
                   once.b_exponent[j]);
        }
        both.window = once.window;
        both.window.terms = order.size();
        ASSERT_NO_FATAL_FAILURE(expect_all_agree(both, compared)) << format.name;
        for (const Method* method : methods()) {
          if (!method->accepts(both.window)) continue;
          const ProductSum sum = sum_by(*method, both);
          EXPECT_TRUE(sum.sum().is_zero()) << format.name << ' ' << method->name();
          EXPECT_EQ(sum.magnitude(), sum.positive.scaled(1));
        }
      }
    }
  }
  EXPECT_GT(compared.fixed128, 0u);
}

TEST(Sum, KnownSums) {
  const number::Format& format = number::format(number::FormatId::F16);
  // 1.5 * 2 - 0.25 * 65504 + 0 * 3 + 2^-24 * 2^-24
  const Operands operands =
      take_apart(format, {0x3e00, 0xb400, 0x8000, 0x0001}, format, {0x4000, 0x7bff, 0x4200, 0x0001});
  for (const Method* method : methods()) {
    const ProductSum sum = sum_by(*method, operands);
    EXPECT_EQ(sum.positive, Dyadic(3) + Dyadic(1, -48)) << method->name();
    EXPECT_EQ(sum.negative, Dyadic(16376)) << method->name();
    EXPECT_EQ(sum.nonzero, 3u) << method->name();
    EXPECT_EQ(sum.lowest_bit, -48) << method->name();
  }
}

TEST(Sum, NothingToAdd) {
  const number::Format& format = number::format(number::FormatId::F64);
  const Operands empty = take_apart(format, {}, format, {});
  const Operands zeros = take_apart(format, {0, format.sign_mask(), 0x3ff0000000000000}, format, {1, 2, 0});
  for (const Operands& operands : {empty, zeros}) {
    for (const Method* method : methods()) {
      const ProductSum sum = sum_by(*method, operands);
      EXPECT_TRUE(sum.positive.is_zero() && sum.negative.is_zero()) << method->name();
      EXPECT_EQ(sum.nonzero, 0u);
      EXPECT_EQ(sum.lowest_bit, 0);
    }
  }
}

TEST(Sum, ZerosMayHaveAnyExponent) {
  Compared compared;
  for (const std::size_t count : {3u, 40u, 1000u}) {
    Operands operands;
    for (std::size_t i = 0; i < count; ++i) {
      operands.add(3, -2, -5, 7);
      operands.add(0, 0x7fffffff, 1, 0x7fffffff);
      operands.add(1, -0x7fffffff, 0, -0x7fffffff);
    }
    operands.window = {5, 9, 4, 3 * count};
    ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared));
  }
  EXPECT_GT(compared.fixed128, 0u);
}

// Significands with trailing zeros stand below the window that their values span: g counts their zeros.
TEST(Sum, SignificandsNeedNotBeOdd) {
  base::Random random(23);
  Compared compared;
  for (int draw = 0; draw < 300; ++draw) {
    const std::size_t count = random.one_in(10) ? 1200 : random.below(40);
    const int width = static_cast<int>(random.between(1, 26));
    Operands operands;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = [&] { return static_cast<std::int64_t>(random.next() >> (64 - width)) | 1; };
      const int zeros = static_cast<int>(random.below(static_cast<std::uint64_t>(27 - width) + 1));
      const int exponent = static_cast<int>(random.below(20));
      operands.add((random.one_in(2) ? value() : -value()) * (std::int64_t{1} << zeros), exponent - zeros, value(), 0);
    }
    operands.window = {0, 20 + 2 * width, width + 27, count};
    ASSERT_NO_FATAL_FAILURE(expect_all_agree(operands, compared)) << "width " << width;
  }
  EXPECT_EQ(compared.fixed128, 300 * available_levels().size());
  EXPECT_GT(compared.ladder, 200u);
  EXPECT_EQ(compared.prepared, compared.ladder);
}

// Whatever the operands: a failure here shrinks to few terms and small numbers.
TEST(Sum, MethodsAgreeOnShrinkableOperands) {
  using Term = std::tuple<std::int64_t, int, std::int64_t, int>;
  const auto significand = rc::gen::inRange<std::int64_t>(-(std::int64_t{1} << 53) + 1, std::int64_t{1} << 53);
  const bool held = rc::check("methods agree", [&] {
    const int span = *rc::gen::element(5, 500);
    const auto exponent = rc::gen::inRange(-span, span);
    const auto terms =
        *rc::gen::container<std::vector<Term>>(rc::gen::tuple(significand, exponent, significand, exponent));
    Operands operands;
    int lowest = 0, highest = 0;
    for (const auto& [x, x_exponent, y, y_exponent] : terms) {
      operands.add(x, x_exponent, y, y_exponent);
      lowest = std::min(lowest, x_exponent + y_exponent);
      highest = std::max(highest, x_exponent + y_exponent + 106);
    }
    operands.window = {lowest, highest, 106, operands.a_significand.size()};
    const ProductSum reference = sum_by(multiprecision(), operands);
    for (const Level level : available_levels()) {
      RC_ASSERT(sum_by(bins(level), operands) == reference);
      if (fixed128(level).accepts(operands.window)) RC_ASSERT(sum_by(fixed128(level), operands) == reference);
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace negzero::exact
