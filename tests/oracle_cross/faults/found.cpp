// Enumeration, else a search.

#include "found.hpp"

#include <algorithm>
#include <utility>

#include "trees.hpp"

namespace negzero::oracle_faults {

using contract::Contract;
using contract::Order;

namespace {

/// Numbers of steps from zero in the output's format, as far as evaluations were found.
class Range {
 public:
  explicit Range(number::FormatId format) : format_(format) {}

  void take(std::uint64_t word) {
    const std::int64_t at = steps(to_code(format_, word));
    low_ = is_empty_ ? at : std::min(low_, at);
    high_ = is_empty_ ? at : std::max(high_, at);
    is_empty_ = false;
  }
  [[nodiscard]] bool has(std::uint64_t word) const {
    const std::int64_t at = steps(to_code(format_, word));
    return !is_empty_ && low_ <= at && at <= high_;
  }

 private:
  number::FormatId format_;
  bool is_empty_ = true;
  std::int64_t low_ = 0, high_ = 0;
};

/// Least and greatest results of trees over contiguous parts of the terms.
struct Ends {
  Number low{}, high{};
};
Ends ends_of(const Ways& ways, const std::vector<Term>& terms) {
  const std::size_t count = terms.size();
  std::vector<Ends> ends(count * count);
  const auto at = [&](std::size_t first, std::size_t last) -> Ends& { return ends[first * count + last]; };
  const auto offer = [&](const Number& low, const Number& high, bool is_first, Ends& out) {
    for (const SmallFormat& width : ways.widths) {
      const Number less = reduced(rounded(width, low)), more = reduced(rounded(width, high));
      if (is_first || is_less(less, out.low)) out.low = less;
      if (is_first || is_less(out.high, more)) out.high = more;
      is_first = false;
    }
  };
  for (std::size_t length = 1; length <= count; ++length) {
    for (std::size_t first = 0; first + length <= count; ++first) {
      const std::size_t last = first + length - 1;
      if (length == 1) offer(terms[first].exact, terms[first].exact, true, at(first, first));
      for (std::size_t middle = first; middle < last; ++middle) {
        const Ends &a = at(first, middle), &b = at(middle + 1, last);
        offer(add(a.low, b.low), add(a.high, b.high), middle == first, at(first, last));
      }
      if (!ways.fused || length == 1) continue;
      for (const auto& [single, rest] : {std::pair(first, at(first + 1, last)), std::pair(last, at(first, last - 1))}) {
        const Term& term = terms[single];
        if (term.is_product) offer(add(rest.low, term.exact), add(rest.high, term.exact), false, at(first, last));
      }
    }
  }
  return at(0, count - 1);
}

void search(const Question& question, const Contract& contract, base::Random& random, Range& range) {
  const Parts parts = parts_of(question);
  std::vector<Term> terms = parts.terms;
  const bool is_leaf = parts.beta && contract.beta == contract::BetaPlace::Leaf;
  if (is_leaf) terms.push_back({multiply(*parts.beta, parts.c), !is_one(*parts.beta)});
  const Ways ways = ways_of(contract, Reading::Possibly);
  for (const bool is_sorted : {true, false}) {
    if (is_sorted) {
      std::ranges::sort(terms, [](const Term& a, const Term& b) { return is_less(a.exact, b.exact); });
    } else {
      for (std::size_t i = terms.size(); i > 1; --i)
        std::swap(terms[i - 1], terms[static_cast<std::size_t>(random.below(i))]);
    }
    const Ends ends = ends_of(ways, terms);
    constexpr std::size_t kFew = 1'000;
    Adding adding(ways, kFew);
    for (const Number& end :
         adding.epilogue({ends.low, ends.high}, parts.alpha, is_leaf ? std::nullopt : parts.beta, parts.c)) {
      range.take(to_word(question.d, Rounder{small_format(question.d)}.round(end)));
    }
  }
}

}  // namespace

Legality legality(const Question& question, const Contract& contract, std::uint64_t word, std::size_t most,
                  base::Random& random) {
  const Reached reached = every(question, contract, Reading::Possibly, most);
  if (reached.has(word)) return Legality::Legal;
  if (reached.is_complete) return Legality::Illegal;
  Range range(question.d);
  constexpr int kEvaluations = 200;
  for (int i = 0; i < kEvaluations; ++i) {
    const auto legal = oracle_legal::evaluate(question, contract, random);
    if (!legal) continue;
    if (legal->word == word) return Legality::Legal;
    range.take(legal->word);
  }
  if (range.has(word)) return Legality::Within;
  if (contract.tensor_core == contract::TensorCore::No) search(question, contract, random, range);
  return range.has(word) ? Legality::Within : Legality::Beyond;
}

}  // namespace negzero::oracle_faults
