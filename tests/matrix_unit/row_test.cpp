// Rows against a simulator that shares no code, at edges of rounding, and on integers.

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/matrix_unit/row.hpp>
#include <negzero/number/encoding.hpp>

#include "../tensor_core/stepper.hpp"

namespace negzero::matrix_unit {
namespace {

using number::FormatId;
using tensor_core::Machine;
using tensor_core::Shape;

std::uint32_t word_of(FormatId format, double value) {
  return static_cast<std::uint32_t>(number::from_double(number::format(format), value));
}
double value_of(FormatId format, std::uint32_t word) { return number::to_double(number::format(format), word); }

/// Words of a format as they lie in memory.
std::vector<unsigned char> bytes_of(FormatId format, const std::vector<std::uint32_t>& words) {
  std::vector<unsigned char> bytes;
  for (const std::uint32_t word : words) {
    for (int bit = 0; bit < number::format(format).bits; bit += 8) {
      bytes.push_back(static_cast<unsigned char>(word >> bit));
    }
  }
  return bytes;
}

std::uint32_t product(FormatId factors, const std::vector<std::uint32_t>& row, const std::vector<std::uint32_t>& column,
                      FormatId c_format, std::uint32_t c, FormatId d_format) {
  const auto x = bytes_of(factors, row), y = bytes_of(factors, column), start = bytes_of(c_format, {c});
  std::uint32_t d = 0;
  multiply_row({factors, x.data()}, {factors, y.data()}, row.size(), 1, {c_format, start.data()}, d_format, &d);
  return d;
}

struct Kind {
  FormatId factors;
  Shape shape;
  FormatId accumulator;
  Machine machine;
};
const Kind kKinds[] = {
    {FormatId::F16, tensor_core::kF16, FormatId::F32, {25, 24, false, -133, 16}},
    {FormatId::BF16, tensor_core::kBf16, FormatId::F32, {25, 24, false, -133, 16}},
    {FormatId::TF32, tensor_core::kTf32, FormatId::F32, {25, 24, false, -133, 4}},
    {FormatId::F16, tensor_core::kF16, FormatId::F16, {25, 11, true, -22, 16}},
};

TEST(Row, AgreesWithTheSimulator) {
  base::Random random(7);
  for (const Kind& kind : kKinds) {
    const auto& format = number::format(kind.factors);
    // Any word, words of a narrow range, and a few words again and again: cancellation.
    const auto draw = [&](const number::Format& of, int how) {
      const std::uint32_t any = static_cast<std::uint32_t>(random.next() & of.word_mask());
      if (how == 0) return any;
      const double small = static_cast<double>(random.next() % 64) - 32;
      return word_of(of.id, how == 1 ? small * std::ldexp(1.0, static_cast<int>(random.next() % 24) - 16) : small);
    };
    for (int trial = 0; trial < 3000; ++trial) {
      const int how = trial % 3;
      std::vector<std::uint32_t> row, column;
      std::vector<double> x, y;
      for (std::size_t k = 0; k < 16; ++k) {
        row.push_back(draw(format, how));
        column.push_back(draw(format, how));
        // TF32's NaNs that the simulator would read as Inf.
        if (kind.factors == FormatId::TF32) row.back() &= ~0x1fffu, column.back() &= ~0x1fffu;
        x.push_back(value_of(kind.factors, row.back()));
        y.push_back(value_of(kind.factors, column.back()));
      }
      const std::uint32_t c = draw(number::format(kind.accumulator), how);
      const double expected =
          tensor_core::slice(kind.machine, x, kind.shape, y, kind.shape, value_of(kind.accumulator, c));
      const std::uint32_t result = product(kind.factors, row, column, kind.accumulator, c, kind.accumulator);
      if (std::isnan(expected)) {
        EXPECT_EQ(result, number::canonical_nan(number::format(kind.accumulator)));
      } else {
        EXPECT_EQ(result, word_of(kind.accumulator, expected)) << format.name << ", trial " << trial;
      }
    }
  }
}

std::uint32_t of_values(FormatId factors, std::vector<double> row, std::vector<double> column, double c,
                        FormatId accumulator) {
  std::vector<std::uint32_t> x, y;
  row.resize(16), column.resize(16);
  for (const double value : row) x.push_back(word_of(factors, value));
  for (const double value : column) y.push_back(word_of(factors, value));
  return product(factors, x, y, accumulator, word_of(accumulator, c), accumulator);
}

TEST(Row, TruncatesToF32AndRoundsToF16) {
  const double odd = 1 + 0x1p-10;
  // 2 + 2^-10 + 2^-9 + 2^-20: one bit more than F16 keeps, and what makes it no tie.
  EXPECT_EQ(of_values(FormatId::F16, {odd, 0x1p-10}, {2 + 0x1p-9, 1}, 0, FormatId::F16),
            word_of(FormatId::F16, 2.00586));
  // A tie between 2048 and 2050 goes to the even one, one between 2050 and 2052 too.
  EXPECT_EQ(of_values(FormatId::F16, {2048, 1}, {1, 1}, 0, FormatId::F16), word_of(FormatId::F16, 2048));
  EXPECT_EQ(of_values(FormatId::F16, {2048, 1}, {1, 1}, 2, FormatId::F16), word_of(FormatId::F16, 2052));
  // 65504 is the largest; 65519 rounds to it and 65520 does not.
  EXPECT_EQ(of_values(FormatId::F16, {15}, {1}, 65504, FormatId::F16), 0x7bffu);
  EXPECT_EQ(of_values(FormatId::F16, {16}, {1}, 65504, FormatId::F16), 0x7c00u);
  // 1 + 2^-24 is truncated in F32, and so is 1 + 1.5 * 2^-23; two of 2^-24 are added before.
  EXPECT_EQ(of_values(FormatId::F16, {1, 0x1p-12}, {1, 0x1p-12}, 0, FormatId::F32), 0x3f800000u);
  EXPECT_EQ(of_values(FormatId::F16, {1, 0x1p-12, 0x1p-11}, {1, 0x1p-12, 0x1p-12}, 0, FormatId::F32), 0x3f800001u);
  EXPECT_EQ(of_values(FormatId::F16, {1, 0x1p-12, 0x1p-12}, {1, 0x1p-12, 0x1p-12}, 0, FormatId::F32), 0x3f800001u);
  // The largest F32 and one unit of it more overflow, although the conversion truncates.
  EXPECT_EQ(of_values(FormatId::BF16, {0x1p100}, {0x1p4}, 0x1.fffffep127, FormatId::F32), 0x7f800000u);
  EXPECT_EQ(of_values(FormatId::BF16, {0x1p100}, {0x1p3}, 0x1.fffffep127, FormatId::F32), 0x7f7fffffu);
  // Zeros are +0, also where a negative sum is truncated away.
  EXPECT_EQ(of_values(FormatId::F16, {-0.0}, {1}, -0.0, FormatId::F32), 0u);
  EXPECT_EQ(of_values(FormatId::BF16, {-0x1p-80}, {0x1p-80}, 0, FormatId::F32), 0u);
}

TEST(Row, F32CMayEnterAnF16Accumulator) {
  std::vector<std::uint32_t> zeros(16, 0);
  EXPECT_EQ(product(FormatId::F16, zeros, zeros, FormatId::F32, word_of(FormatId::F32, 2049), FormatId::F16),
            word_of(FormatId::F16, 2048));
  EXPECT_EQ(product(FormatId::F16, zeros, zeros, FormatId::F16, 0x0001, FormatId::F32),
            word_of(FormatId::F32, 0x1p-24));
}

TEST(Row, IntegersWrapOrSaturate) {
  const std::array<std::int8_t, 16> row = {-128, -128, 127}, column = {-128, -128, -128};
  const std::array<std::uint8_t, 16> bytes = {255, 255, 1};
  std::int32_t c = 7, d = 0;
  multiply_row(row.data(), column.data(), 16, 1, &c, &d, false);
  EXPECT_EQ(d, 7 + 2 * 16384 - 16256);
  multiply_row(bytes.data(), bytes.data(), 16, 1, &c, &d, false);
  EXPECT_EQ(d, 7 + 2 * 65025 + 1);
  c = std::numeric_limits<std::int32_t>::max();
  multiply_row(bytes.data(), bytes.data(), 16, 1, &c, &d, false);
  EXPECT_EQ(d, std::numeric_limits<std::int32_t>::min() + 130050);
  multiply_row(bytes.data(), bytes.data(), 16, 1, &c, &d, true);
  EXPECT_EQ(d, c);
}

// What wmma gave on an H100, where the records of mma.sync have no such case.

std::vector<std::uint32_t> padded(std::vector<std::uint32_t> words, std::size_t depth) {
  words.resize(depth);
  return words;
}

TEST(Row, TheFloorOfF16SumsIsTwoToTheMinus21) {
  // 2^-25 is half of the least F16, and to even it goes down; a bit of 2^-46 beside it is kept, one of 2^-47 is not.
  const auto sum_with = [](std::uint32_t x, std::uint32_t y) {
    return product(FormatId::F16, padded({0x0c00, x}, 16), padded({0x0800, y}, 16), FormatId::F16, 0, FormatId::F16);
  };
  EXPECT_EQ(sum_with(0x0002, 0x0002), 0x0001u);
  EXPECT_EQ(sum_with(0x0002, 0x0001), 0x0000u);
}

TEST(Row, ASumThatIsTruncatedToZeroIsPositive) {
  // -2^-151.
  EXPECT_EQ(product(FormatId::BF16, padded({0x9a00}, 16), padded({0x1980}, 16), FormatId::F32, 0, FormatId::F32), 0u);
}

TEST(Row, Tf32DropsThePayloadOfANan) {
  const auto times_one = [](std::uint32_t word) {
    return product(FormatId::TF32, padded({word}, 8), padded({0x3f800000}, 8), FormatId::F32, 0, FormatId::F32);
  };
  EXPECT_EQ(times_one(0x7f800001), 0x7f800000u);
  EXPECT_EQ(times_one(0xff801fff), 0xff800000u);
  EXPECT_EQ(times_one(0x7f802000), 0x7fffffffu);
}

}  // namespace
}  // namespace negzero::matrix_unit
