// Dynamic programming over subsets of leaves.

#include <algorithm>
#include <bit>
#include <ranges>
#include <utility>
#include <vector>

#include <negzero/oracle/hull.hpp>
#include <negzero/oracle/output.hpp>

namespace negzero::oracle {

using contract::Subnormals;
using exact::Dyadic;

namespace {

bool less(const Rounded& a, const Rounded& b) {
  // An overflow holds the largest number of its sign, and lies beyond it.
  if (a.overflow == b.overflow) return a.value < b.value;
  return a.overflow ? a.value.sign() < 0 : b.value.sign() > 0;
}

/// All trees over leaves, by subsets of them. Without a limit, what a subset may give is found from smaller ones; else
/// in rounds, each with one addition more than the one before.
class SubsetTrees {
 public:
  SubsetTrees(std::size_t leaves, const TreeLimit& limit)
      : full_((std::size_t{1} << leaves) - 1),
        counted_(limit.last_is_c ? full_ >> 1 : full_),
        is_free_(limit.additions >= static_cast<std::size_t>(std::max(1, std::popcount(counted_))) - 1),
        rounds_(is_free_ ? 1 : static_cast<int>(limit.additions) + 1) {}

  [[nodiscard]] std::size_t full() const { return full_; }

  /// What smaller subsets give.
  template <class Value>
  struct Found {
    const SubsetTrees& trees;
    const std::vector<Value>& own;     ///< in this round
    const std::vector<Value>& before;  ///< in the one before
    int round;

    /// What `part` gives that `rest` is added to.
    [[nodiscard]] const Value& of(std::size_t part, std::size_t rest) const {
      return (trees.counts(part, rest) ? before : own)[part];
    }
    /// Calls `with_leaf` with each leaf of a subset and the rest of it, and `split` with each two parts of it.
    template <class WithLeaf, class Split>
    void each_split(std::size_t set, std::span<const Leaf> leaves, const WithLeaf& with_leaf,
                    const Split& split) const {
      const std::size_t first = set & (~set + 1), others = set & ~first;
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const std::size_t leaf = std::size_t{1} << i, rest = set & ~leaf;
        if ((set & leaf) != 0 && (rest == 0 || trees.have_tree(rest, leaf, round))) with_leaf(leaves[i], leaf, rest);
      }
      // Every split once: the part with the lowest leaf, and the other, not empty.
      for (std::size_t part = others; part != 0; part = (part - 1) & others) {
        if (trees.have_tree(part, set & ~part, round)) split(part, set & ~part);
      }
    }
  };

  /// Calls `find` with each subset that has a tree, in each round, and what smaller ones give: all of the last round.
  template <class Value, class Find>
  [[nodiscard]] Value each(const Find& find) const {
    std::vector<Value> own(full_ + 1), before;
    for (int round = 0; round < rounds_; ++round) {
      if (round > 0) before = own;
      for (std::size_t set = 1; set <= full_; ++set) {
        if (fits(set, round)) own[set] = find(set, Found<Value>{*this, own, before, round});
      }
    }
    return std::move(own[full_]);
  }

 private:
  /// Whether an addition of these parts is one of those that are limited.
  [[nodiscard]] bool counts(std::size_t part, std::size_t rest) const {
    return !is_free_ && (part & counted_) != 0 && (rest & counted_) != 0;
  }
  /// Whether a tree of so many additions above each leaf holds the subset.
  [[nodiscard]] bool fits(std::size_t set, int additions) const {
    if (is_free_) return true;
    return additions >= 0 && (additions > 5 || std::popcount(set & counted_) <= 1 << additions);
  }
  [[nodiscard]] bool have_tree(std::size_t part, std::size_t rest, int round) const {
    const int left = round - (counts(part, rest) ? 1 : 0);
    return fits(part, left) && fits(rest, left);
  }

  std::size_t full_, counted_;
  bool is_free_;
  int rounds_;
};

/// One end of what additions give; upward: the greatest.
class End {
 public:
  End(std::span<const Arithmetic> widths, bool upward) : widths_(widths), upward_(upward) {}

  /// The end of a leaf alone. It is above zero or below, so that it overflows one way: to an infinity, or to NaN.
  [[nodiscard]] Rounded of(const Leaf& leaf) const {
    const Dyadic& largest = widths_.front().max_finite();
    const bool overflows = leaf.alone.any_infinity() || leaf.alone.nan;
    if (overflows && (upward_ != leaf.negative || !leaf.alone.finite)) {
      return {leaf.negative ? -largest : largest, true};
    }
    return {upward_ ? leaf.alone.high : leaf.alone.low, false};
  }

