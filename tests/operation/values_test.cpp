// Ranges of values: as text, in each format, as limits of a case.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/limited_values.hpp>
#include <negzero/operation/values.hpp>

#include "reasons.hpp"

namespace negzero::operation {
namespace {

using number::Format;
using number::FormatId;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string text_of(std::string_view text) {
  const auto said = parse_range(text);
  return said ? said->name + ": " + describe(said->range) : "error: " + said.error().message;
}

TEST(Values, ARangeIsReadAsAPersonWritesIt) {
  EXPECT_EQ(text_of("x -1e4..1e4"), "x: from -10000 to 10000");
  EXPECT_EQ(text_of("x=-1e4..1e4"), "x: from -10000 to 10000");
  EXPECT_EQ(text_of("  x  -1 .. +1 "), "x: from -1 to 1");
  EXPECT_EQ(text_of("p >= 0"), "p: at least 0");
  EXPECT_EQ(text_of("p>=0"), "p: at least 0");
  EXPECT_EQ(text_of("lse <= 1e4 inf=negative"), "lse: at most 10000 or -inf");
  EXPECT_EQ(text_of("x 0.. inf=positive nan=yes"), "x: at least 0 or inf or NaN");
  EXPECT_EQ(text_of("x .. nan=yes inf=yes"), "x: any number or an infinity or NaN");
  EXPECT_EQ(text_of("q = 1"), "q: from 1 to 1");
  EXPECT_EQ(text_of("x .. inf=no"), "x: any number");
}

TEST(Values, WhatIsNoRangeIsToldWithItsText) {
  for (const char* text : {"", "x", "x low..high", "x 1..2..3", "x nan..1", "x 2..1", "x -1..1 inf=both", "x -1..1 nan",
                           "x >= ", "x inf=yes", "x inf", "x >= inf", "x <= -inf", "x +-1..2", "x 1...2"}) {
    const std::string said = text_of(text);
    EXPECT_THAT(said, testing::StartsWith("error: values '")) << text;
    EXPECT_THAT(said, HasSubstr("write x -1e4..1e4")) << text;
  }
  EXPECT_THAT(text_of("x 2..1"), HasSubstr("its least 2 is above its greatest 1"));
  EXPECT_THAT(text_of("x -1..1 inf=both"), HasSubstr("inf=both is none of no, positive, negative, yes"));
}

TEST(Values, WhatTwoRangesHoldIsWhatBothHold) {
  const ValueRange wide{-4, 4, Infinities::Yes, true}, narrow{-1, kInfinity, Infinities::Negative, false};
  EXPECT_EQ(intersection(wide, narrow), (ValueRange{-1, 4, Infinities::Negative, false}));
  EXPECT_EQ(intersection({.infinities = Infinities::Positive}, {.infinities = Infinities::Negative}), ValueRange{});
}

/// Ranges of many kinds, with a number of each format but the last ones.
std::vector<ValueRange> some_ranges() {
  return {{-1e4, 1e4},
          {0, 1},
          {0, kInfinity},
          {-kInfinity, 0},
          {-8, 7},
          {-1e-3, 240},
          {0.75, 1.3},
          {2, 2},
          {-0.0, 0.0},
          {-6, -5},
          {-0.1, 100, Infinities::Yes, true},
          {-kInfinity, 10, Infinities::Negative},
          {-10, kInfinity, Infinities::Positive, true},
          {}};
}

/// What a range holds, by the value of a word as a double.
bool holds(const ValueRange& range, const Format& format, std::uint64_t word) {
  const double value = number::to_double(format, word);
  if (std::isnan(value)) return range.nan;
  if (std::isinf(value)) {
    return range.infinities == Infinities::Yes ||
           range.infinities == (value < 0 ? Infinities::Negative : Infinities::Positive);
  }
  return range.least <= value && value <= range.greatest;
}

class ValuesOfFormat : public testing::TestWithParam<FormatId> {};
INSTANTIATE_TEST_SUITE_P(Small, ValuesOfFormat,
                         testing::Values(FormatId::F8_E4M3, FormatId::F8_E5M2, FormatId::F16, FormatId::BF16),
                         [](const auto& each) { return std::string(number::format(each.param).name); });

TEST_P(ValuesOfFormat, EveryWordIsHeldToTheRangeAndComesBackIntoIt) {
  const Format& format = number::format(GetParam());
  for (const ValueRange& range : some_ranges()) {
    SCOPED_TRACE(describe(range));
    const FormatRange accepted(range, GetParam());
    ASSERT_FALSE(accepted.is_empty());
    const double least = number::to_double(format, accepted.least());
    const double greatest = number::to_double(format, accepted.greatest());
    for (std::uint64_t word = 0; word <= format.word_mask(); ++word) {
      const bool is_inside = holds(range, format, word);
      ASSERT_EQ(accepted.accepts(word), is_inside) << word;
      const std::uint64_t nearest = accepted.nearest(word), folded = accepted.folded(word);
      if (is_inside) {
        ASSERT_EQ(nearest, word);
        ASSERT_EQ(folded, word);
        continue;
      }
      ASSERT_TRUE(holds(range, format, folded)) << word << " became " << folded;
      const double value = number::to_double(format, word), moved = number::to_double(format, nearest);
      ASSERT_TRUE(holds(range, format, nearest)) << word << " became " << nearest;
      if (std::isnan(value)) continue;
      ASSERT_EQ(moved, value < least ? least : greatest) << word;
    }
  }
}

TEST(Values, AFoldKeepsTheMagnitudeThenTheSignificand) {
  const Format& format = number::format(FormatId::F32);
  const auto folded = [&](const ValueRange& range, double value) {
    return number::to_double(format, FormatRange(range, FormatId::F32).folded(number::from_double(format, value)));
  };
  EXPECT_EQ(folded({0, 100}, -3.5), 3.5) << "the other sign is accepted";
  EXPECT_EQ(folded({-100, 0}, 3.5), -3.5);
  EXPECT_EQ(folded({-8, 7}, 8), -8);
  EXPECT_EQ(folded({-100, 100}, 200), 100) << "the first binade beyond the end becomes the last one";
  EXPECT_EQ(folded({-100, 100}, 220), 55) << "or the one before it";
  EXPECT_EQ(folded({-100, 100}, -0x1.9p9), -0x1.9p4);
  EXPECT_EQ(folded({-100, 100}, 0x1.1p7), 0x1.1p6);
  EXPECT_EQ(folded({-100, 100}, kInfinity), 100);
  EXPECT_EQ(folded({-100, 100}, -kInfinity), -100);
  EXPECT_EQ(folded({-100, 100}, std::numeric_limits<float>::max()), std::nextafter(100.0f, 0.0f));
  EXPECT_EQ(folded({5, 10}, -7), 7);
  const double zero = folded({5, 10}, 0);
  EXPECT_TRUE(zero >= 5 && zero <= 10);
}

TEST(Values, IntegersWrapAround) {
  const Format& format = number::format(FormatId::I32);
  const FormatRange nibbles({-8, 7}, FormatId::I32);
  std::vector<int> counts(16);
  for (std::int64_t value = -1000; value < 1000; ++value) {
    const auto word = static_cast<std::uint64_t>(value) & format.word_mask();
    const std::int64_t folded = number::ordinal(format, nibbles.folded(word));
    ASSERT_GE(folded, -8);
    ASSERT_LE(folded, 7);
    ++counts[static_cast<std::size_t>(folded + 8)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 125, 2) << "all codes alike";
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  for (const ValueRange& range : {ValueRange{-5, -3}, ValueRange{3, 4}, ValueRange{}, ValueRange{-9e18, 0},
                                  ValueRange{-0x1p63, -0x1p63}, ValueRange{.least = 0x1p62}}) {
    const FormatRange wide(range, FormatId::I64);
    for (const std::int64_t value : {kLeast, kLeast + 1, std::int64_t{-1}, std::int64_t{0}, -(kLeast + 1)}) {
      EXPECT_TRUE(wide.accepts(wide.folded(static_cast<std::uint64_t>(value)))) << describe(range) << " " << value;
    }
  }
}

TEST(Values, EndsAreRoundedInward) {
  const auto ends = [](double least, double greatest, FormatId id) {
    const FormatRange range({least, greatest}, id);
    const Format& format = number::format(id);
    return std::pair(number::to_double(format, range.least()), number::to_double(format, range.greatest()));
  };
  EXPECT_EQ(ends(0.1, 0.3, FormatId::F8_E4M3), std::pair(0.1015625, 0.28125));
  EXPECT_EQ(ends(-1e300, 1e300, FormatId::F16), std::pair(-65504.0, 65504.0));
  EXPECT_EQ(ends(-3.5, 3.5, FormatId::I32), std::pair(-3.0, 3.0));
  EXPECT_TRUE(FormatRange({1e6, 2e6}, FormatId::F16).is_empty());
  EXPECT_TRUE(FormatRange({-2e6, -1e6}, FormatId::F8_E4M3).is_empty());
  EXPECT_TRUE(FormatRange({1.01, 1.02}, FormatId::F8_E4M3).is_empty());
  EXPECT_TRUE(FormatRange({0.2, 0.8}, FormatId::I64).is_empty());
  EXPECT_TRUE(FormatRange({1e19, 2e19}, FormatId::I64).is_empty());
  EXPECT_TRUE(FormatRange({kInfinity, kInfinity}, FormatId::F64).is_empty());
  EXPECT_FALSE(FormatRange({1.01, 1.02}, FormatId::F16).is_empty());
}

TEST(Values, LimitsNameInputsOfNumbersAndRangesWithSome) {
  const auto values = [](std::string_view name, ValueRange range) { return Limits{.values = {{name, range}}}; };
  EXPECT_EQ(mistake(values("c", {-1, 1}), "gemm"), "none");
  EXPECT_EQ(mistake(values("init", {-1, 1}), "scatter.add"), "none");
  EXPECT_THAT(mistake(values("d", {-1, 1}), "gemm"), HasSubstr("d of gemm is an output; values are of a, b, c"));
  EXPECT_THAT(mistake(values("index", {0, 1}), "scatter.add"), HasSubstr("holds indices, which its line bounds"));
  EXPECT_THAT(mistake(values("e", {-1, 1}), "gemm"), HasSubstr("gemm has no tensor e"));
  EXPECT_THAT(mistake(values("a", {2, 1}), "gemm"), HasSubstr("least 2 of a is above its greatest 1"));
  EXPECT_THAT(mistake(values("a", {std::nan(""), 1}), "gemm"), HasSubstr("least"));
  const auto of_i64 = [](ValueRange range) {
    return mistake({.formats = {{FormatId::I64, FormatId::F32}}, .values = {{"q", range}}}, "own: y[n] <- q[n]");
  };
  EXPECT_EQ(of_i64({.least = 0x1p53 - 1}), "none");
  EXPECT_THAT(of_i64({.least = 0x1p53}), HasSubstr("the ends of q are below 2^53 in I64"));
  EXPECT_THAT(of_i64({.greatest = -0x1p60}), HasSubstr("the ends of q are below 2^53 in I64"));
  Limits both = values("a", {1e6, 2e6});
  both.formats = {{FormatId::F32, FormatId::F32, FormatId::F32}};
  EXPECT_EQ(mistake(both, "gemm"), "none");
  both.formats.push_back({FormatId::F16, FormatId::F16, FormatId::F32});
  EXPECT_THAT(mistake(both, "gemm"), HasSubstr("no F16 of a is from 1000000 to 2000000"));
}

TEST(Values, ACaseOutsideIsToldByItsFirstElementAndFoldedInside) {
  Case value;
  value.operation = *operation_named("reduce.sum");
  value.operation.extent("rows") = 2;
  value.operation.extent("columns") = 3;
  for (const TensorSpec& spec : input_specs(value.operation)) {
    value.tensors.emplace(spec.name, tensor::Tensor(spec.format, spec.shape));
  }
  pack_missing_layouts(value);
  const Limits limits{.values = {{"x", {-1, 1}}}};
  EXPECT_EQ(outside(limits, value), std::nullopt);
  tensor::Tensor& x = value.tensors.at("x");
  x.set(4, number::from_double(x.format(), 1.5));
  x.set(5, number::canonical_nan(x.format()));
  EXPECT_EQ(outside(limits, value), "x[1, 1] = 1.5 is not from -1 to 1");
  EXPECT_EQ(outside({}, value), std::nullopt);
  fold_values(value, limits);
  EXPECT_EQ(outside(limits, value), std::nullopt);
  EXPECT_EQ(describe(limits, "reduce.sum"), "x from -1 to 1");
}

}  // namespace
}  // namespace negzero::operation
