// Summation trees by dynamic programming over subsets, with sets of reachable values.

#include "enumerator.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <utility>

#include "bound.hpp"

namespace negzero::oracle_cross {

namespace {

using Numbers = std::vector<Number>;

/// The values an operation may see instead of `code`: itself, a zero of its sign, or both.
void operand_values(const Machine& machine, Code code, Numbers& out) {
  const bool small = machine.format().is_subnormal(code);
  if (!small || machine.inputs != Flush::Flush) out.push_back(machine.format().decode(code));
  if (small && machine.inputs != Flush::Keep) out.push_back(machine.format().decode(code & kSignBit));
}

Numbers operand_values(const Machine& machine, const Codes& codes) {
  Numbers out;
  out.reserve(codes.size());
  for (const Code code : codes) operand_values(machine, code, out);
  return out;
}

void add_all(const Machine& machine, const Numbers& a, const Numbers& b, Codes& out) {
  for (const Number& u : a) {
    for (const Number& v : b) machine.rounder.round(add(u, v), out);
  }
}

Codes rounded(const Machine& machine, const Numbers& exact) {
  Codes out;
  for (const Number& value : exact) machine.rounder.round(value, out);
  tidy(out);
  return out;
}

/// A value in memory as one of the accumulator. What the format holds is that already; nothing flushes it until an
/// operation does.
void load(const Machine& machine, const Number& value, Codes& out) {
  Rounder conversion = machine.rounder;
  conversion.flush = Flush::Keep;
  conversion.round(value, out);
}

/// The term as a value of the accumulator, before any addition.
Codes as_leaf(const Machine& machine, const Term& term) {
  if (term.product) return rounded(machine, term.exact);
  Codes out;
  for (const Number& value : term.exact) load(machine, value, out);
  tidy(out);
  return out;
}

/// What a single term contributes where `starts` says how its chain begins.
Codes started(const Machine& machine, const Term& term, Starts starts) {
  Codes out;
  const Codes leaf = as_leaf(machine, term);
  if (starts.first_term) out = leaf;
  if (starts.plus_zero) {
    const Numbers zero{make_number(0)};
    if (machine.fused && term.product) add_all(machine, zero, term.exact, out);
    if (machine.separate || !term.product) add_all(machine, zero, operand_values(machine, leaf), out);
  }
  tidy(out);
  return out;
}

/// acc + term in every way the machine allows.
Codes joined(const Machine& machine, const Codes& sums, const Term& term) {
  Codes out;
  const Numbers values = operand_values(machine, sums);
  if (machine.fused && term.product) add_all(machine, values, term.exact, out);
  if (machine.separate || !term.product) {
    add_all(machine, values, operand_values(machine, as_leaf(machine, term)), out);
  }
  tidy(out);
  return out;
}

/// The position of the only bit of `set`.
std::size_t index_of(std::size_t set) { return static_cast<std::size_t>(std::countr_zero(set)); }

/// Compensated sums as sets of states: where something may be flushed every operation has several results.
class Compensated {
 public:
  using State = std::pair<Code, Code>;  ///< the sum, and the error or errors beside it
  using States = std::vector<State>;

  explicit Compensated(const Machine& machine) : machine_(machine) {}

  [[nodiscard]] Codes plus(Code a, Code b) const {
    Codes out;
    add_all(machine_, operand_values(machine_, Codes{a}), operand_values(machine_, Codes{b}), out);
    tidy(out);
    return out;
  }
  [[nodiscard]] Codes minus(Code a, Code b) const { return plus(a, b == kNan ? b : b ^ kSignBit); }

  /// Kahan 1965: the error of each addition is taken from the next term.
  void kahan(const State& state, Code term, States& out) const {
    for (const Code y : minus(term, state.second)) {
      for (const Code next : plus(state.first, y)) {
        for (const Code gained : minus(next, state.first)) {
          for (const Code error : minus(gained, y)) out.emplace_back(next, error);
        }
      }
    }
  }

  /// Neumaier 1974: errors are gathered beside the sum and added once at the end.
  void neumaier(const State& state, Code term, States& out) const {
    const bool sum_larger = (state.first & ~kSignBit) >= (term & ~kSignBit);
    const Code larger = sum_larger ? state.first : term;
    const Code smaller = sum_larger ? term : state.first;
    for (const Code next : plus(state.first, term)) {
      for (const Code rest : minus(larger, next)) {
        for (const Code error : plus(rest, smaller)) {
          for (const Code errors : plus(state.second, error)) out.emplace_back(next, errors);
        }
      }
    }
  }