  /// A partial sum as an operand: the end of what flushing can make of it.
  [[nodiscard]] Rounded as_operand(const Rounded& x) const {
    if (x.overflow) return x;
    if (widths_.size() == 1 && widths_.front().inputs() == Subnormals::Keep) return x;
    Rounded end = x;
    for (const Arithmetic& each : widths_) {
      const Set set = each.operand(Set::value(x.value));
      const Rounded flushed{upward_ ? set.high : set.low, false};
      if (widths_.size() == 1) return flushed;
      take(flushed, end);
    }
    return end;
  }

  [[nodiscard]] Rounded join(const Rounded& a, const Rounded& b) const {
    if (a.overflow) return a;
    if (b.overflow) return b;
    const Dyadic sum = a.value + b.value;
    const auto rounded = [&](const Arithmetic& each) { return upward_ ? each.greatest(sum) : each.least(sum); };
    if (widths_.size() == 1) return rounded(widths_.front());
    Rounded end{sum, false};
    for (const Arithmetic& each : std::views::reverse(widths_)) {
      const number::Format& format = each.format();
      take({Dyadic::from_encoding(format, end.value.round_to(format)), false}, end);
      take(rounded(each), end);
    }
    return end;
  }

  void take(const Rounded& candidate, Rounded& end) const {
    if (upward_ ? less(end, candidate) : less(candidate, end)) end = candidate;
  }

 private:
  std::span<const Arithmetic> widths_;
  bool upward_;
};

Rounded end_of(const End& by, std::span<const Leaf> leaves, bool zero_terms, const SubsetTrees& trees, bool upward) {
  Rounded end = trees.each<Rounded>([&](std::size_t set, const SubsetTrees::Found<Rounded>& best) {
    bool found = false;
    Rounded own;
    const auto offer = [&](const Rounded& candidate) {
      if (!found) own = candidate;
      by.take(candidate, own);
      found = true;
    };
    best.each_split(
        set, leaves,
        [&](const Leaf& leaf, std::size_t own_bit, std::size_t rest) {
          if (rest == 0) {
            offer(by.of(leaf));
          } else if (leaf.joins) {
            offer(by.join(best.of(rest, own_bit), {upward ? leaf.joins->high : leaf.joins->low, false}));
          }
        },
        [&](std::size_t part, std::size_t rest) { offer(by.join(best.of(part, rest), best.of(rest, part))); });
    // As an operand of the next addition, except the whole.
    return set == trees.full() ? own : by.as_operand(own);
  });
  if (zero_terms) by.take(by.as_operand(end), end);
  return end;
}

/// What the terms of one subset may give.
class Gathered {
 public:
  void add(const Piece& piece) { pieces_.push_back(piece); }
  void add(const Set& set) {
    set.for_each_piece([&](const Piece& piece) { pieces_.push_back(piece); });
    add_specials(set);
  }
  void add_specials(const Set& set) {
    specials_.plus_infinity |= set.plus_infinity;
    specials_.minus_infinity |= set.minus_infinity;
    specials_.nan |= set.nan;
  }
  [[nodiscard]] Set in(std::size_t most) && {
    Set all = Set::of(std::move(pieces_), most);
    all.join(specials_);
    return all;
  }

 private:
  std::vector<Piece> pieces_{};
  Set specials_{};
};

/// What additions give.
class Results {
 public:
  explicit Results(std::span<const Arithmetic> widths) : widths_(widths) {}

  /// A partial sum as an operand.
  [[nodiscard]] Set as_operand(const Set& x) const {
    if (widths_.size() == 1) return widths_.front().operand(x);
    Set operand = x;
    for (const Arithmetic& each : widths_) operand.unite(each.operand(x));
    return operand;
  }
  /// Adds what a sum of two operands gives.
  void join(const Set& a, const Set& b, Gathered& to) const {
    if (a.any_infinity() || b.any_infinity() || a.nan || b.nan) to.add_specials(add_exactly(a, b));
    a.for_each_piece([&](const Piece& x) {
      b.for_each_piece([&](const Piece& y) { round({x.low + y.low, x.high + y.high, std::min(x.grid, y.grid)}, to); });
    });
  }

