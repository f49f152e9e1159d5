// The bound of rule 2e against single steps that lose as much as a step can.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <negzero/oracle/stepped.hpp>

#include "stepper.hpp"

namespace negzero::tensor_core {
namespace {

using exact::Dyadic;
using number::FormatId;

/// A row of the table of units with instructions of one length, and the largest significand of its factors.
struct Row {
  const char* name;
  FormatId factors;
  Shape shape;
  oracle::Unit unit;
  double ratio;  ///< of the loss to the bound that the construction reaches at least
};

// `ratio`: what was lost over the bound when this was written, rounded down.
constexpr Row kRows[] = {
    {"hopper_f16", FormatId::F16, kF16, {25, 24, false, 16}, 0.86},
    {"hopper_bf16", FormatId::BF16, kBf16, {25, 24, false, 16}, 0.86},
    {"hopper_tf32", FormatId::TF32, kTf32, {25, 24, false, 8}, 0.78},
    {"hopper_e4m3", FormatId::F8_E4M3, kE4m3, {13, 14, false, 32}, 0.88},
    {"hopper_e5m2", FormatId::F8_E5M2, kE5m2, {13, 14, false, 32}, 0.82},
    {"hopper_f16_in_f16", FormatId::F16, kF16, {25, 11, true, 16}, 0.99},
    {"ampere_f16", FormatId::F16, kF16, {24, 24, false, 8}, 0.81},
    {"ampere_tf32", FormatId::TF32, kTf32, {24, 24, false, 4}, 0.71},
    {"turing_f16", FormatId::F16, kF16, {24, 24, false, 8}, 0.81},
    {"volta_f16", FormatId::F16, kF16, {23, 24, false, 4}, 0.66},
    {"ada_e4m3", FormatId::F8_E4M3, kE4m3, {13, 14, false, 16}, 0.83},
    {"blackwell_e4m3", FormatId::F8_E4M3, kE4m3, {25, 24, false, 32}, 0.86},
};

class Constructed : public testing::TestWithParam<Row> {};

/// One product that is exactly 1 decides the alignment. Every other one, and C, lies just below a step of it, and is
/// lost; but for one product, which makes the exact sum lie just below the next number of the accumulator.
TEST_P(Constructed, OneStepLosesNearlyTheBound) {
  const Row& row = GetParam();
  const int kept = row.unit.kept_bits;
  const auto length = static_cast<std::size_t>(row.unit.shortest);
  const double most = 2 - std::ldexp(1.0, -row.shape.fraction_bits);  // the largest significand
  // Products of `exponent` just below 2^exponent, split over two factors that are normal numbers.
  const auto factor = [&](int exponent) { return exponent / 2; };
  std::vector<double> a(length, std::ldexp(most, factor(-kept - 1))),
      b(length, std::ldexp(1.0, -kept - 1 - factor(-kept - 1)));
  a[0] = b[0] = 1;
  const int last = row.unit.result_bits - 1;
  if (row.unit.nearest) {  // Half a place above 1, and a little less, rounds down.
    a[1] = std::ldexp(most, factor(-row.unit.result_bits - 1));
    b[1] = std::ldexp(1.0, -row.unit.result_bits - 1 - factor(-row.unit.result_bits - 1));
  } else if (kept > last) {
    a[1] = std::ldexp(most, factor(-last - 1));
    b[1] = std::ldexp(1.0, -last - 1 - factor(-last - 1));
  }
  double c = std::ldexp(2 - 0x1p-23, -kept - 1);
  if (row.unit.nearest) c = 0;  // F16 has no number as small as that.
  const Machine machine{kept, row.unit.result_bits, row.unit.nearest, row.unit.nearest ? -21 : -133, length};
  const double result = slice(machine, a, row.shape, b, row.shape, c);
  ASSERT_EQ(result, 1);

  Dyadic sum = Dyadic::from_double(c);
  for (std::size_t i = 0; i < length; ++i) sum += Dyadic::from_double(a[i]) * Dyadic::from_double(b[i]);
  oracle::SteppedTerms terms;
  terms.products = terms.depth = length;
  terms.positive = sum;
  terms.with_c = c != 0;
  const contract::Contract contract;
  const oracle::Arithmetic arithmetic(row.unit.nearest ? FormatId::F16 : FormatId::F32, contract);
  const Dyadic bound = oracle::stepped_bound(arithmetic, terms, {.unit = row.unit, .slices = 1});
  const double ratio = (sum - Dyadic::from_double(result)).approximate() / bound.approximate();
  std::cout << "           " << row.name << ": " << ratio << " of the bound\n";
  EXPECT_GE(ratio, row.ratio);
  EXPECT_LE(ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(, Constructed, testing::ValuesIn(kRows),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace negzero::tensor_core
