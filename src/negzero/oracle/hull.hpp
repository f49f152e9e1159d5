// The exact hull of the results of all orders of a few terms: rule 2b of numerics.md.

#pragma once

#include <span>

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/range.hpp>

namespace negzero::oracle {

/// A leaf of the tree: an exact value, and the ends of what it becomes alone.
struct HullLeaf {
  exact::Dyadic exact_low, exact_high;  ///< the unrounded product; apart only where an input may be flushed
  Rounded low, high;                    ///< rounded alone
};

/// The leaf of a product that an operation makes, or of a value that is loaded (rounded only where it does not fit).
[[nodiscard]] HullLeaf hull_leaf(const Arithmetic& arithmetic, const exact::Dyadic& value, bool loaded, bool optional);

/// Least and greatest result over all trees, by dynamic programming over subsets: rounding is monotone, so
/// lo(X) = min over splits X = A + B of fl(lo(A) + lo(B)); with `fused` a single product may join unrounded.
///
/// Takes 3^n steps for n leaves. Requires 1 <= n <= 16, and that not both infinities can appear, so that no order gives
/// NaN. An end that overflows has `overflow` set. Signs of zero are the caller's.
struct Hull {
  Rounded low, high;
};
[[nodiscard]] Hull hull_of(const Arithmetic& arithmetic, std::span<const HullLeaf> leaves, bool fused);

}  // namespace negzero::oracle
