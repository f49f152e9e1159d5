// The bound of rule 2e against single steps that lose as much as a step can.

#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/oracle/declared.hpp>
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
  double one_step, steps, sparse;  ///< what each construction loses over the bound at least: as measured, rounded down
};

constexpr Row kRows[] = {
    {"hopper_f16", FormatId::F16, kF16, {25, 24, false, 16}, 0.86, 0.90, 0.57},
    {"hopper_bf16", FormatId::BF16, kBf16, {25, 24, false, 16}, 0.86, 0.89, 0.56},
    {"hopper_tf32", FormatId::TF32, kTf32, {25, 24, false, 8}, 0.78, 0.84, 0.57},
    {"hopper_e4m3", FormatId::F8_E4M3, kE4m3, {13, 14, false, 32}, 0.88, 0.83, 0.30},
    {"hopper_e5m2", FormatId::F8_E5M2, kE5m2, {13, 14, false, 32}, 0.82, 0.78, 0.28},
    {"hopper_f16_in_f16", FormatId::F16, kF16, {25, 11, true, 16}, 0.99, 0.92, 0.45},
    {"ampere_f16", FormatId::F16, kF16, {24, 24, false, 8}, 0.81, 0.81, 0.49},
    {"ampere_tf32", FormatId::TF32, kTf32, {24, 24, false, 4}, 0.71, 0.71, 0.49},
    {"turing_f16", FormatId::F16, kF16, {24, 24, false, 8}, 0.81, 0.81, 0.49},
    {"volta_f16", FormatId::F16, kF16, {23, 24, false, 4}, 0.66, 0.66, 0.33},
    {"ada_e4m3", FormatId::F8_E4M3, kE4m3, {13, 14, false, 16}, 0.83, 0.80, 0.30},
    {"blackwell_e4m3", FormatId::F8_E4M3, kE4m3, {25, 24, false, 32}, 0.86, 0.88, 0.53},
};

class Constructed : public testing::TestWithParam<Row> {};

/// Products of two factors, each just below a power of two.
struct Products {
  std::vector<double> a, b;
  Dyadic sum{};

  void push(double x, double y) {
    a.push_back(x);
    b.push_back(y);
    sum += Dyadic::from_double(x) * Dyadic::from_double(y);
  }
  /// As near below 2^exponent as one factor's significand allows; both factors are normal numbers.
  void push_below(int exponent, const Shape& shape) {
    const double most = 2 - std::ldexp(1.0, -shape.fraction_bits);
    const int half = (exponent - 1) / 2;
    push(std::ldexp(most, half), std::ldexp(1.0, exponent - 1 - half));
  }
};

/// The place just below which a step's sum loses most in its one rounding: half a place of 1 to nearest, all of it by
/// truncation; nothing where terms are not kept that far.
std::optional<int> lost_in_rounding(const oracle::Unit& unit) {
  if (unit.nearest) return -unit.result_bits;
  if (unit.kept_bits <= unit.result_bits - 1) return std::nullopt;
  return 1 - unit.result_bits;
}

/// What a sum that came out as 1 lost, over the bound.
double ratio_of(const Row& row, const Products& products, double c, std::int64_t slices) {
  oracle::SteppedTerms terms;
  for (const double a : products.a) terms.products += a != 0 ? 1 : 0;
  terms.depth = products.a.size();
  terms.positive = products.sum + Dyadic::from_double(c);
  terms.with_c = c != 0;
  const contract::Contract contract;
  const oracle::Arithmetic arithmetic(row.unit.nearest ? FormatId::F16 : FormatId::F32, oracle::declared(contract));
  const Dyadic bound =
      oracle::stepped_bound(arithmetic, terms, {.unit = row.unit, .units = {row.unit}, .slices = slices}, std::nullopt);
  return (terms.positive - Dyadic(1)).approximate() / bound.approximate();
}

double result_of(const Row& row, const Products& products, double c) {
  const Machine machine{row.unit.kept_bits, row.unit.result_bits, row.unit.nearest, row.unit.nearest ? -21 : -133,
                        static_cast<std::size_t>(row.unit.shortest)};
  return slice(machine, products.a, row.shape, products.b, row.shape, c);
}

/// One product that is exactly 1 decides the alignment. Every other one, and C, lies just below a step of it, and is
/// lost; but for one product, which makes the exact sum lie just below the next number of the accumulator.
TEST_P(Constructed, OneStepLosesNearlyTheBound) {
  const Row& row = GetParam();
  const int kept = row.unit.kept_bits;
  Products products;
  products.push(1, 1);
  products.push_below(lost_in_rounding(row.unit).value_or(-kept), row.shape);
  for (int i = 2; i < row.unit.shortest; ++i) products.push_below(-kept, row.shape);
  const double c = row.unit.nearest ? 0 : std::ldexp(2 - 0x1p-23, -kept - 1);  // F16 has no number as small as that.
  ASSERT_EQ(result_of(row, products, c), 1);
  const double ratio = ratio_of(row, products, c, 1);
  std::cout << "           " << row.name << ": " << ratio << " of the bound\n";
  EXPECT_GE(ratio, row.one_step);
  EXPECT_LE(ratio, 1);
}

/// Steps behind each other, the accumulator always 1: what is lost adds up, in every product and in every rounding.
TEST_P(Constructed, ManyStepsLoseNearlyTheBound) {
  const Row& row = GetParam();
  const int kept = row.unit.kept_bits;
  Products products;
  for (int t = 0; t < 16; ++t) {
    products.push_below(lost_in_rounding(row.unit).value_or(-kept), row.shape);
    for (int i = 1; i < row.unit.shortest; ++i) products.push_below(-kept, row.shape);
  }
  ASSERT_EQ(result_of(row, products, 1), 1);
  const double ratio = ratio_of(row, products, 1, 1);
  std::cout << "           " << row.name << ": " << ratio << " of the bound\n";
  EXPECT_GE(ratio, row.steps);
  EXPECT_LE(ratio, 1);
}

/// One product a step, among zeros: as many roundings as products.
TEST_P(Constructed, SparseStepsLoseAPartOfTheBoundThatHasNoSlices) {
  const Row& row = GetParam();
  Products products;
  for (int t = 0; t < 64; ++t) {
    products.push_below(lost_in_rounding(row.unit).value_or(-row.unit.kept_bits), row.shape);
    for (int i = 1; i < row.unit.shortest; ++i) products.push(0, 1);
  }
  ASSERT_EQ(result_of(row, products, 1), 1);
  const double ratio = ratio_of(row, products, 1, 0);
  std::cout << "           " << row.name << ": " << ratio << " of the bound\n";
  EXPECT_GE(ratio, row.sparse);
  EXPECT_LE(ratio, 1);
}

INSTANTIATE_TEST_SUITE_P(, Constructed, testing::ValuesIn(kRows),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace negzero::tensor_core
