// Every shipped conversion on the values around which conversions err, against number::convert().

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness.hpp"

namespace negzero::kernels_test {
namespace {

class Conversions : public ::testing::TestWithParam<const kernel::Kernel*> {};

std::vector<std::uint64_t> corners(const number::Format& from, const number::Format& to) {
  std::vector<std::uint64_t> words;
  if (from.is_integer()) {
    for (const std::int64_t x : {0, 1, 2049, 2051, 65519, 65520, 16777217, 16777219, 0x7fffffff}) {
      for (const std::int64_t integer : {x, -x}) words.push_back(static_cast<std::uint32_t>(integer));
    }
    return words;
  }
  words = {number::canonical_nan(from), number::infinity(from), number::infinity(from, true), number::zero(from, true)};
  for (const double x : {0.5, 1.5, 2.5, 0x1p31, 0x1p31 - 0.5, 7e9, 1 + 0x1p-8, 1 + 0x1p-11, 1 + 3 * 0x1p-11,
                         1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-24}) {
    for (const double each : {x, -x}) words.push_back(number::from_double(from, each));
  }
  if (to.is_integer()) return words;
  for (const std::uint64_t edge : {number::max_finite(to), number::min_normal(to), number::min_subnormal(to)}) {
    const double at = number::to_double(to, edge);
    for (const double each : {at, -at, at * (1 + 0x1p-12), at * (1 - 0x1p-12), at / 2, at * 1.5}) {
      words.push_back(number::from_double(from, each));
    }
  }
  return words;
}

TEST_P(Conversions, AreThoseOfTheDeclaredRounding) {
  const number::Format& from = number::format(GetParam()->limits.formats.at(0).at(0));
  const number::Format& to = number::format(GetParam()->limits.formats.at(0).at(1));
  for (const Lie lie : {Lie::Packed, Lie::Padded}) {
    const Convert convert{.x = corners(from, to), .lie = lie};
    number::EncodeOptions options{.rounding = GetParam()->contract.output_rounding};
    if (to.is_integer()) options.overflow = number::Overflow::Saturate;
    for (const How& how : runs()) {
      const Output output = run(*GetParam(), convert, how);
      ASSERT_EQ(output.report.status, engine::LaunchStatus::Ok);
      EXPECT_TRUE(output.surroundings_intact);
      for (std::size_t i = 0; i < convert.x.size(); ++i) {
        std::uint64_t expected = number::convert(from, convert.x[i], to, options);
        // PTX cvt: a NaN of 64 bits gives -2^31, others 0.
        if (to.is_integer() && from.bits == 64 && number::is_nan(from, convert.x[i])) expected = to.sign_mask();
        if (number::is_nan(to, expected)) {
          EXPECT_TRUE(number::is_nan(to, output.words[i])) << number::to_hex(from, convert.x[i]);
        } else {
          EXPECT_EQ(output.words[i], expected) << number::to_hex(from, convert.x[i]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, Conversions, ::testing::ValuesIn(kernels_like("convert.*")), test_name);

}  // namespace
}  // namespace negzero::kernels_test
