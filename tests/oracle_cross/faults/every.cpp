// The contract's choices, one after the other.

#include "every.hpp"

#include <algorithm>
#include <bit>

#include "../legal/plan.hpp"
#include "trees.hpp"
#include "unit_step.hpp"

namespace negzero::oracle_faults {

using contract::BetaPlace;
using contract::Contract;
using contract::Contraction;
using contract::Order;
using contract::Start;
using number::FormatId;

namespace {

/// Of trees over their subsets.
constexpr std::size_t kMostTerms = 8;

Number scalar(const operation::Scalar& scalar) { return reduced(value_of(scalar.format, scalar.bits)); }

/// beta * C among the terms: anywhere, or at either end of a chain.
Numbers with_leaf(Adding& adding, const Contract& contract, std::vector<Term> terms, const Term& c) {
  if (contract.order == Order::Any) {
    terms.push_back(c);
    return adding.trees(terms);
  }
  Numbers all;
  if (contract.start == Start::C || contract.start == Start::Any) all = adding.chains(terms, c);
  if (contract.start == Start::C) return all;
  terms.push_back(c);
  const Numbers behind = adding.chains(terms, std::nullopt);
  all.insert(all.end(), behind.begin(), behind.end());
  tidy(all);
  return all;
}

Numbers sums_of(Adding& adding, const Contract& contract, const std::vector<Term>& terms) {
  return contract.order == Order::Any ? adding.trees(terms) : adding.chains(terms, std::nullopt);
}

/// Chains of steps, each of any of the products, and their sums in any tree. `is_one_step`: no more than one.
Numbers unit_sums(const Question& question, const Contract& contract, bool is_one_step) {
  const UnitRow unit = hopper_row(question.a);
  const SmallFormat format = small_format(contract.accumulate);
  std::vector<UnitTerm> terms;
  for (std::size_t i = 0; i < question.x.size(); ++i) {
    const UnitTerm term = unit_term(question.a, question.x[i], question.b, question.y[i]);
    if (!term.exact.is_zero()) terms.push_back(term);
  }
  const std::size_t full = (std::size_t{1} << terms.size()) - 1;
  std::vector<Numbers> chains(full + 1), sums(full + 1);
  chains[0] = {Number{}};
  for (std::size_t set = is_one_step ? full : 1; set <= full && set != 0; ++set) {
    for (std::size_t part = set; part != 0; part = is_one_step ? 0 : (part - 1) & set) {
      std::vector<UnitTerm> now;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        if ((part >> i & 1) != 0) now.push_back(terms[i]);
      }
      for (const Number& before : chains[set ^ part])
        chains[set].push_back(stepped(unit, contract.accumulate, now, before));
    }
    tidy(chains[set]);
    sums[set] = chains[set];
    for (std::size_t part = (set - 1) & set; part != 0 && !is_one_step; part = (part - 1) & set) {
      for (const Number& a : sums[part]) {
        for (const Number& b : sums[set ^ part]) sums[set].push_back(rounded(format, add(a, b)));
      }
    }
    tidy(sums[set]);
  }
  return full == 0 ? chains[0] : sums[full];
}

}  // namespace

Parts parts_of(const Question& question) {
  Parts parts;
  for (std::size_t i = 0; i < question.x.size(); ++i) {
    const Number product = multiply(value_of(question.a, question.x[i]), value_of(question.b, question.y[i]));
    if (!product.is_zero()) parts.terms.push_back({reduced(product), true});
  }
  parts.alpha = scalar(question.alpha);
  const Number beta = scalar(question.beta);
  if (beta.is_zero()) return parts;
  parts.beta = beta;
  parts.c = reduced(value_of(question.c, question.addend));
  return parts;
}

Ways ways_of(const Contract& contract, Reading reading) {
  Ways ways;
  for (const FormatId id : oracle_legal::formats_from(contract.accumulate, contract.wider)) {
    ways.widths.push_back(small_format(id));
  }
  ways.keeps_exact = contract.wider && contract.order == Order::Any && reading == Reading::Possibly;
  // A leaf is exact there already.
  ways.fused = contract.contraction != Contraction::Separate && !ways.keeps_exact;
  ways.separate = contract.contraction != Contraction::Fused;
  return ways;
}

bool Reached::has(std::uint64_t word) const { return std::ranges::find(words, word) != words.end(); }

Reached every(const Question& question, const Contract& contract, Reading reading, std::size_t most) {
  Reached reached;
  const auto& [terms, alpha, beta, c] = parts_of(question);
  Numbers ends;
  if (contract.tensor_core == contract::TensorCore::Only) {
    constexpr std::size_t kMostInSteps = 4;
    if (terms.size() > kMostInSteps) return {{}, false};
    ends = unit_sums(question, contract, reading == Reading::Surely);
  } else {
    if (contract.order == Order::Any && terms.size() > kMostTerms) return {{}, false};
    Adding adding(ways_of(contract, reading), most);
    if (!beta || contract.beta != BetaPlace::Leaf) {
      ends = adding.epilogue(sums_of(adding, contract, terms), alpha, beta, c);
    }
    if (beta && contract.beta != BetaPlace::Epilogue && is_one(alpha)) {
      const Numbers more = with_leaf(adding, contract, terms, {multiply(*beta, c), !is_one(*beta)});
      ends.insert(ends.end(), more.begin(), more.end());
    }
    reached.is_complete = adding.is_complete();
  }
  const SmallFormat out = small_format(question.d);
  for (const Number& end : ends) reached.words.push_back(to_word(question.d, Rounder{out}.round(end)));
  std::ranges::sort(reached.words);
  const auto rest = std::ranges::unique(reached.words);
  reached.words.erase(rest.begin(), rest.end());
  return reached;
}

}  // namespace negzero::oracle_faults