 private:
  void round(const Piece& sum, Gathered& to) const {
    const auto rounded = [&](const Arithmetic& by) { return by.round(sum.low, sum.high, true, false, sum.grid); };
    if (widths_.size() == 1) return to.add(rounded(widths_.front()));
    to.add(sum);
    std::vector<Set> held;
    for (const Arithmetic& each : std::views::reverse(widths_)) {
      for (std::size_t i = 0, wider = held.size(); i < wider; ++i) {
        const bool is_kept = held[i].low == held[i].high && each.holds(held[i].low) && !each.may_flush();
        if (!is_kept) held.push_back(stored(held[i], each, true));
      }
      held.push_back(rounded(each));
    }
    for (const Set& each : held) to.add(each);
  }

  std::span<const Arithmetic> widths_;
};

/// A term unrounded; nothing of one that may be flushed.
Set exact_of(const Terms& terms, std::size_t i) {
  const bool negative = terms.value(i).sign() < 0;
  Set set = Set::value(terms.value(i));
  if ((terms.flags(i) & kOptional) != 0) set.unite(Set::value({}, !negative, negative));
  return set;
}

Leaf leaf_in(const Arithmetic& arithmetic, const Terms& terms, std::size_t i, bool fused, bool separate,
             ChainStarts starts) {
  const Dyadic value = terms.value(i);
  const bool loaded = (terms.flags(i) & kLoaded) != 0;
  Leaf leaf{.negative = value.sign() < 0};
  const Set alone = leaf_set(arithmetic, terms, i);
  if (fused && !loaded) {
    leaf.joins = exact_of(terms, i);
  } else if (loaded && alone.finite && arithmetic.may_flush()) {
    leaf.joins = arithmetic.operand(alone);
  }
  if (starts.first_term || !arithmetic.may_flush()) leaf.alone = alone;
  if (starts.plus_zero && arithmetic.may_flush()) {
    const Set zero = Set::value({});
    if (separate || loaded) leaf.alone.unite(add(arithmetic, zero, alone));
    if (fused && !loaded) leaf.alone.unite(add_as_they_are(arithmetic, zero, *leaf.joins));
  }
  return leaf;
}

}  // namespace

Leaf leaf_of(std::span<const Arithmetic> widths, const Terms& terms, std::size_t i, bool fused, bool separate,
             ChainStarts starts) {
  if (widths.size() == 1) return leaf_in(widths.front(), terms, i, fused, separate, starts);
  Leaf leaf{.negative = terms.value(i).sign() < 0, .alone = exact_of(terms, i)};
  leaf.joins = leaf.alone;
  for (const Arithmetic& each : std::views::reverse(widths)) {
    const Leaf own = leaf_in(each, terms, i, fused, separate, starts);
    const Set kept = stored(leaf.alone, each, true);
    leaf.alone.unite(own.alone);
    leaf.alone.unite(kept);
    if (own.joins) leaf.joins->unite(*own.joins);
  }
  return leaf;
}

Hull hull_of(std::span<const Arithmetic> widths, std::span<const Leaf> leaves, bool zero_terms,
             const TreeLimit& limit) {
  const SubsetTrees trees(leaves.size(), limit);
  return {end_of(End(widths, false), leaves, zero_terms, trees, false),
          end_of(End(widths, true), leaves, zero_terms, trees, true)};
}

Set results_of(std::span<const Arithmetic> widths, std::span<const Leaf> leaves, bool zero_terms,
               const TreeLimit& limit, std::size_t pieces) {
  const Results by(widths);
  const SubsetTrees trees(leaves.size(), limit);
  Set whole = trees.each<Set>([&](std::size_t set, const SubsetTrees::Found<Set>& reached) {
    Gathered all;
    reached.each_split(
        set, leaves,
        [&](const Leaf& leaf, std::size_t own_bit, std::size_t rest) {
          if (rest == 0) {
            all.add(leaf.alone);
          } else if (leaf.joins) {
            by.join(reached.of(rest, own_bit), *leaf.joins, all);
          }
        },
        [&](std::size_t part, std::size_t rest) { by.join(reached.of(part, rest), reached.of(rest, part), all); });
    Set own = std::move(all).in(pieces);
    return set == trees.full() ? own : by.as_operand(own);
  });
  if (zero_terms) whole.unite(by.as_operand(whole));
  return whole;
}

Set add_by(std::span<const Arithmetic> widths, const Set& x, const Set& y, bool is_exact) {
  const Results by(widths);
  Gathered all;
  by.join(by.as_operand(x), is_exact ? y : by.as_operand(y), all);
  return std::move(all).in(kFewPieces);
}

}  // namespace negzero::oracle
