// Dynamic programming over subsets of leaves.

#include <array>
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
  const Range range = arithmetic.operand(Range::value(x.value));
  return {upward ? range.high : range.low, false};
}

Rounded join(const Arithmetic& arithmetic, const Rounded& a, const Rounded& b, bool upward) {
  if (a.overflow) return a;
  if (b.overflow) return b;
  const Dyadic sum = a.value + b.value;
  return upward ? arithmetic.greatest(sum) : arithmetic.least(sum);
}

/// One end (upward: the greatest result) for every subset.
Rounded end_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool fused, bool upward) {
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
      } else if (fused) {
        offer(join(arithmetic, best[rest], {upward ? leaves[i].exact_high : leaves[i].exact_low, false}, upward));
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

HullLeaf hull_leaf(const Arithmetic& arithmetic, const Dyadic& value, bool loaded, bool optional) {
  HullLeaf leaf{value, value, {value, false}, {value, false}};
  if (optional) (value.sign() > 0 ? leaf.exact_low : leaf.exact_high) = Dyadic();
  if (loaded && arithmetic.holds(value)) {
    leaf.low.value = leaf.exact_low;
    leaf.high.value = leaf.exact_high;
    return leaf;
  }
  leaf.low = arithmetic.least(leaf.exact_low);
  leaf.high = arithmetic.greatest(leaf.exact_high);
  return leaf;
}

Hull hull_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool fused) {
  return {end_of(arithmetic, leaves, fused, false), end_of(arithmetic, leaves, fused, true)};
}

}  // namespace negzero::oracle