  /// Ogita, Rump and Oishi 2005, Algorithm 5.3, with an fma for the error of a product: both errors are gathered.
  void dot2(const State& state, const Number& term, States& out) const {
    for (const Code product : rounded(machine_, {term})) {
      for (const Code sum : plus(state.first, product)) {
        for (const Code error : errors(state.first, product, sum)) {
          for (const Code own : product_error(term, product)) {
            for (const Code both : plus(error, own)) {
              for (const Code gathered : plus(state.second, both)) out.emplace_back(sum, gathered);
            }
          }
        }
      }
    }
  }
  /// fma(a, b, -fl(a b)).
  [[nodiscard]] Codes product_error(const Number& term, Code product) const {
    Codes out;
    add_all(machine_, {term}, operand_values(machine_, Codes{product == kNan ? product : product ^ kSignBit}), out);
    tidy(out);
    return out;
  }

 private:
  /// Knuth's TwoSum: a + b - sum.
  [[nodiscard]] Codes errors(Code a, Code b, Code sum) const {
    Codes out;
    for (const Code virtual_b : minus(sum, a)) {
      for (const Code virtual_a : minus(sum, virtual_b)) {
        for (const Code rest_b : minus(b, virtual_b)) {
          for (const Code rest_a : minus(a, virtual_a)) {
            const Codes ends = plus(rest_a, rest_b);
            out.insert(out.end(), ends.begin(), ends.end());
          }
        }
      }
    }
    return out;
  }

  const Machine& machine_;
};

/// Dot2 over every permutation of terms that have one exact value each.
void add_dot2(const Machine& machine, std::span<const Term> terms, Starts starts, Codes& out) {
  const bool products = std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.product; });
  if (!products) return;
  const Compensated sums(machine);
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    for (const bool from_zero : {false, true}) {
      if (from_zero ? !starts.plus_zero : !starts.first_term) continue;
      Compensated::States states;
      if (from_zero) states.emplace_back(0, 0);
      for (const std::size_t i : order) {
        const Number& term = terms[i].exact.front();
        Compensated::States next;
        if (states.empty()) {
          const Code product = machine.rounder.round(term);
          next.emplace_back(product, sums.product_error(term, product).front());
        }
        for (const Compensated::State& state : states) sums.dot2(state, term, next);
        states = std::move(next);
      }
      for (const auto& [sum, errors] : states) {
        const Codes ends = sums.plus(sum, errors);
        out.insert(out.end(), ends.begin(), ends.end());
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

/// reach(X) for every subset X of the terms, a bit for each.
struct Subsets {
  std::vector<Codes> all{};
  std::vector<Numbers> values{};  ///< as operands
};

/// The subset of the terms whose additions count: not of zeros, nor of C.
std::size_t counted(std::span<const Term> terms) {
  std::size_t set = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_zero = std::ranges::all_of(terms[i].exact, [](const Number& value) { return value.is_zero(); });
    if (!is_zero && !terms[i].is_c) set |= std::size_t{1} << i;
  }
  return set;
}

/// Of trees in which a term meets so many additions that count at most: by how many, from none on; where there is no
/// limit only of all trees.
std::vector<Subsets> all_subsets(const Machine& machine, std::span<const Term> terms, Starts starts) {
  assert(starts.plus_zero || starts.first_term);
  const std::size_t full = (std::size_t{1} << terms.size()) - 1, counts = counted(terms);
  const bool is_limited = machine.additions < std::popcount(counts) - 1;
  std::vector<Subsets> trees(is_limited ? static_cast<std::size_t>(machine.additions) + 1 : 1);
  for (std::size_t level = 0; level < trees.size(); ++level) {
    std::vector<Codes>& all = trees[level].all;
    std::vector<Numbers>& values = trees[level].values;
    all.resize(full + 1);
    values.resize(full + 1);
    for (std::size_t set = 1; set <= full; ++set) {
      const std::size_t lowest = set & (~set + 1);
      Codes& out = all[set];
      if (set == lowest) out = started(machine, terms[index_of(set)], starts);
      // Addition commutes, so the half with the lowest term stands for both.
      for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        if ((part & lowest) == 0) continue;
        const std::size_t rest = set ^ part;
        const bool is_counted = is_limited && (part & counts) != 0 && (rest & counts) != 0;
        if (is_counted && level == 0) continue;
        const std::vector<Numbers>& operands = is_counted ? trees[level - 1].values : values;
        add_all(machine, operands[part], operands[rest], out);
        for (const auto& [single, others] : {std::pair(part, rest), std::pair(rest, part)}) {
          if ((single & (single - 1)) != 0) continue;
          const Term& term = terms[index_of(single)];
          if (term.product && machine.fused) add_all(machine, operands[others], term.exact, out);
          // A value joins a sum that has begun without being added to a zero first, which might flush it.
          if (!term.product) add_all(machine, operands[others], operand_values(machine, as_leaf(machine, term)), out);
        }
      }
      // An idle lane adds its +0.
      if (starts.plus_zero && machine.inputs != Flush::Keep)
        add_all(machine, operand_values(machine, out), {make_number(0)}, out);
      tidy(out);
      values[set] = operand_values(machine, out);
    }
  }
  return trees;
}

}  // namespace

