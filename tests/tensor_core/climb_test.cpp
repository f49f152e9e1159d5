// Climbs towards sums that lose as much of rule 2e's bound as a search can find.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/stepped.hpp>

#include "stepper.hpp"

namespace negzero::tensor_core {
namespace {

using base::Random;
using exact::Dyadic;
using number::FormatId;

struct Climb {
  const char* name;
  FormatId factors;
  Shape shape;
  oracle::Unit unit;
  int floor;
};
constexpr Climb kClimbs[] = {{"hopper_f16", FormatId::F16, kF16, {25, 24, false, 4}, -133},
                             {"volta_f16", FormatId::F16, kF16, {23, 24, false, 4}, -133},
                             {"hopper_bf16", FormatId::BF16, kBf16, {25, 24, false, 2}, -133},
                             {"ampere_tf32", FormatId::TF32, kTf32, {24, 24, false, 4}, -133},
                             {"hopper_e4m3", FormatId::F8_E4M3, kE4m3, {13, 14, false, 4}, -133},
                             {"f16_in_f16", FormatId::F16, kF16, {25, 11, true, 2}, -21},
                             {"f16_in_f16_low", FormatId::F16, kF16, {25, 11, true, 4}, -133}};

/// A sum and how it is run: C enters before the first step, or meets the slices' sums at last.
struct Sum {
  std::vector<double> a, b;
  std::vector<std::size_t> cuts;  ///< inner ends of slices
  double c = 0;
  bool c_first = true;
};

double fl_to(FormatId id, double value) {
  return number::to_double(number::format(id), number::from_double(number::format(id), value));
}

double run_of(const Climb& climb, const Sum& sum) {
  const Machine machine{climb.unit.kept_bits, climb.unit.result_bits, climb.unit.nearest, climb.floor,
                        static_cast<std::size_t>(climb.unit.shortest)};
  const FormatId held = climb.unit.nearest ? FormatId::F16 : FormatId::F32;
  double total = 0;
  std::size_t begin = 0;
  bool first = true;
  std::vector<std::size_t> ends = sum.cuts;
  ends.push_back(sum.a.size());
  std::ranges::sort(ends);
  for (const std::size_t end : ends) {
    const double part =
        slice(machine, std::span(sum.a).subspan(begin, end - begin), climb.shape,
              std::span(sum.b).subspan(begin, end - begin), climb.shape, first && sum.c_first ? sum.c : 0);
    total = first ? part : fl_to(held, total + part);
    first = false;
    begin = end;
  }
  return sum.c_first ? total : fl_to(held, total + sum.c);
}

/// |result - exact| over B, B as the oracle has it; a lost exactness counts as 2.
double lost_of(const Climb& climb, const Sum& sum, bool declares) {
  const double result = run_of(climb, sum);
  if (!std::isfinite(result)) return 0;
  const FormatId held = climb.unit.nearest ? FormatId::F16 : FormatId::F32;
  const contract::Contract contract;
  const oracle::Arithmetic arithmetic(held, oracle::declared(contract));
  oracle::Terms terms;
  Dyadic exact;
  const auto real = [](FormatId id, double x) {
    return oracle::Real::from_encoding(number::format(id), number::from_double(number::format(id), x));
  };
  for (std::size_t i = 0; i < sum.a.size(); ++i) {
    terms.push_product(real(climb.factors, sum.a[i]), real(climb.factors, sum.b[i]), false, true);
    exact += Dyadic::from_double(sum.a[i]) * Dyadic::from_double(sum.b[i]);
  }
  const bool with_c = sum.c != 0;
  if (with_c) {
    terms.push_product(real(held, 1), real(held, sum.c), false);
    exact += Dyadic::from_double(sum.c);
  }
  const int least = number::format(climb.factors).min_normal_exponent();
  const std::int64_t slices = declares ? static_cast<std::int64_t>(sum.cuts.size() + 1) : 0;
  const oracle::Sum steps{.arithmetic = arithmetic,
                          .order = oracle::UnitSteps{{climb.unit, {climb.unit}, least, least, slices}},
                          .c = with_c ? oracle::CAt::Leaf : oracle::CAt::None};
  const oracle::SumResult evaluated = oracle::evaluate(steps, terms, {});
  const Dyadic error = (Dyadic::from_double(result) - exact).abs();
  if (error.is_zero()) return 0;
  if (evaluated.bound.is_zero()) return 2;
  return error.approximate() / evaluated.bound.approximate();
}

double drawn_factor(Random& random, FormatId id) {
  const number::Format& format = number::format(id);
  const double sign = random.below(2) == 0 ? 1 : -1;
  const int low = std::max(format.eta_exponent(), -40), high = std::min(format.max_exponent(), 20);
  const double most = 2 - std::ldexp(1.0, 1 - format.precision());
  const auto pick = random.below(10);
  if (pick == 0) return 0;
  if (pick == 1) return sign * std::ldexp(static_cast<double>(random.between(1, 9)), format.eta_exponent());
  const double significand = pick < 4 ? 1 : pick < 7 ? most : 1 + static_cast<double>(random.below(1024)) * 0x1p-10;
  return number::to_double(
      format, number::from_double(format, sign * std::ldexp(significand, static_cast<int>(random.between(low, high)))));
}

void mutate(Random& random, const Climb& climb, Sum& sum) {
  const FormatId held = climb.unit.nearest ? FormatId::F16 : FormatId::F32;
  const auto nudge = [&](FormatId id, double x) {
    switch (random.below(6)) {
      case 0:
        return fl_to(id, x * 2);
      case 1:
        return fl_to(id, x / 2);
      case 2:
        return -x;
      case 3:
      case 4: {
        const auto& format = number::format(id);
        const auto word = number::from_double(format, x);
        const auto other = number::from_ordinal(format, number::ordinal(format, word) + random.between(-2, 2));
        return number::to_double(format, other);
      }
      default:
        return drawn_factor(random, id);
    }
  };
  const auto finite = [](double x, double old) { return std::isfinite(x) ? x : old; };
  const std::size_t i = random.below(sum.a.size());
  switch (random.below(8)) {
    case 0:
      sum.c = finite(nudge(held, sum.c), sum.c);
      break;
    case 1:
      sum.c_first = !sum.c_first;
      break;
    case 2:
      if (!sum.cuts.empty()) sum.cuts[random.below(sum.cuts.size())] = random.below(sum.a.size() + 1);
      break;
    case 3: {
      const std::size_t j = random.below(sum.a.size());
      sum.a[i] = sum.a[j];
      sum.b[i] = sum.b[j];
      break;
    }
    case 4:
    case 5:
      sum.a[i] = finite(nudge(climb.factors, sum.a[i]), sum.a[i]);
      break;
    default:
      sum.b[i] = finite(nudge(climb.factors, sum.b[i]), sum.b[i]);
  }
}

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Climbing : public testing::TestWithParam<std::size_t> {};

TEST_P(Climbing, NoSumLosesMoreThanTheBound) {
  const Climb& climb = kClimbs[GetParam()];
  Random random = Random(number_of("NEGZERO_TENSOR_CORE_SEED", 1)).split(GetParam());
  double best_of_all = 0;
  for (std::uint64_t n = 0; n < number_of("NEGZERO_TENSOR_CORE_CLIMBS", 12); ++n) {
    Sum sum;
    const auto k = random.between(1, 18);
    for (std::int64_t i = 0; i < k; ++i) {
      sum.a.push_back(drawn_factor(random, climb.factors));
      sum.b.push_back(drawn_factor(random, climb.factors));
    }
    sum.cuts.resize(random.below(3));
    sum.c = random.below(3) == 0 ? 0 : drawn_factor(random, climb.unit.nearest ? FormatId::F16 : FormatId::F32);
    const bool declares = random.below(2) == 0;
    double best = lost_of(climb, sum, declares);
    for (int step = 0; step < 1500; ++step) {
      Sum other = sum;
      for (std::uint64_t i = random.below(3) + 1; i > 0; --i) mutate(random, climb, other);
      const double lost = lost_of(climb, other, declares);
      if (lost < best) continue;
      best = lost;
      sum = other;
    }
    best_of_all = std::max(best_of_all, best);
    if (best > 1) {
      std::string text;
      for (std::size_t i = 0; i < sum.a.size(); ++i)
        text += std::to_string(i) + ": " + std::to_string(std::ilogb(sum.a[i])) + " " +
                std::to_string(sum.a[i] * 0x1p24) + " * " + std::to_string(sum.b[i] * 0x1p24) + " 2^-48\n";
      ADD_FAILURE() << climb.name << " " << best << " declares " << declares << " slices " << sum.cuts.size() + 1
                    << " c " << sum.c << " first " << sum.c_first << "\n"
                    << text;
      return;
    }
  }
  std::cout << "           " << climb.name << ": " << best_of_all << " of the bound\n";
  EXPECT_GT(best_of_all, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Units, Climbing, testing::Range(std::size_t{0}, std::size(kClimbs)));

}  // namespace
}  // namespace negzero::tensor_core
