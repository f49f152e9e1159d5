// Faults that change the bits are refused: the oracle asked about wrong results of every kind (faulty.hpp), and about
// all right ones of the same sums (every.hpp).
//
// NEGZERO_FAULTS asks for so many changed results of each kind and m, spread over the contracts, and prints the table
// and the smallest wrong results that are accepted. NEGZERO_FAULTS_SEED moves the streams.

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "../legal/legal_run.hpp"
#include "drawn.hpp"
#include "faulty.hpp"
#include "found.hpp"
#include "tally.hpp"

namespace negzero::oracle_faults {
namespace {

using oracle_legal::number_of;

/// m. Up to kMostDecided every legal result is enumerated.
constexpr std::size_t kTerms[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 64};
constexpr std::size_t kMostDecided = 4;
constexpr std::size_t kMostAdditions = 400'000;

/// Faults of one kind under one contract, in sums of so many terms.
Counts ask(const Setting& setting, Fault fault, std::size_t terms, std::uint64_t wanted, base::Random random) {
  Counts counts;
  const contract::Contract contract = contract_of(setting);
  // Few of some kinds change anything.
  const std::uint64_t most = 60 * wanted;
  for (std::uint64_t i = 0; i < most && counts.changed < wanted; ++i) {
    const Question question = drawn_question(setting, terms, random);
    const auto words = planted(question, contract, fault, random);
    if (!words) continue;
    if (words->faulty == words->sound) continue;
    const operation::Case value = case_of(question);
    const auto oracle = oracle::Oracle::make(value, contract);
    if (!oracle) {
      ADD_FAILURE() << setting.contract << ": " << oracle.error().message;
      return counts;
    }
    const oracle::Permitted permitted = oracle->permitted(0);
    const bool is_accepted = permitted.contains(words->faulty);
    ++counts.changed;
    if (!permitted.contains(words->sound)) {
      counts.refused.push_back(row_of(question, setting.contract, words->sound, permitted));
    }
    const Legality legal = legality(question, contract, words->faulty, kMostAdditions, random);
    // Rule a decides the sum, not what an epilogue behind it rounds.
    const bool is_by_rule_a = permitted.rule.id() == "sum.exact" && setting.at != Setting::C::Behind;
    const std::uint64_t one = is_accepted ? 1 : 0;
    if (is_by_rule_a) counts.by_rule_a.add({1, one});
    if (legal == Legality::Illegal) counts.illegal.add({1, one});
    if (legal == Legality::Beyond) counts.beyond.add({1, one});
    if (legal == Legality::Within) counts.within.add({1, one});
    const bool is_missed = is_accepted && (is_by_rule_a || legal == Legality::Illegal || legal == Legality::Beyond);
    if (is_missed) counts.keep(row_of(question, setting.contract, words->faulty, permitted), terms);
  }
  return counts;
}

TEST(Faults, ThatChangeTheBitsAreRefused) {
  const std::uint64_t asked = number_of("NEGZERO_FAULTS", 0);
  const base::Random stream(number_of("NEGZERO_FAULTS_SEED", 1));
  Table table(kTerms);
  Share few;  // of at most kMostDecided terms, without tensor cores
  std::uint64_t label = 0;
  for (const Fault fault : all_faults()) {
    std::vector<Setting> places;
    std::ranges::copy_if(settings(), std::back_inserter(places),
                         [&](const Setting& setting) { return has_place(contract_of(setting), fault); });
    for (const std::size_t terms : kTerms) {
      if (asked == 0 && terms > kMostDecided) continue;
      // A search among the orders of so many terms takes a tenth of a second.
      const std::uint64_t wanted = asked == 0 ? 200 : terms > 16 ? asked / 10 : asked;
      for (const Setting& setting : places) {
        ++label;
        if (terms == 1 && setting.at == Setting::C::Leaf) continue;
        const Counts counts = ask(setting, fault, terms, 1 + wanted / places.size(), stream.split(label));
        const bool is_unit = contract_of(setting).tensor_core == contract::TensorCore::Only;
        if (!is_unit && terms <= kMostDecided) few.add(counts.illegal);
        table.add(name(fault), setting, terms, counts);
      }
    }
  }
  if (asked != 0) fmt::print("{}\n", table.text());
  const Counts all = table.all();
  EXPECT_GT(all.by_rule_a.all, 100U) << "few sums are exact: the test asks nothing";
  EXPECT_EQ(all.by_rule_a.accepted, 0U);
  // Of few terms the oracle takes a hull, which holds what no legal evaluation gives.
  EXPECT_LE(100 * few.accepted, few.all);
  for (const std::string& row : all.refused) ADD_FAILURE() << "a legal result is refused: " << row;
}

TEST(Faults, EveryLegalResultIsPermitted) {
  const std::uint64_t asked = number_of("NEGZERO_FAULTS", 20);
  const base::Random stream(number_of("NEGZERO_FAULTS_SEED", 1));
  std::uint64_t label = 1'000'000, compared = 0;
  std::vector<std::string> refused;
  for (const Setting& setting : settings()) {
    for (std::size_t terms = 2; terms <= kMostDecided; ++terms) {
      base::Random random = stream.split(++label);
      const contract::Contract contract = contract_of(setting);
      for (std::uint64_t i = 0; i < asked; ++i) {
        const Question question = drawn_question(setting, terms, random);
        const operation::Case value = case_of(question);
        const oracle::Permitted permitted = oracle::Oracle::make(value, contract)->permitted(0);
        for (const std::uint64_t word : every(question, contract, Reading::Surely, 1'000'000).words) {
          ++compared;
          if (!permitted.contains(word)) refused.push_back(row_of(question, setting.contract, word, permitted));
        }
      }
    }
  }
  fmt::print("{} legal results compared\n", compared);
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, refused.size()); ++i) ADD_FAILURE() << refused[i];
  EXPECT_EQ(refused.size(), 0U) << "legal results are refused";
}

/// Two readings of numerics.md, one by chance and one whole.
TEST(Faults, EveryEvaluationByChanceIsAmongAll) {
  const base::Random stream(number_of("NEGZERO_FAULTS_SEED", 1));
  const std::uint64_t asked = number_of("NEGZERO_FAULTS", 10);
  std::uint64_t label = 2'000'000, compared = 0;
  for (const Setting& setting : settings()) {
    const contract::Contract contract = contract_of(setting);
    for (std::size_t terms = 2; terms <= kMostDecided; ++terms) {
      base::Random random = stream.split(++label);
      for (std::uint64_t i = 0; i < asked; ++i) {
        const Question question = drawn_question(setting, terms, random);
        const Reached reached = every(question, contract, Reading::Possibly, 1'000'000);
        for (int each = 0; each < 20; ++each) {
          const auto legal = oracle_legal::evaluate(question, contract, random);
          compared += legal && reached.is_complete ? 1 : 0;
          if (!legal || reached.has(legal->word)) continue;
          EXPECT_FALSE(reached.is_complete)
              << row_of(question, setting.contract, legal->word, oracle::Permitted(question.d)) << " "
              << oracle_legal::traits_of(legal->traits);
        }
      }
    }
  }
  fmt::print("{} evaluations compared\n", compared);
}

}  // namespace
}  // namespace negzero::oracle_faults