Codes any_order(const Machine& machine, std::span<const Term> terms, Starts starts) {
  if (terms.empty()) return {0};
  return all_subsets(machine, terms, starts).back().all.back();
}

Codes scaled_anywhere(const Machine& machine, std::span<const Term> terms, Starts starts, const Number& alpha,
                      const std::optional<Term>& c) {
  if (terms.empty()) return {0};
  const std::vector<Subsets> trees = all_subsets(machine, terms, starts);
  const std::size_t plain = trees.front().all.size(), counts = counted(terms);
  // C is the highest bit. `products` are what an fma may take unrounded.
  std::vector<Codes> scaled, before;
  std::vector<Numbers> products, products_before;
  for (std::size_t level = 0; level < trees.size(); ++level) {
    before = std::exchange(scaled, std::vector<Codes>(plain * (c ? 2 : 1)));
    products_before = std::exchange(products, std::vector<Numbers>(scaled.size()));
    if (c) {
      scaled[plain] = as_leaf(machine, *c);
      if (c->product) products[plain] = c->exact;
    }
    for (std::size_t set = 1; set < scaled.size(); ++set) {
      for (const Number& value : set < plain ? operand_values(machine, trees[level].all[set]) : Numbers{}) {
        products[set].push_back(multiply(alpha, value));
        machine.rounder.round(products[set].back(), scaled[set]);
      }
      for (std::size_t part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        const bool is_counted = trees.size() > 1 && (part & counts) != 0 && ((set ^ part) & counts) != 0;
        if (is_counted && level == 0) continue;
        const std::vector<Codes>& operands = is_counted ? before : scaled;
        const Numbers rest = operand_values(machine, operands[set ^ part]);
        add_all(machine, operand_values(machine, operands[part]), rest, scaled[set]);
        if (machine.fused) add_all(machine, (is_counted ? products_before : products)[part], rest, scaled[set]);
      }
      tidy(scaled[set]);
    }
  }
  return scaled.back();
}

Codes ascending(const Machine& machine, std::span<const Term> terms, Starts starts, const std::optional<Term>& start) {
  if (start) {
    Codes sums = as_leaf(machine, *start);
    for (const Term& term : terms) sums = joined(machine, sums, term);
    return sums;
  }
  if (terms.empty()) return {0};
  Codes sums = started(machine, terms[0], starts);
  for (const Term& term : terms.subspan(1)) sums = joined(machine, sums, term);
  return sums;
}

