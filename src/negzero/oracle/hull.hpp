// The exact hull of the results of all orders of a few terms: rule 2b of numerics.md.

#pragma once

#include <span>

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// A leaf of the tree: an exact value, and the ends of what it becomes alone.
struct HullLeaf {
  Rounded low, high;                  ///< alone: rounded, or added to the +0 that a slice starts from
  bool joins = false;                 ///< whether it also joins a partial sum as it is, with neither of the two
  exact::Dyadic join_low, join_high;  ///< then: the unrounded product, or a loaded value
};

/// Term `i` as a leaf: alone it is a rounded product, or a loaded value rounded only where it does not fit; where a
/// slice starts from +0 it is what adding it to +0 makes of it, which differs where something is flushed. A partial sum
/// takes a product unrounded where `fused`, and a loaded value as it is: only the first value of a slice meets its +0.
[[nodiscard]] HullLeaf hull_leaf(const Arithmetic& arithmetic, const Terms& terms, std::size_t i, bool fused,
                                 bool separate, ChainStarts starts);

/// Least and greatest result over all trees, by dynamic programming over subsets: rounding is monotone, so
/// lo(X) = min over splits X = A + B of fl(lo(A) + lo(B)); a single leaf may join as it is where HullLeaf says so.
///
/// `zero_terms`: further leaves are zero. They change nothing but where operands are flushed: x + 0 flushes x.
///
/// Takes 3^n steps for n leaves. Requires 1 <= n <= 16, and that not both infinities can appear, so that no order gives
/// NaN. An end that overflows has `overflow` set. Signs of zero are the caller's.
struct Hull {
  Rounded low, high;
};
[[nodiscard]] Hull hull_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool zero_terms);

}  // namespace negzero::oracle
