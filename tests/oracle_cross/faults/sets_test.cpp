// Every word of the oracle's set for a few terms, against the set of all legal results: what is permitted and reached
// by nothing.
//
// NEGZERO_FAULTS asks for so many sums of each contract and m, and prints the table, with the smallest sum whose set
// holds too much.

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/oracle.hpp>

#include "../legal/legal_run.hpp"
#include "drawn.hpp"
#include "tally.hpp"

namespace negzero::oracle_faults {
namespace {

/// Sums of one contract and m, and the words of their sets.
struct Excess {
  std::uint64_t sums = 0, wide = 0;     ///< `wide`: with a word that is not reached
  std::uint64_t words = 0, strays = 0;  ///< of sets that were looked at whole
  Counts smallest{};
};

Excess ask(const Setting& setting, std::size_t terms, std::uint64_t sums, base::Random random) {
  constexpr std::size_t kMost = 400'000;  // additions
  constexpr double kMostWords = 2'000;
  Excess excess;
  const contract::Contract contract = contract_of(setting);
  const number::Format& format = number::format(setting.out);
  for (std::uint64_t i = 0; i < sums; ++i) {
    const Question question = drawn_question(setting, terms, random);
    const operation::Case value = case_of(question);
    const oracle::Permitted permitted = oracle::Oracle::make(value, contract)->permitted(0);
    const Reached reached = every(question, contract, Reading::Possibly, kMost);
    if (!reached.is_complete || permitted.count() > kMostWords) continue;
    std::uint64_t strays = 0;
    for (const oracle::Interval& interval : permitted.intervals()) {
      // The neighbours too, which are none of it.
      for (std::int64_t at = interval.low - 1; at <= interval.high + 1; ++at) {
        const std::uint64_t word = number::from_ordinal(format, at);
        if (!permitted.contains(word)) continue;
        ++excess.words;
        if (reached.has(word)) continue;
        ++strays;
        excess.smallest.keep(row_of(question, setting.contract, word, permitted), terms);
      }
    }
    ++excess.sums;
    excess.wide += strays > 0 ? 1 : 0;
    excess.strays += strays;
  }
  return excess;
}

TEST(Sets, OfOneResultHoldNoOther) {
  const std::uint64_t asked = oracle_legal::number_of("NEGZERO_FAULTS", 0);
  const base::Random stream(oracle_legal::number_of("NEGZERO_FAULTS_SEED", 1));
  std::string table = "words of the set that nothing reaches / words; sums with such / sums, by m", examples;
  std::uint64_t label = 3'000'000, words = 0;
  for (const Setting& setting : settings()) {
    const contract::Contract contract = contract_of(setting);
    if (contract.tensor_core != contract::TensorCore::No) continue;
    const bool is_chain = contract.order == contract::Order::Ascending && !contract.wider &&
                          contract.contraction != contract::Contraction::Either;
    Counts smallest;
    std::string line;
    for (std::size_t terms = 1; terms <= 4; ++terms) {
      ++label;
      if (terms == 1 && setting.at == Setting::C::Leaf) continue;
      const Excess excess = ask(setting, terms, asked == 0 ? 20 : asked, stream.split(label));
      words += excess.words;
      // One chain has one result, and so has one product in one accumulator. Else the oracle takes the hull of what is
      // reached, with its gaps.
      const bool is_one_result = setting.at == Setting::C::None && !contract.wider && terms == 1;
      if (is_chain || is_one_result) {
        EXPECT_EQ(excess.strays, 0U) << excess.smallest.smallest;
      }
      line += fmt::format("  {}: {}/{} {}/{}", terms, excess.strays, excess.words, excess.wide, excess.sums);
      smallest.add(excess.smallest);
    }
    table += fmt::format("\n{} {}->{} {}", setting.contract, number::format(setting.factors).name,
                         number::format(setting.out).name, line);
    if (!smallest.smallest.empty()) examples += "\n" + smallest.smallest;
  }
  if (asked != 0) fmt::print("{}\nThe smallest:{}\n", table, examples);
  EXPECT_GT(words, 1'000U);
}

}  // namespace
}  // namespace negzero::oracle_faults
