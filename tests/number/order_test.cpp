// Neighbours, ordinals and distances, against the sorted list of values.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/number/ulp_distance.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Exact;

/// A value that stands above every finite one: 2^200 exceeds what any format of up to 16 bits can hold.
Exact signed_value(FormatId id, std::uint64_t word) {
  const reference::Value value = reference::value_of(id, word);
  const Exact magnitude = value.kind == Class::Infinity ? reference::power(200) : value.magnitude;
  return value.negative ? -magnitude : magnitude;
}

/// All encodings of a narrow format that are not NaN, in ascending order, -0 before +0.
struct Ordered {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> nans;
  std::ptrdiff_t plus_zero = 0;
};

Ordered ordered(FormatId id) {
  struct Entry {
    Exact value;
    bool negative;
    std::uint64_t word;
  };
  Ordered result;
  std::vector<Entry> entries;
  for (const std::uint64_t word : reference::sample(id, 0, 0)) {
    const reference::Value value = reference::value_of(id, word);
    if (value.kind == Class::Nan) {
      result.nans.push_back(word);
    } else {
      entries.push_back({signed_value(id, word), value.negative, word});
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.value != b.value ? a.value < b.value : a.negative && !b.negative;
  });
  for (const Entry& entry : entries) {
    if (entry.word == 0) result.plus_zero = static_cast<std::ptrdiff_t>(result.words.size());
    result.words.push_back(entry.word);
  }
  return result;
}

class Order : public testing::TestWithParam<FormatId> {};

TEST_P(Order, NeighboursAndOrdinalsFollowTheSortedValues) {
  const Format& f = format(GetParam());
  const Ordered all = ordered(GetParam());
  const auto count = static_cast<std::ptrdiff_t>(all.words.size());
  const std::ptrdiff_t plus_zero = all.plus_zero;
  const std::ptrdiff_t minus_zero = plus_zero - 1;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::uint64_t word = all.words[static_cast<std::size_t>(i)];
    // The two zeros are one step: from either, and on the way to either, the far one is skipped.
    std::ptrdiff_t up = i == minus_zero ? i + 2 : i + 1;
    std::ptrdiff_t down = i == plus_zero ? i - 2 : i - 1;
    up = std::min(up, count - 1);
    down = std::max<std::ptrdiff_t>(down, 0);
    ASSERT_EQ(next_up(f, word), all.words[static_cast<std::size_t>(up)]) << reference::hex(word);
    ASSERT_EQ(next_down(f, word), all.words[static_cast<std::size_t>(down)]) << reference::hex(word);

    const std::ptrdiff_t expected = i >= plus_zero ? i - plus_zero : i - minus_zero;
    ASSERT_EQ(ordinal(f, word), expected) << reference::hex(word);
    ASSERT_EQ(from_ordinal(f, expected), i == minus_zero ? all.words[static_cast<std::size_t>(plus_zero)] : word);
  }
}

TEST_P(Order, NanStaysNan) {
  const Format& f = format(GetParam());
  const Ordered all = ordered(GetParam());
  ASSERT_EQ(all.nans.empty(), f.nan_codes == NanCodes::None);
  for (const std::uint64_t word : all.nans) {
    EXPECT_EQ(next_up(f, word), word);
    EXPECT_EQ(next_down(f, word), word);
  }
}

INSTANTIATE_TEST_SUITE_P(Narrow, Order,
                         testing::Values(FormatId::F16, FormatId::BF16, FormatId::F8_E4M3, FormatId::F8_E5M2,
                                         FormatId::F4, FormatId::F6_E2M3, FormatId::F6_E3M2, FormatId::F8_E8M0),
                         [](const auto& tested) { return reference::facts(tested.param).name; });

TEST(UlpDistance, EveryPairOfEightBitEncodings) {
  for (const FormatId id : {FormatId::F8_E4M3, FormatId::F8_E5M2}) {
    const Format& f = format(id);
    const Ordered all = ordered(id);
    std::vector<int> rank(256, -1);
    for (std::size_t i = 0; i < all.words.size(); ++i) {
      const auto position = static_cast<int>(i);
      // -0 shares the rank of +0.
      rank[all.words[i]] = position < all.plus_zero ? position + 1 : position;
    }
    for (std::uint64_t a = 0; a < 256; ++a) {
      for (std::uint64_t b = 0; b < 256; ++b) {
        const UlpDistance observed = ulp_distance(f, a, b);
        UlpDistance expected;
        if (rank[a] < 0 || rank[b] < 0) {
          expected.kind = rank[a] < 0 && rank[b] < 0 ? UlpDistance::Kind::BothNan : UlpDistance::Kind::OnlyOneNan;
        } else {
          expected.steps = static_cast<std::uint64_t>(std::abs(rank[a] - rank[b]));
        }
        ASSERT_EQ(observed, expected) << f.name << " " << a << " " << b;
      }
    }
  }
}

