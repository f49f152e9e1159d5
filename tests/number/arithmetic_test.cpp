// Sum and product of every pair of each 8-bit format, rounded under every mode, overflow policy and flushing.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>

#include "reference.hpp"

namespace negzero::number {
namespace {

using reference::Exact;

// Finite numbers of both formats are multiples of 2^-16, so sums are too, and products are multiples of 2^-32 below
// 2^32: either fits a 64-bit significand at exponent -32.
constexpr int kUnit = -16;
constexpr int kResultUnit = 2 * kUnit;

Exact in_units(const reference::Value& value) {
  const Exact units = value.magnitude >> (reference::kPoint + kUnit);
  return value.negative ? Exact(-units) : units;
}

class EightBit : public testing::TestWithParam<FormatId> {
 protected:
  /// Rounds `result`, a number of units of 2^kResultUnit; an exact zero is `zero_negative`'s.
  void check(reference::Disagreements& disagreements, const Exact& result, bool zero_negative, const char* operation,
             std::uint64_t a, std::uint64_t b) {
    const bool negative = result == 0 ? zero_negative : result < 0;
    const Exact magnitude = negative ? Exact(-result) : result;
    const auto significand = static_cast<std::uint64_t>(magnitude);
    ASSERT_EQ(Exact(significand), magnitude);
    const reference::Place place = reference::locate(GetParam(), magnitude << (reference::kPoint + kResultUnit));
    const Format& f = format(GetParam());
    for (const EncodeOptions& options : reference::every_options()) {
      disagreements.expect_equal(
          encode(f, negative, significand, kResultUnit, false, options),
          reference::resolve(GetParam(), negative, place, options),
          [&] { return reference::hex(a) + operation + reference::hex(b) + " " + reference::describe(options); });
    }
  }
};

TEST_P(EightBit, SumAndProductOfEveryPair) {
  std::vector<reference::Value> values;
  for (std::uint64_t word = 0; word < 256; ++word) values.push_back(reference::value_of(GetParam(), word));
  reference::Disagreements disagreements;
  std::size_t pairs = 0;
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256; ++b) {
      const reference::Value& x = values[a];
      const reference::Value& y = values[b];
      if (x.kind >= Class::Infinity || y.kind >= Class::Infinity) continue;
      ++pairs;
      const Exact sum = (in_units(x) + in_units(y)) * (Exact(1) << -kUnit);
      check(disagreements, sum, x.negative && y.negative, " + ", a, b);
      check(disagreements, in_units(x) * in_units(y), x.negative != y.negative, " * ", a, b);
    }
  }
  EXPECT_EQ(pairs, GetParam() == FormatId::F8_E4M3 ? 254u * 254u : 248u * 248u);
}

INSTANTIATE_TEST_SUITE_P(Formats, EightBit, testing::Values(FormatId::F8_E4M3, FormatId::F8_E5M2),
                         [](const auto& tested) { return reference::facts(tested.param).name; });

}  // namespace
}  // namespace negzero::number
