// What one evaluation gives, the enumerator of all evaluations reaches: two readings of numerics.md, apart from the
// oracle. What the enumerator does not know (units, stored slices, and evaluations that it was not told of) is left
// out.

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "../../oracle_paths/drawn.hpp"
#include "../scenario.hpp"
#include "legal.hpp"
#include "legal_run.hpp"

namespace negzero::oracle_legal {
namespace {

using contract::Multiplicand;

/// Whether the enumerator knows evaluations of that kind.
bool is_enumerated(Traits traits) {
  constexpr Trait kOthers[] = {Trait::MixedWidths, Trait::NearestBehind, Trait::NearestWide,
                               Trait::CInBlock,    Trait::CAmongBlocks,  Trait::IdleZero,
                               Trait::Unit,        Trait::StoredSlice,   Trait::ErrorSubtracted};
  return std::ranges::none_of(kOthers, [&](Trait each) { return has(traits, each); });
}

struct Asked {
  Scenario scenario;
  OperandSet set;
};
/// The question as the enumerator takes it.
Asked asked(const Question& question, const contract::Contract& contract) {
  using Shape = Scenario::Shape;
  Asked result;
  Scenario& scenario = result.scenario;
  scenario.shape = question.kind == Question::Kind::Product    ? Shape::Gemm
                   : question.kind == Question::Kind::Location ? Shape::Scatter
                                                               : Shape::Reduce;
  scenario.mean = question.kind == Question::Kind::Mean;
  scenario.a = question.a;
  scenario.b = question.b;
  scenario.d = question.d;
  if (question.has_c) scenario.c = question.c;
  scenario.alpha = question.alpha;
  scenario.beta = question.beta;
  scenario.contract = contract;
  if (!question.has_c) {
    scenario.contract.scalars = contract::Scalars::Blas;
    scenario.contract.reads_c_at_beta_zero = false;
  }
  if (scenario.shape == Shape::Scatter) {
    // A location is its own accumulator.
    scenario.contract.wider = contract.wider || contract.accumulate != question.d;
    scenario.contract.accumulate = question.d;
    scenario.contract.intermediate.clear();
  }
  for (const std::uint64_t word : question.x) result.set.a.push_back(to_code(question.a, word));
  for (const std::uint64_t word : question.y) result.set.b.push_back(to_code(question.b, word));
  if (question.has_c) result.set.c = to_code(question.c, question.addend);
  if (scenario.shape == Shape::Scatter) result.set.c = to_code(question.d, question.addend);
  return result;
}

/// Whether the enumerator reads a contract in another way there, as it may: it takes a C without a sum as it is,
/// through the declared roundings; has no C in promoted sums, whose additions it rounds to nearest in F64 too, in
/// blocks; starts locations from +0; adds compensated sums in no declared order; and leaves sums in a scalar format
/// that does not hold them.
bool differs(const Question& question, const contract::Contract& contract, Traits traits) {
  const bool is_same = question.c == contract.accumulate && contract.intermediate.empty();
  if (has(traits, Trait::CAlone) && !is_same) return true;
  if (contract.promote && (has(traits, Trait::CLeaf) || has(traits, Trait::Wider))) return true;
  if (question.kind == Question::Kind::Location && contract.start == contract::Start::PlusZero) return true;
  if (has(traits, Trait::Compensated) && contract.order == contract::Order::Ascending) return true;
  return contract.scalar_format && !holds(*contract.scalar_format, contract.accumulate) &&
         !holds(contract.accumulate, *contract.scalar_format);
}

TEST(Legal, ResultsAreReached) {
  const std::uint64_t wanted = number_of("NEGZERO_LEGAL_REACHED", 20'000);
  const base::Random stream(number_of("NEGZERO_LEGAL_SEED", 1));
  const std::vector<std::string> operations{"gemm", "gemm", "gemm.grouped", "reduce.sum", "reduce.mean", "scatter.add"};
  std::uint64_t compared = 0, failed = 0;
  for (std::uint64_t i = 0; compared < wanted && failed < 20; ++i) {
    base::Random random = stream.split(i);
    const operation::Case value = oracle_paths::drawn_case(operations[random.below(operations.size())], random);
    const auto& values = oracle_paths::values();
    const auto contract = oracle_paths::drawn_contract(value, values[random.below(values.size())], random);
    if (!contract || contract->multiplicand == Multiplicand::Tf32Any ||
        contract->multiplicand == Multiplicand::Tf32OrExact || contract->multiplicand_b) {
      continue;
    }
    const auto question = question_of(value, 0);
    constexpr std::size_t kMostTerms = 3;
    if (!question || question->x.size() > kMostTerms || is_integer(question->d)) continue;
    if (question->x.empty() && question->kind != Question::Kind::Product) continue;
    if (contract->tensor_core == contract::TensorCore::Only) continue;
    if (!oracle::Oracle::make(value, *contract)) continue;
    const auto [scenario, set] = asked(*question, *contract);
    const Codes codes = reach(scenario, set);
    for (int each = 0; each < 8; ++each) {
      const auto legal = evaluate(*question, *contract, random);
      if (!legal || !is_enumerated(legal->traits)) continue;
      if (differs(*question, *contract, legal->traits)) continue;
      ++compared;
      const Code code = to_code(question->d, legal->word);
      if (std::ranges::find(codes, code) != codes.end()) continue;
      ++failed;
      std::string reached;
      for (const Code other : codes) reached += fmt::format(" {:x}", to_word(question->d, other));
      ADD_FAILURE() << describe(scenario, set) << fmt::format(" gives {:x}, reached{} ", legal->word, reached)
                    << traits_of(legal->traits);
      break;
    }
  }
  fmt::print("{} results compared\n", compared);
}

}  // namespace
}  // namespace negzero::oracle_legal