TEST(UlpDistance, SpansTheWholeOfWideFormats) {
  const Format& f64 = format(FormatId::F64);
  EXPECT_EQ(ulp_distance(f64, infinity(f64, true), infinity(f64)).steps, 2 * std::uint64_t{0x7ff0000000000000});
  const Format& f32 = format(FormatId::F32);
  EXPECT_EQ(ulp_distance(f32, 0x3f800000, 0x3f800001).steps, 1u);
  EXPECT_EQ(ulp_distance(f32, 0x80000001, 0x00000001).steps, 2u);
  EXPECT_EQ(ulp_distance(f32, 0x80000000, 0x00000000).steps, 0u);
  EXPECT_EQ(ulp_distance(f32, 0x7f800000, 0x7f7fffff).steps, 1u);
  EXPECT_EQ(ulp_distance(f32, 0x7f800001, 0xffc00000).kind, UlpDistance::Kind::BothNan);
  EXPECT_EQ(ulp_distance(f32, 0x7f800000, 0xffc00000).kind, UlpDistance::Kind::OnlyOneNan);
  const Format& i32 = format(FormatId::I32);
  EXPECT_EQ(ulp_distance(i32, 0x80000000, 0x7fffffff).steps, 0xffffffffu);
  const Format& i64 = format(FormatId::I64);
  EXPECT_EQ(ulp_distance(i64, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1).steps, ~std::uint64_t{0});
  // A NaN of F32 whose payload lies only in the bits that TF32 drops is an Inf.
  EXPECT_EQ(ulp_distance(format(FormatId::TF32), 0x7f800001, 0x7f800000), UlpDistance{});
}

TEST(WideOrder, StepsAndOrdinalsAgreeWithTheExactValues) {
  for (const FormatId id : {FormatId::F64, FormatId::F32, FormatId::TF32, FormatId::I32, FormatId::I64}) {
    const Format& f = format(id);
    reference::Disagreements disagreements;
    for (const std::uint64_t raw : reference::sample(id, 20'000, 2)) {
      const std::uint64_t word = raw & ~((std::uint64_t{1} << f.unused_bits) - 1);
      const reference::Value value = reference::value_of(id, word);
      if (value.kind == Class::Nan || value.kind == Class::Infinity) continue;
      const auto where = [&] { return std::string(f.name) + " " + reference::hex(word); };
      disagreements.expect_equal(from_ordinal(f, ordinal(f, word)), value.kind == Class::Zero ? 0 : word, where);

      const std::uint64_t up = next_up(f, word);
      if (up == word) {
        ASSERT_EQ(word, max_finite(f)) << where();
        continue;
      }
      ASSERT_EQ(ordinal(f, up), ordinal(f, word) + 1) << where();
      if (is_zero(f, up)) {
        ASSERT_EQ(up, f.is_integer() ? 0 : f.sign_mask()) << where();
      } else if (value.kind != Class::Zero) {
        ASSERT_EQ(next_down(f, up), word) << where();
      }
      const reference::Value above = reference::value_of(id, up);
      if (above.kind == Class::Infinity) {
        ASSERT_EQ(word, max_finite(f)) << where();
        continue;
      }
      // Half way to the neighbour nothing else is representable: both directed roundings give one of the two.
      const Exact low = value.negative ? Exact(-value.magnitude) : value.magnitude;
      const Exact high = above.negative ? Exact(-above.magnitude) : above.magnitude;
      ASSERT_LT(low, high) << where();
      const Exact middle = (low + high) / 2;
      const reference::Place place = reference::locate(id, middle < 0 ? Exact(-middle) : middle);
      const std::uint64_t rounded_down =
          reference::resolve(id, middle < 0, place, {Rounding::Down, Overflow::Ieee, false});
      const std::uint64_t rounded_up = reference::resolve(id, middle < 0, place, {Rounding::Up, Overflow::Ieee, false});
      disagreements.expect_equal(ordinal(f, rounded_down), ordinal(f, word), where);
      disagreements.expect_equal(rounded_up, up, where);
    }
  }
}

RC_GTEST_PROP(UlpDistance, IsSymmetricAndAdditive, ()) {
  const Format& f = format(*rc::gen::element(FormatId::F64, FormatId::F32, FormatId::F16, FormatId::I32));
  const std::uint64_t a = *rc::gen::arbitrary<std::uint64_t>() & f.word_mask();
  const std::uint64_t b = *rc::gen::arbitrary<std::uint64_t>() & f.word_mask();
  const std::uint64_t c = *rc::gen::arbitrary<std::uint64_t>() & f.word_mask();
  RC_ASSERT(ulp_distance(f, a, b) == ulp_distance(f, b, a));
  RC_PRE(!is_nan(f, a) && !is_nan(f, b) && !is_nan(f, c));
  RC_ASSERT(ulp_distance(f, a, a).steps == 0u);
  if (ordinal(f, a) <= ordinal(f, b) && ordinal(f, b) <= ordinal(f, c)) {
    RC_ASSERT(ulp_distance(f, a, c).steps == ulp_distance(f, a, b).steps + ulp_distance(f, b, c).steps);
  }
}

}  // namespace
}  // namespace negzero::number
