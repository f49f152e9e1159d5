// Dynamic programming over subsets of leaves.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <negzero/oracle/hull.hpp>

namespace negzero::oracle {

using contract::Subnormals;
using exact::Dyadic;

namespace {

bool less(const Rounded& a, const Rounded& b) {
  // An overflow holds the largest number of its sign, and lies beyond it.
  if (a.overflow == b.overflow) return a.value < b.value;
  return a.overflow ? a.value.sign() < 0 : b.value.sign() > 0;
}

/// A partial sum as an operand: the end of what flushing can make of it.
Rounded as_operand(const Arithmetic& arithmetic, const Rounded& x, bool upward) {
  if (arithmetic.inputs() == Subnormals::Keep || x.overflow) return x;
  const Set set = arithmetic.operand(Set::value(x.value));
  return {upward ? set.high : set.low, false};
}

Rounded join(const Arithmetic& arithmetic, const Rounded& a, const Rounded& b, bool upward) {
  if (a.overflow) return a;
  if (b.overflow) return b;
  const Dyadic sum = a.value + b.value;
  return upward ? arithmetic.greatest(sum) : arithmetic.least(sum);
}

/// One end (upward: the greatest result) for every subset.
Rounded end_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool upward) {
  const std::size_t full = (std::size_t{1} << leaves.size()) - 1;
  std::vector<Rounded> best(full + 1);  // as operands of the next addition, except the whole
  const auto better = [upward](const Rounded& a, const Rounded& b) { return upward ? less(b, a) : less(a, b); };
  for (std::size_t set = 1; set <= full; ++set) {
    const std::size_t first = set & (~set + 1);
    bool found = false;
    Rounded end;
    const auto offer = [&](const Rounded& candidate) {
      if (!found || better(candidate, end)) end = candidate;
      found = true;
    };
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const std::size_t leaf = std::size_t{1} << i;
      if ((set & leaf) == 0) continue;
      const std::size_t rest = set & ~leaf;
      if (rest == 0) {
        offer(upward ? leaves[i].high : leaves[i].low);
      } else if (leaves[i].joins) {
        offer(join(arithmetic, best[rest], {upward ? leaves[i].join_high : leaves[i].join_low, false}, upward));
      }
    }
    // Every split once: the part with the lowest leaf, and the other, not empty.
    const std::size_t others = set & ~first;
    for (std::size_t part = others; part != 0; part = (part - 1) & others) {
      offer(join(arithmetic, best[part], best[set & ~part], upward));
    }
    best[set] = set == full ? end : as_operand(arithmetic, end, upward);
  }
  return best[full];
}

}  // namespace

HullLeaf hull_leaf(const Arithmetic& arithmetic, const Terms& terms, std::size_t i, bool fused, bool separate,
                   ChainStarts starts) {
  const Dyadic value = terms.value(i);
  const bool loaded = (terms.flags(i) & kLoaded) != 0, negative = value.sign() < 0;
  HullLeaf leaf;
  Dyadic exact_low = value, exact_high = value;
  if ((terms.flags(i) & kOptional) != 0) (negative ? exact_high : exact_low) = Dyadic();
  const Set alone = leaf_set(arithmetic, terms, i);
  if (fused && !loaded) {
    leaf.joins = true;
    leaf.join_low = exact_low;
    leaf.join_high = exact_high;
  } else if (loaded && alone.finite && arithmetic.may_flush()) {
    const Set operand = arithmetic.operand(alone);
    leaf.joins = true;
    leaf.join_low = operand.low;
    leaf.join_high = operand.high;
  }
  Set set;
  if (starts.first_term || !arithmetic.may_flush()) set.join(alone);
  if (starts.plus_zero && arithmetic.may_flush()) {
    const Set zero = Set::value(Dyadic());
    if (separate || loaded) set.join(add(arithmetic, zero, alone));
    if (fused && !loaded) {
      set.join(add_product(arithmetic, zero, exact_low, negative));
      set.join(add_product(arithmetic, zero, exact_high, negative));
    }
  }
  // A term is above zero or below, so an overflow can only go one way.
  const bool overflows = set.any_infinity() || set.nan;
  const Dyadic largest = negative ? -arithmetic.max_finite() : arithmetic.max_finite();
  leaf.low = set.finite ? Rounded{set.low, false} : Rounded{largest, true};
  leaf.high = set.finite ? Rounded{set.high, false} : Rounded{largest, true};
  if (overflows) (negative ? leaf.low : leaf.high) = {largest, true};
  return leaf;
}

Hull hull_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool zero_terms) {
  Hull hull{end_of(arithmetic, leaves, false), end_of(arithmetic, leaves, true)};
  if (zero_terms) {
    const Rounded low = as_operand(arithmetic, hull.low, false), high = as_operand(arithmetic, hull.high, true);
    if (less(low, hull.low)) hull.low = low;
    if (less(hull.high, high)) hull.high = high;
  }
  return hull;
}

}  // namespace negzero::oracle