Codes compensated(const Machine& machine, std::span<const Term> terms, Starts starts) {
  if (terms.empty()) return {0};
  std::vector<Codes> leaves;
  for (const Term& term : terms) leaves.push_back(as_leaf(machine, term));
  const Compensated sums(machine);
  const auto run = [&](bool from_zero, const auto& step) {
    Compensated::States states;
    if (from_zero) states.emplace_back(0, 0);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      Compensated::States next;
      for (const Code term : leaves[i]) {
        if (i == 0 && !from_zero) next.emplace_back(term, 0);
        for (const Compensated::State& state : states) step(state, term, next);
      }
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      states = std::move(next);
    }
    return states;
  };
  Codes out;
  std::sort(leaves.begin(), leaves.end());
  do {
    for (const bool from_zero : {false, true}) {
      if (from_zero ? !starts.plus_zero : !starts.first_term) continue;
      const auto kahan = run(from_zero, [&](const auto& s, Code t, auto& o) { sums.kahan(s, t, o); });
      for (const auto& [sum, error] : kahan) {
        out.push_back(sum);
        const Codes corrected = sums.plus(sum, error == kNan ? error : error ^ kSignBit);
        out.insert(out.end(), corrected.begin(), corrected.end());
      }
      const auto neumaier = run(from_zero, [&](const auto& s, Code t, auto& o) { sums.neumaier(s, t, o); });
      for (const auto& [sum, errors] : neumaier) {
        const Codes ends = sums.plus(sum, errors);
        out.insert(out.end(), ends.begin(), ends.end());
      }
    }
  } while (std::next_permutation(leaves.begin(), leaves.end()));
  if (machine.inputs == Flush::Keep && machine.rounder.flush == Flush::Keep) add_dot2(machine, terms, starts, out);
  tidy(out);
  return out;
}

namespace {

bool equals_one(const Number& value) {
  return value.kind == Number::Kind::Finite && !value.negative && value.significand != 0 && value.exponent <= 0 &&
         value.exponent > -128 && value.significand == (Wide{1} << -value.exponent);
}

}  // namespace

Term loaded_addend(const Machine& machine, const Number& beta, const Numbers& c) {
  Codes loaded;
  for (const Number& value : c) load(machine, value, loaded);
  tidy(loaded);
  Term addend{{}, !equals_one(beta)};
  for (const Number& value : operand_values(machine, loaded)) addend.exact.push_back(multiply(beta, value));
  return addend;
}

Codes epilogue(const Machine& machine, const Codes& sums, const std::optional<Number>& alpha, const Number& beta,
               const Numbers& c) {
  const bool plain_alpha = !alpha || equals_one(*alpha);
  Codes scaled;
  Numbers products;  // alpha * v, exact, for an fma
  for (const Number& value : operand_values(machine, sums)) {
    products.push_back(alpha ? multiply(*alpha, value) : value);
    if (!plain_alpha) machine.rounder.round(products.back(), scaled);
  }
  tidy(scaled);
  if (plain_alpha) scaled = sums;
  if (c.empty()) return scaled;

  const Term addend = loaded_addend(machine, beta, c);
  Codes out;
  const Numbers scaled_values = operand_values(machine, scaled);
  const Numbers addend_values = operand_values(machine, as_leaf(machine, addend));
  if (machine.separate) add_all(machine, scaled_values, addend_values, out);
  if (machine.fused) {
    // One of the two products joins unrounded; which one, the compiler chooses. A factor of one is multiplied as well,
    // so with alpha or beta of one an fma is a plain addition.
    add_all(machine, scaled_values, addend.product ? addend.exact : addend_values, out);
    if (alpha) add_all(machine, products, addend_values, out);
  }
  tidy(out);
  return out;
}

Number quotient(const Number& v, std::int64_t count) {
  if (v.kind != Number::Kind::Finite || v.is_zero()) return v;
  return to_number(Rational(to_rational(v) / count));
}

Number reciprocal(const SmallFormat& format, std::int64_t count) {
  return format.decode(Rounder{format}.round(quotient(make_number(1), count)));
}

Codes means(const Machine& machine, const Codes& sums, const SmallFormat& from, std::int64_t count, MeanBy by) {
  const Number factor = reciprocal(machine.format(), count);
  Machine held = machine;
  held.rounder.format = from;
  Codes out;
  for (const Number& value : operand_values(held, sums)) {
    if (by.division) machine.rounder.round(quotient(value, count), out);
    if (by.reciprocal) machine.rounder.round(multiply(value, factor), out);
  }
  tidy(out);
  return out;
}

Term leaf_of(const Codes& codes, const SmallFormat& format) {
  Term term{{}, false};
  for (const Code code : codes) term.exact.push_back(format.decode(code));
  return term;
}

}  // namespace negzero::oracle_cross
