// The results of all orders of a few terms: rule 2b of numerics.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/chain.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// A leaf of the tree: what a term may be.
struct Leaf {
  bool negative = false;
  Set alone{};  ///< rounded, or added to the +0 that a slice starts from
  /// What a partial sum takes it as besides: the unrounded product, a loaded value as it is.
  std::optional<Set> joins{};
};

/// Term `i` as a leaf: alone it is a rounded product, or a loaded value rounded only where it does not fit; where a
/// slice starts from +0 it is what adding it to +0 makes of it, which differs where something is flushed. A partial sum
/// takes a product unrounded where `fused`, and a loaded value as it is: only the first value of a slice meets its +0.
///
/// Of several `widths`: what any of them, or none, makes of it, stored to the narrower ones or not.
[[nodiscard]] Leaf leaf_of(std::span<const Arithmetic> widths, const Terms& terms, std::size_t i, bool fused,
                           bool separate, ChainStarts starts);

// Over all trees, by dynamic programming over subsets, in 3^n steps for n leaves; 1 <= n <= 16. Of several `widths`,
// the narrowest first, each join is in any of them, or rounds nothing, and what it gives may be stored to the narrower
// ones. `zero_terms`: further leaves are zero. They change nothing but where operands are flushed: x + 0 flushes x.
// Signs of zero are the caller's.

/// In which trees a leaf meets no more additions than so many. Where the last leaf is C its own are not counted. Fewer
/// than n - 1 take a round of those steps for each; n leaves have no tree with fewer than log2(n) of them.
struct TreeLimit {
  std::uint64_t additions = ~std::uint64_t{0};
  bool last_is_c = false;
};

/// Least and greatest result: rounding is monotone, so lo(X) = min over splits X = A + B of fl(lo(A) + lo(B)); a single
/// leaf may join as it is. Requires that not both infinities can appear, so that no order gives NaN, and that nothing
/// overflows in several widths. An end that overflows has `overflow` set.
struct Hull {
  Rounded low, high;
};
[[nodiscard]] Hull hull_of(std::span<const Arithmetic> widths, std::span<const Leaf> leaves, bool zero_terms,
                           const TreeLimit& limit = {});

/// Most terms that their results are enumerated of, and most pieces of a partial sum's: more are joined to their
/// neighbours.
inline constexpr std::size_t kFewTerms = 4, kFewPieces = 16;
/// Every result: R(X) is the union over splits of fl(a + b), a in R(A), b in R(B), each subset's in at most `pieces`
/// pieces; with 1 their hull, but for infinities and NaN.
[[nodiscard]] Set results_of(std::span<const Arithmetic> widths, std::span<const Leaf> leaves, bool zero_terms,
                             const TreeLimit& limit, std::size_t pieces);

/// What such an addition gives of two operands, in at most kFewPieces; `is_exact`: y is a product that it is fused
/// with.
[[nodiscard]] Set add_by(std::span<const Arithmetic> widths, const Set& x, const Set& y, bool is_exact = false);

}  // namespace negzero::oracle
