// Whole sums of simulated tensor cores in random shapes, slices and orders: each is permitted.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

#include "one_element.hpp"
#include "stepper.hpp"

namespace negzero::tensor_core {
namespace {

using base::Random;
using contract::TensorCore;
using contract::Unit;
using number::FormatId;

/// A unit with instructions of a length that it has.
struct Simulation {
  Unit unit;
  FormatId a, b;
  FormatId accumulate;
  Machine machine;
};

constexpr Simulation kSimulations[] = {
    {Unit::Hopper, FormatId::F16, FormatId::F16, FormatId::F32, {25, 24, false, -133, 16}},
    {Unit::Hopper, FormatId::F16, FormatId::F16, FormatId::F32, {25, 24, false, -133, 8}},
    {Unit::Hopper, FormatId::BF16, FormatId::BF16, FormatId::F32, {25, 24, false, -133, 16}},
    {Unit::Hopper, FormatId::TF32, FormatId::TF32, FormatId::F32, {25, 24, false, -133, 8}},
    {Unit::Hopper, FormatId::TF32, FormatId::TF32, FormatId::F32, {25, 24, false, -133, 4}},
    {Unit::Hopper, FormatId::F8_E4M3, FormatId::F8_E4M3, FormatId::F32, {13, 14, false, -133, 32}},
    {Unit::Hopper, FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F32, {13, 14, false, -133, 32}},
    {Unit::Hopper, FormatId::F16, FormatId::F16, FormatId::F16, {25, 11, true, -21, 16}},
    {Unit::Hopper, FormatId::F16, FormatId::F16, FormatId::F16, {25, 11, true, -133, 8}},
    {Unit::Ampere, FormatId::F16, FormatId::F16, FormatId::F32, {24, 24, false, -133, 8}},
    {Unit::Ampere, FormatId::TF32, FormatId::TF32, FormatId::F32, {24, 24, false, -133, 4}},
    {Unit::Turing, FormatId::F16, FormatId::F16, FormatId::F32, {24, 24, false, -133, 8}},
    {Unit::Volta, FormatId::F16, FormatId::F16, FormatId::F32, {23, 24, false, -133, 4}},
    {Unit::Ada, FormatId::F8_E4M3, FormatId::F8_E4M3, FormatId::F32, {13, 14, false, -133, 16}},
    {Unit::Blackwell, FormatId::F8_E5M2, FormatId::F8_E5M2, FormatId::F32, {25, 24, false, -133, 32}},
};

const Shape& shape_of(FormatId id) {
  switch (id) {
    case FormatId::F16:
      return kF16;
    case FormatId::BF16:
      return kBf16;
    case FormatId::TF32:
      return kTf32;
    case FormatId::F8_E4M3:
      return kE4m3;
    default:
      return kE5m2;
  }
}

/// What the values of one operand are like.
enum class Kind : std::uint8_t { Normal, Bits, Subnormal, Mixed, Tiny, PowersOfTwo, Ones, Specials };
constexpr std::uint64_t kKinds = 8;

double draw_value(Random& random, Kind kind, const Shape& shape) {
  const auto significand = [&] {
    return 1 + std::ldexp(static_cast<double>(random.below(1u << shape.fraction_bits)), -shape.fraction_bits);
  };
  const double sign = random.below(2) == 0 ? 1 : -1;
  const auto subnormal = [&] {
    return std::ldexp(static_cast<double>(random.below(1u << shape.fraction_bits)),
                      shape.least_exponent - shape.fraction_bits);
  };
  switch (kind) {
    case Kind::Normal:
      return sign * std::ldexp(significand(), static_cast<int>(random.between(-4, 1)));
    case Kind::Bits:
      return sign * std::ldexp(significand(),
                               static_cast<int>(random.between(shape.least_exponent, shape.greatest_exponent - 1)));
    case Kind::Subnormal:
      return sign * (random.below(4) == 0
                         ? std::ldexp(significand(), static_cast<int>(random.between(shape.least_exponent, 1)))
                         : subnormal());
    case Kind::Mixed:
      return random.below(16) == 0
                 ? sign * std::ldexp(significand(), 3)
                 : sign * std::ldexp(significand(),
                                     static_cast<int>(random.between(std::max(shape.least_exponent, -14), -2)));
    case Kind::Tiny:
      return sign * std::ldexp(significand(),
                               static_cast<int>(random.between(shape.least_exponent, shape.least_exponent + 3)));
    case Kind::PowersOfTwo:
      return sign * std::ldexp(1.0, static_cast<int>(random.between(std::max(shape.least_exponent, -12), 2)));
    case Kind::Ones:
      return random.below(3) == 0 ? 0 * sign : sign;
    case Kind::Specials:
      break;
  }
  const std::uint64_t pick = random.below(24);
  if (pick == 0 && shape.greatest_exponent != 8) return sign * HUGE_VAL;
  if (pick == 1) return std::nan("");
  return draw_value(random, pick < 8 ? Kind::Bits : Kind::Normal, shape);
}

struct Drawn {
  std::vector<double> a, b;
  double c = 0;
  bool reads_c = false;
};

double draw_c(Random& random, FormatId accumulate) {
  const Shape& shape = accumulate == FormatId::F16 ? kF16 : kF32;
  switch (random.below(5)) {
    case 0:
      return 0.0 * (random.below(2) == 0 ? 1 : -1);
    case 1:
      return draw_value(random, Kind::Bits, shape);
    case 2:
      return draw_value(random, Kind::Subnormal, shape);
    default:
      return draw_value(random, Kind::Normal, shape);
  }
}

Drawn draw(Random& random, const Simulation& row) {
  Drawn drawn;
  const auto lengths = random.below(8);
  const auto k = static_cast<std::size_t>(lengths == 0  ? random.between(1, 3)
                                          : lengths < 7 ? random.between(4, 80)
                                                        : random.between(80, 600));
  const auto kind_a = static_cast<Kind>(random.below(kKinds)), kind_b = static_cast<Kind>(random.below(kKinds));
  for (std::size_t i = 0; i < k; ++i) {
    drawn.a.push_back(draw_value(random, kind_a, shape_of(row.a)));
    drawn.b.push_back(draw_value(random, kind_b, shape_of(row.b)));
  }
  if (random.below(4) == 0) {  // Cancellation: the second half takes away what the first one gives, nearly.
    for (std::size_t i = k / 2; i < k; ++i) {
      drawn.a[i] = drawn.a[i - k / 2];
      drawn.b[i] = -drawn.b[i - k / 2];
    }
  }
  drawn.reads_c = random.below(2) == 0;
  if (drawn.reads_c) drawn.c = draw_c(random, row.accumulate);
  return drawn;
}

double added(FormatId accumulate, double x, double y) {
  // Either sum is exact in F64 or rounds there in the same way: 53 >= 2 * 24 + 2 (Figueroa, 1995).
  const auto& format = number::format(accumulate);
  return number::to_double(format, number::from_double(format, x + y));
}

/// The sum in `parts` slices of the products in `order`, whose sums and C meet in any order.
double simulated(Random& random, const Simulation& row, const Drawn& drawn, const std::vector<std::size_t>& order,
                 std::size_t parts) {
  std::vector<double> a, b;
  for (const std::size_t i : order) {
    a.push_back(drawn.a[i]);
    b.push_back(drawn.b[i]);
  }
  std::vector<std::size_t> cuts{0, a.size()};
  for (std::size_t i = 1; i < parts; ++i) cuts.push_back(random.below(a.size() + 1));
  std::ranges::sort(cuts);
  const bool starts_at_c = drawn.reads_c && random.below(2) == 0;
  std::vector<double> sums;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const std::size_t begin = cuts[i], count = cuts[i + 1] - begin;
    if (count == 0 && !(i == 0 && starts_at_c)) continue;
    const double c = i == 0 && starts_at_c ? drawn.c : 0;
    sums.push_back(slice(row.machine, std::span(a).subspan(begin, count), shape_of(row.a),
                         std::span(b).subspan(begin, count), shape_of(row.b), c));
  }
  if (drawn.reads_c && !starts_at_c) sums.push_back(drawn.c);
  while (sums.size() > 1) {
    const std::size_t i = random.below(sums.size() - 1);
    sums[i] = added(row.accumulate, sums[i], sums[i + 1]);
    sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(i + 1));
  }
  return sums.front();
}

