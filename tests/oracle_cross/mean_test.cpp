// Means against brute force: every sum of every tree, divided or multiplied by the rounded reciprocal.

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "bound.hpp"
#include "drawing.hpp"
#include "values.hpp"

namespace negzero::oracle_cross {
namespace {

using contract::MeanForm;
using number::FormatId;

/// v / count and v * fl(1 / count) for each sum, as the contract allows.
Codes means(const Machine& machine, const Codes& sums, std::int64_t count, MeanForm form) {
  const SmallFormat& format = machine.format();
  const Code reciprocal = machine.rounder.round(to_number(Rational(1) / count));
  Codes out;
  for (const Code code : sums) {
    const Number sum = format.decode(code);
    if (sum.kind != Number::Kind::Finite || sum.is_zero()) {
      out.push_back(code);
      continue;
    }
    if (form != MeanForm::Reciprocal) machine.rounder.round(to_number(to_rational(sum) / count), out);
    if (form != MeanForm::Divide) machine.rounder.round(multiply(sum, format.decode(reciprocal)), out);
  }
  tidy(out);
  return out;
}

/// Each element over the count, or times fl(1 / count), and then the sum.
Codes means_of_terms(const Scenario& scenario, const Machine& machine, const OperandSet& set) {
  const auto count = static_cast<std::int64_t>(set.a.size());
  const SmallFormat& format = machine.format();
  const Number reciprocal = format.decode(machine.rounder.round(to_number(Rational(1) / count)));
  std::vector<Term> quotients;
  std::vector<Term> products;
  for (const Code code : set.a) {
    const Number x = format.decode(code);
    products.push_back({{multiply(x, reciprocal)}, true});
    const Code quotient = x.is_zero() ? code : machine.rounder.round(to_number(to_rational(x) / count));
    quotients.push_back({{format.decode(quotient)}, false});
  }
  Codes out;
  for (const auto& terms : {quotients, products}) {
    const Codes sums = scenario.contract.order == contract::Order::Any
                           ? any_order(machine, terms, {true, true})
                           : ascending(machine, terms, {true, true}, std::nullopt);
    out.insert(out.end(), sums.begin(), sums.end());
  }
  tidy(out);
  return out;
}

operation::Case mean_case(const Scenario& scenario, const std::vector<OperandSet>& sets) {
  operation::Case value = make_case(scenario, sets);
  std::get<operation::Reduce>(value.operation).kind = operation::ReduceKind::Mean;
  return value;
}

TEST(Mean, IsEverySumOverTheCount) {
  base::Random random = base::Random(seed_of_run()).split(301);
  const std::uint64_t wanted = sets_of_run(10'000);
  std::uint64_t compared = 0;
  std::uint64_t equal = 0;
  while (compared < wanted) {
    const FormatId id = std::vector{FormatId::F8_E5M2, FormatId::F8_E4M3, FormatId::F16, FormatId::BF16,
                                    FormatId::F32}[random.below(5)];
    Scenario scenario = plain_sum(id);
    scenario.contract.mean =
        std::vector{MeanForm::Any, MeanForm::Divide, MeanForm::Reciprocal, MeanForm::Terms}[random.below(4)];
    scenario.contract.mean_may_overflow = random.one_in(2);
    if (random.one_in(3)) scenario.contract.order = contract::Order::Ascending;
    const std::size_t count = 1 + random.below(5);
    std::vector<OperandSet> sets;
    while (sets.size() < 16) {
      Draw draw = draw_style(random);
      sets.push_back({draw_values(random, id, count, draw), {}, 0});
    }
    const operation::Case value = mean_case(scenario, sets);
    const auto oracle = oracle::Oracle::make(value, scenario.contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    const Machine machine = declared_machine(scenario.contract);
    for (std::size_t i = 0; i < sets.size(); ++i, ++compared) {
      const oracle::Permitted permitted = oracle->permitted(static_cast<std::int64_t>(i));
      // The sums themselves come from the enumerator as those of a plain reduction do.
      const Codes sums = reach(scenario, sets[i]);
      const Codes codes = scenario.contract.mean == MeanForm::Terms
                              ? means_of_terms(scenario, machine, sets[i])
                              : means(machine, sums, static_cast<std::int64_t>(count), scenario.contract.mean);
      bool overflows = false;
      std::int64_t low = INT64_MAX;
      std::int64_t high = INT64_MIN;
      for (const Code code : codes) {
        const bool special = code == kNan || !is_finite(machine.format(), code);
        overflows = overflows || special;
        // An implementation whose sum overflows breaks a contract that does not declare it.
        if (special && !scenario.contract.mean_may_overflow) continue;
        ASSERT_TRUE(permitted.contains(to_word(id, code)))
            << number::to_decimal(number::format(id), to_word(id, code)) << " not in " << permitted.to_string()
            << " by " << permitted.rule << ": mean of " << describe(scenario, sets[i]);
        if (special) continue;
        low = std::min(low, steps(code));
        high = std::max(high, steps(code));
      }
      if (overflows) continue;
      if (permitted.rule != "sum.exact" && permitted.rule != "sum.hull" && permitted.rule != "sum.ascending") continue;
      ++equal;
      ASSERT_EQ(permitted.low, low) << permitted.to_string() << " by " << permitted.rule << ": mean of "
                                    << describe(scenario, sets[i]);
      ASSERT_EQ(permitted.high, high) << permitted.to_string() << " by " << permitted.rule << ": mean of "
                                      << describe(scenario, sets[i]);
    }
  }
  EXPECT_GT(equal, wanted / 2);
  RecordProperty("operand_sets", std::to_string(compared));
  std::cout << "means: " << compared << " operand sets, " << equal << " exactly the hull\n";
}

// numerics.md section 1: "the intermediate sum may not overflow unless declared".
TEST(Mean, TheSumMayOverflowOnlyWhereDeclared) {
  Scenario scenario = plain_sum(FormatId::F16);
  const OperandSet set{codes_of(FormatId::F16, {60000, 60000, 60000}), {}, 0};
  const operation::Case value = mean_case(scenario, {set});
  for (const bool declared : {false, true}) {
    scenario.contract.mean_may_overflow = declared;
    const auto oracle = oracle::Oracle::make(value, scenario.contract);
    ASSERT_TRUE(oracle) << oracle.error().message;
    const oracle::Permitted permitted = oracle->permitted(0);
    EXPECT_EQ(permits(permitted, kInfinity), declared) << permitted.to_string();
    EXPECT_TRUE(declared || permits(permitted, 60000)) << permitted.to_string();
  }
}

}  // namespace
}  // namespace negzero::oracle_cross
