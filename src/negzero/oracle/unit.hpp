// How tensor cores add products, as far as a contract says: steps of several products that truncate.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/number/format.hpp>

namespace negzero::oracle {

/// One step of a matrix unit takes several products and the accumulator together (docs/explanation/numerics.md 2e).
///
/// Each term is truncated to a multiple of 2^(E - kept_bits), E the largest exponent among them; the terms are added
/// exactly, and the sum is rounded once to the accumulator, which holds `result_bits` significant bits.
struct Unit {
  int kept_bits = 0;     ///< F
  int result_bits = 0;   ///< 24 for F32; 14 for the native FP8 units of Ada and Hopper, in an F32 word; 11 for F16
  bool nearest = false;  ///< the sum is rounded to nearest even; else towards zero
  int shortest = 1;      ///< L: products in the shortest step that an instruction of the unit takes
  bool converts_to_f16 = false;  ///< factors of FP8 are converted to F16 first

  /// Nothing is lost of terms that are multiples of g while none of them, and no partial sum, reaches 2^exact_bits() g.
  [[nodiscard]] constexpr int exact_bits() const noexcept {
    return kept_bits + 1 < result_bits ? kept_bits + 1 : result_bits;
  }
  friend bool operator==(const Unit&, const Unit&) = default;
};

/// A unit at work on one GEMM.
struct Stepping {
  Unit unit;                     ///< the worst of `units`, in each respect
  std::vector<Unit> units;       ///< those that it may be, at least one
  int least_a = 0, least_b = 0;  ///< exponents of the smallest normal numbers of the factors' formats
  std::int64_t slices = 0;       ///< most parts of k that are summed by themselves; 0: any number
  friend bool operator==(const Stepping&, const Stepping&) = default;
};

/// The units of a contract for products of `a` and `b` (as the multiplication takes them: TF32 where F32 was rounded to
/// it) in an accumulator: of Unit::Any all that take these formats, each once. Empty where none is known.
[[nodiscard]] std::vector<Unit> units_of(contract::Unit unit, number::FormatId a, number::FormatId b,
                                         number::FormatId accumulate);
/// The least that any of them keeps, in each respect. Requires one.
[[nodiscard]] Unit worst_of(const std::vector<Unit>& units) noexcept;

}  // namespace negzero::oracle
