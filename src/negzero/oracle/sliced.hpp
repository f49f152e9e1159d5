// Sums of slices of k that may be stored in a narrower format before they are added: rule 2f of numerics.md.

#pragma once

#include <optional>
#include <string_view>

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/overflow.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/verdict/rule.hpp>

namespace negzero::oracle {

/// The rule's id, for what is neither exact nor special.
inline constexpr verdict::Rule kSliced("sum.sliced");

/// What the stores of slices' sums can lose in all.
struct SliceStores {
  const number::Format* format = nullptr;  ///< G
  exact::Dyadic unit;                      ///< u_G: the share of what is stored that rounding loses at most
  exact::Dyadic underflow;                 ///< besides that: R e_G, by underflow or flushing; 0 where neither can be

  /// Where the magnitudes of the slices' sums are `sums` in all.
  [[nodiscard]] exact::Dyadic lost(const exact::Dyadic& sums) const { return unit * sums + underflow; }
  /// What the magnitudes of the stored values are at most, in all.
  [[nodiscard]] exact::Dyadic stored(const exact::Dyadic& sums) const { return sums + lost(sums); }
};
/// Of terms of which `facts` are known. Nothing where the sum has no such stores.
///
/// A slice's sum is a multiple of g, as every rounding of one is, so that nothing underflows in G where g is a number
/// of it. A slice with no term but zeros has nothing to lose: R is at most m, and at most the declared slices.
[[nodiscard]] std::optional<SliceStores> stores_of(const Sum& sum, const Facts& facts);

/// Rule a in G: S <= 2^p_G g, g >= eta_G (>= the smallest normal number where anything may be flushed), max(P, N) <=
/// the largest number. No store then changes a slice's sum that no addition rounded.
[[nodiscard]] bool stores_exactly(const Arithmetic& arithmetic, const SliceStores& stores, const Facts& facts);

/// What trees of additions over stored sums, and the stores, can overflow to.
[[nodiscard]] Overflows sliced_overflows(const Arithmetic& arithmetic, const Facts& facts, const Leaves& leaves,
                                         const SliceStores& stores);

/// What a sum in any order may be where its slices' sums are stored as well: `plain`, which it is without that, and
/// more. Requires finite terms and stores.
[[nodiscard]] SumResult with_stored_slices(const Sum& sum, const Element& element, const SliceStores& stores,
                                           SumResult plain);

}  // namespace negzero::oracle
