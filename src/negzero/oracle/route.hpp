// The accumulators that a contract permits for one sum, and what all paths along one of them have in common.

#pragma once

#include <optional>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/steps.hpp>
#include <negzero/oracle/sum.hpp>

namespace negzero::oracle {

/// One accumulator. `real_ends` marks the widest: whatever is at least as exact as F64 lies within its bound, on no
/// particular grid (numerics.md 2d).
struct Route {
  number::FormatId format;
  bool real_ends = false;
  /// With the format that blocks are added in: never a narrower one than theirs.
  std::optional<contract::Promote> promote{};
  std::optional<Stepping> stepping{};  ///< products are summed by a matrix unit
  bool is_ordinary = false;            ///< its additions round to nearest, whatever is declared of the accumulator's
  /// Its additions are each in any format from this one to `format`.
  std::optional<number::FormatId> narrowest{};

  /// The formats of its additions, `format` first.
  [[nodiscard]] std::vector<number::FormatId> formats() const;
  /// The formats that its finished sum may be held in, the widest first.
  [[nodiscard]] std::vector<number::FormatId> held_formats() const {
    return promote ? std::vector{promote->format} : formats();
  }

  /// The arithmetic of its additions; with blocks, inside of them.
  [[nodiscard]] Arithmetic inside(const Declared& contract) const;
  /// The arithmetic that the route's finished sum is held in.
  [[nodiscard]] Arithmetic held(const Declared& contract) const;
};

/// The declared accumulator first; then, if the contract says `wider`, sums of which each addition is in that one or in
/// any wider one (slices in F16 that are added in F32). Chains, compensated sums and stored slices have one
/// accumulator: each of F16, BF16, F32 and F64 that holds all numbers of the declared one and more, F64 last. (F32 has
/// to stand between F16 and F64: fl16(fl32(s)) need not lie in the hull of F16 and F64 results, s just above a midpoint
/// of F16 that F32 rounds to the midpoint.) Where the contract promotes, each of them with each format that holds it
/// and the declared promotion's. What is declared of the accumulator's rounding is a unit's own: where that is not to
/// nearest, additions in a wider format may be as well.
[[nodiscard]] std::vector<Route> routes_of(const Declared& contract, number::FormatId accumulate);

/// The sum along a route, as the contract has it, without C. `are_values`: no products that an addition could be fused
/// with.
[[nodiscard]] Sum sum_of(const Declared& contract, const Route& route, bool are_values, int hull_terms);

/// The roundings that a contract declares between the accumulator and the output, `intermediate`.
[[nodiscard]] Ending intermediate_steps(const Declared& contract);
/// The last conversion.
[[nodiscard]] Round output_step(const Declared& contract, number::FormatId output);

}  // namespace negzero::oracle