operation::Case case_of(const Simulation& row, const Drawn& drawn) {
  const auto stored = [](FormatId id) { return id == FormatId::TF32 ? FormatId::F32 : id; };
  operation::Gemm gemm;
  gemm.a = stored(row.a);
  gemm.b = stored(row.b);
  gemm.d = row.accumulate;
  if (drawn.reads_c) gemm.beta = gemm.alpha;
  return one_element(gemm, drawn.a, drawn.b, drawn.c);
}

contract::Contract contract_of(const Simulation& row, TensorCore tensor_core, Unit unit, std::int64_t slices) {
  contract::Contract contract;
  contract.tensor_core = tensor_core;
  contract.unit = unit;
  contract.slices = slices;
  contract.wider = false;
  contract.accumulate = row.accumulate;
  contract.zero_sign = contract::ZeroSign::Ieee;
  if (row.a == FormatId::TF32) contract.multiplicand = contract::Multiplicand::Tf32NearestEven;
  return contract;
}

std::uint64_t sums_of_run() {
  const char* const text = std::getenv("NEGZERO_TENSOR_CORE_SUMS");
  return text == nullptr ? 2000 : std::strtoull(text, nullptr, 10);
}
std::uint64_t seed_of_run() {
  const char* const text = std::getenv("NEGZERO_TENSOR_CORE_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

class Simulated : public testing::TestWithParam<std::size_t> {};

TEST_P(Simulated, EverySumIsPermitted) {
  const Simulation& row = kSimulations[GetParam()];
  const number::Format& output = number::format(row.accumulate);
  std::uint64_t elements = 0, vacuous = 0, singles = 0;
  for (std::uint64_t n = 0; n < sums_of_run(); ++n) {
    Random random = Random(seed_of_run()).split(n * 64 + GetParam());
    const Drawn drawn = draw(random, row);
    const operation::Case value = case_of(row, drawn);
    // In any order with any number of slices; and in ascending order in as many as are declared.
    const auto parts = static_cast<std::size_t>(random.between(1, 4));
    const auto any = oracle::Oracle::make(value, contract_of(row, TensorCore::Only, Unit::Any, 0));
    const auto may = oracle::Oracle::make(value, contract_of(row, TensorCore::May, Unit::Any, 0));
    const auto own =
        oracle::Oracle::make(value, contract_of(row, TensorCore::Only, row.unit, static_cast<std::int64_t>(parts)));
    ASSERT_TRUE(any.ok() && may.ok() && own.ok()) << (any.ok() ? "" : any.error().message);
    const oracle::Permitted any_set = any->permitted(0), may_set = may->permitted(0), own_set = own->permitted(0);
    vacuous += own_set.vacuous ? 1 : 0;
    singles += own_set.finite && own_set.low == own_set.high ? 1 : 0;
    std::vector<std::size_t> order(drawn.a.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int run = 0; run < 8; ++run, ++elements) {
      const bool declared = run < 4;
      if (!declared) {
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      }
      const std::size_t cut = declared ? parts : 1 + random.below(drawn.a.size());
      const double result = simulated(random, row, drawn, order, cut);
      const std::uint64_t word = number::from_double(output, result);
      if (declared) {
        ASSERT_TRUE(own_set.contains(word)) << n << " run " << run << ", " << cut << " slices: " << result << "\n"
                                            << own->explain(0);
      }
      ASSERT_TRUE(any_set.contains(word)) << n << " run " << run << ", " << cut << " slices: " << result << "\n"
                                          << any->explain(0);
      ASSERT_TRUE(may_set.contains(word)) << n << " run " << run << ", " << cut << " slices: " << result << "\n"
                                          << may->explain(0);
    }
  }
  std::cout << "           " << elements << " sums permitted; sets of one number " << singles << ", vacuous " << vacuous
            << " of " << sums_of_run() << "\n";
  EXPECT_GT(elements, 0u);
}

INSTANTIATE_TEST_SUITE_P(Rows, Simulated, testing::Range(std::size_t{0}, std::size(kSimulations)));

}  // namespace
}  // namespace negzero::tensor_core
