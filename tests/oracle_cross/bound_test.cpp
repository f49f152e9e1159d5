// The stated bounds of numerics.md against everything that is reachable: the mathematics, before any oracle.

#include "bound.hpp"

#include <bit>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/base/random.hpp>

#include "enumerator.hpp"
#include "formats.hpp"
#include "operands.hpp"

namespace negzero::oracle_cross {
namespace {

using number::FormatId;

struct Setting {
  Machine machine;
  bool products = false;
  bool limits = false;  ///< to trees of few additions above each term
  bool compensate = false;
};

std::string describe(const Setting& setting, const std::vector<Term>& terms) {
  std::string text = "p = " + std::to_string(setting.machine.format().precision) + " mode " +
                     std::to_string(static_cast<int>(setting.machine.rounder.mode)) +
                     (setting.products ? " products" : " values") + (setting.machine.fused ? " fused" : "") +
                     (setting.machine.separate ? " separate" : "") + (setting.compensate ? " compensated" : "") +
                     " flush " + std::to_string(static_cast<int>(setting.machine.rounder.flush)) + "/" +
                     std::to_string(static_cast<int>(setting.machine.inputs)) + ":";
  for (const Term& term : terms) text += " " + to_rational(term.exact.front()).str();
  return text;
}

/// Rules a, c and the flags of section 3 for one operand set. `tightest` keeps the largest error over its bound.
void check(const Setting& setting, const std::vector<Term>& terms, double& tightest) {
  const SmallFormat& format = setting.machine.format();
  const Codes reach =
      setting.compensate ? compensated(setting.machine, terms) : any_order(setting.machine, terms, {true, true});
  const SumFacts known = facts(terms);
  const Rational bound = sum_bound(setting.machine, terms, setting.compensate);
  const Mode mode = setting.machine.rounder.mode;
  const Rational top = reachable_magnitude(setting.machine, known.positive, bound);
  const Rational bottom = reachable_magnitude(setting.machine, known.negative, bound);
  const Rational threshold = overflow_threshold(format, mode);
  const bool may_rise = top >= threshold;
  const bool may_fall = bottom >= threshold;
  const bool exact = !setting.compensate && exact_in_every_order(setting.machine, terms);
  const Rational largest = max_finite(format);
  // Truncation saturates, and faithful rounding may: the ends widen by what can be cut off.
  const bool saturates = mode != Mode::NearestEven;
  const Rational below = saturates ? std::max<Rational>(top - largest, 0) : Rational(0);
  const Rational above = saturates ? std::max<Rational>(bottom - largest, 0) : Rational(0);
  for (const Code code : reach) {
    // The compensation of a sum that overflows in one direction can be an infinity of either sign; a format without
    // infinities overflows to NaN.
    const bool either = setting.compensate || !format.has_infinity;
    if (code == kNan) {
      ASSERT_TRUE(either ? may_rise || may_fall : may_rise && may_fall) << describe(setting, terms);
    } else if (!is_finite(format, code)) {
      const bool permitted = (code & kSignBit) != 0 ? may_fall : may_rise;
      ASSERT_TRUE(setting.compensate ? may_rise || may_fall : permitted) << describe(setting, terms);
    } else {
      const Rational error = to_rational(format.decode(code)) - known.sum;
      ASSERT_TRUE(!exact || error == 0) << describe(setting, terms);
      ASSERT_LE(error, bound + above) << describe(setting, terms) << " bound " << bound;
      ASSERT_GE(error, -bound - below) << describe(setting, terms) << " bound " << bound;
      if (bound > 0) tightest = std::max(tightest, static_cast<double>(Rational(abs(error) / bound)));
    }
  }
}

void sweep(FormatId id, const Setting& setting, std::uint64_t seed, int rounds, std::size_t largest) {
  base::Random random(seed);
  double tightest = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = 2 + random.below(largest - 1);
    const Draw draw = draw_style(random);
    const std::vector<Code> a = draw_values(random, id, count, draw);
    const std::vector<Code> b = draw_values(random, id, count, setting.products ? draw_partner(random, draw) : draw);
    std::vector<Term> terms;
    for (std::size_t i = 0; i < count; ++i) {
      const Number x = setting.machine.format().decode(a[i]);
      const Number y = setting.machine.format().decode(b[i]);
      terms.push_back(setting.products ? Term{{multiply(x, y)}, true} : Term{{x}, false});
    }
    Setting own = setting;
    if (setting.limits) {
      const int flattest = std::bit_width(count - 1);
      own.machine.additions = flattest + static_cast<int>(random.below(2));
    }
    check(own, terms, tightest);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tightest, 0.2) << "the sweep came nowhere near the bound";
}

TEST(Bound, HoldsForEveryTreeOfSmallFormats) {
  for (const FormatId id : {FormatId::F8_E5M2, FormatId::F8_E4M3}) {
    for (const Mode mode : {Mode::NearestEven, Mode::TowardZero, Mode::Faithful}) {
      for (const bool products : {false, true}) {
        for (const bool fused : {false, true}) {
          Setting setting;
          setting.machine.rounder.format = small_format(id);
          setting.machine.rounder.mode = mode;
          setting.machine.fused = fused;
          setting.machine.separate = !fused;
          setting.products = products;
          sweep(id, setting, 11, mode == Mode::Faithful ? 150 : 600, mode == Mode::Faithful ? 4 : 5);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(Bound, HoldsForTreesOfADeclaredDepth) {
  for (const FormatId id : {FormatId::F8_E5M2, FormatId::F8_E4M3}) {
    for (const Flush flush : {Flush::Keep, Flush::Either}) {
      for (const bool products : {false, true}) {
        Setting setting;
        setting.machine.rounder.format = small_format(id);
        setting.machine.rounder.flush = setting.machine.inputs = flush;
        setting.products = products;
        setting.limits = true;
        sweep(id, setting, 15, 600, flush == Flush::Keep ? 6 : 5);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Bound, HoldsInF16AndBF16) {
  for (const FormatId id : {FormatId::F16, FormatId::BF16}) {
    for (const bool products : {false, true}) {
      Setting setting;
      setting.machine.rounder.format = small_format(id);
      setting.products = products;
      sweep(id, setting, 12, 1000, 4);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Bound, HoldsForCompensatedSums) {
  for (const FormatId id : {FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16}) {
    Setting setting;
    setting.machine.rounder.format = small_format(id);
    setting.compensate = true;
    sweep(id, setting, 13, 1500, 4);
    if (HasFatalFailure()) return;
  }
}

TEST(Bound, HoldsWhereResultsAndInputsMayBeFlushed) {
  for (const Flush inputs : {Flush::Keep, Flush::Flush, Flush::Either}) {
    for (const Flush results : {Flush::Keep, Flush::Flush, Flush::Either}) {
      for (const bool products : {false, true}) {
        Setting setting;
        setting.machine.rounder.format = small_format(FormatId::F8_E5M2);
        setting.machine.rounder.flush = results;
        setting.machine.inputs = inputs;
        setting.products = products;
        sweep(FormatId::F8_E5M2, setting, 14, 500, 4);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Bound, RationalsBecomeNumbersThatRoundAlike) {
  const SmallFormat f16 = small_format(FormatId::F16);
  const Rational third = Rational(1) / 3;
  EXPECT_EQ(to_rational(f16.decode(Rounder{f16, Mode::Down}.round(to_number(third)))), Rational(1365) / 4096);
  EXPECT_EQ(to_rational(f16.decode(Rounder{f16, Mode::Up}.round(to_number(-third)))), Rational(-1365) / 4096);
  EXPECT_EQ(to_rational(to_number(Rational(-5) / 8)), Rational(-5) / 8);
  EXPECT_EQ(ulp(f16, 2048), 2);
  EXPECT_EQ(ulp(f16, 0), power_of_two(-24));
}

}  // namespace
}  // namespace negzero::oracle_cross
