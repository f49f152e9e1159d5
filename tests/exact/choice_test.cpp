// Choosing a method, taking encodings apart, and the window of their products.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "operands.hpp"

namespace negzero::exact {
namespace {

constexpr Window kNarrow{-48, 32, 22, 512};
constexpr Window kBetween{-100, 30, 48, 512};
constexpr Window kWide{-298, 256, 48, 512};
constexpr Window kBeyond{-9000, 9000, 106, 512};

TEST(Choose, TakesTheCheapestThatAccepts) {
  EXPECT_EQ(choose(kNarrow).value()->name(), "fixed128");
  EXPECT_EQ(choose(kBetween).value()->name(), "ladder");
  EXPECT_EQ(choose(kWide).value()->name(), "bins");
  EXPECT_EQ(choose(kBeyond).value()->name(), "multiprecision");
  ASSERT_EQ(methods().size(), 4u);
  EXPECT_EQ(methods().back()->name(), "multiprecision");
}

TEST(Choose, TakesTheLadderOfLongSumsOfPreparedFactors) {
  EXPECT_EQ(choose(kNarrow, {}, true).value()->name(), "ladder");
  EXPECT_EQ(choose(kNarrow, "fixed128", true).value()->name(), "fixed128");
  EXPECT_EQ(choose(kWide, {}, true).value()->name(), "bins");
  Window few = kNarrow;
  few.terms = 32;
  EXPECT_EQ(choose(few, {}, true).value()->name(), "fixed128");
}

TEST(Choose, ForcesByName) {
  for (const Method* method : methods()) EXPECT_EQ(choose(kNarrow, method->name()).value(), method);
}

TEST(Choose, ErrorsNameTheMethodAndTheCure) {
  const auto unknown = choose(kNarrow, "kulisch");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, base::ErrorKind::Usage);
  EXPECT_EQ(unknown.error().message,
            "--exact kulisch: no such method; use one of `fixed128`, `ladder`, `bins`, `multiprecision`");
  const auto refused = choose(kWide, "fixed128");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, base::ErrorKind::Usage);
  EXPECT_EQ(refused.error().message,
            "--exact fixed128: products from 2^-298 to below 2^256, 512 to a sum, are outside its range; use one of "
            "`bins`, `multiprecision`");
  EXPECT_FALSE(choose(kBeyond, "bins").ok());
}

TEST(TakeApart, KeepsValuesInAWindowThatFitsTightly) {
  base::Random random(41);
  for (const number::Format& format : number::all_formats()) {
    for (const Kind kind : kKinds) {
      for (const std::size_t count : {1u, 5u, 200u}) {
        std::vector<std::uint64_t> words = draw_words(format, kind, count, random);
        for (std::uint64_t& word : words) word &= format.id == number::FormatId::BOOL ? 1 : format.word_mask();
        std::vector<std::int64_t> significand(count, -1);
        std::vector<std::int32_t> exponent(count, -1);
        const Window window = take_apart(format, words, significand.data(), exponent.data());
        EXPECT_EQ(window.terms, count);
        bool found = false;
        int lowest = 0, highest = 0, bits = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const Dyadic value = Dyadic::from_encoding(format, words[i]);
          ASSERT_EQ(Dyadic(significand[i], exponent[i]), value) << format.name << ' ' << words[i];
          if (value.is_zero()) continue;
          lowest = found ? std::min(lowest, value.lowest_bit()) : value.lowest_bit();
          highest = found ? std::max(highest, value.floor_log2() + 1) : value.floor_log2() + 1;
          bits = std::max(bits, value.floor_log2() + 1 - value.lowest_bit());
          found = true;
        }
        EXPECT_EQ(window, (Window{lowest, highest, bits, count})) << format.name;
        EXPECT_LE(bits, format.precision()) << format.name;
      }
    }
  }
}

TEST(TakeApart, SmallestInteger) {
  const std::uint64_t word = 0x80000000;
  std::int64_t significand = 0;
  std::int32_t exponent = 0;
  const Window window = take_apart(number::format(number::FormatId::I32), {&word, 1}, &significand, &exponent);
  EXPECT_EQ(Dyadic(significand, exponent), Dyadic(-2147483648));
  EXPECT_EQ(window, (Window{31, 32, 1, 1}));
}

TEST(ProductWindow, AddsWhatItsFactorsHave) {
  EXPECT_EQ(product_window({-149, 128, 24, 7}, {-24, 16, 11, 9}, 100), (Window{-173, 144, 35, 100}));
  // Nothing but zeros on one side: every product is zero, and exponents mean nothing.
  EXPECT_EQ(product_window({-149, 128, 24, 7}, {0, 0, 0, 9}, 100), (Window{0, 0, 0, 100}));
}

}  // namespace
}  // namespace negzero::exact
