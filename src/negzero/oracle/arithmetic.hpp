// Rounding in an accumulator as its contract declares it: the least and the greatest result an exact value can give.

#pragma once

#include <cstdint>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/number/format.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

struct Declared;

/// A rounded value. With `overflow` the result lies beyond the largest number of the value's sign: Inf, or NaN where
/// the format has no Inf; `value` is then that largest number.
struct Rounded {
  exact::Dyadic value;
  bool overflow = false;
};

/// One accumulator: format, rounding, what becomes of subnormals, and of overflow under truncation.
///
/// least() and greatest() are monotone in their argument for every setting (IEEE 754-2019 section 4 roundings are, and
/// so is flushing to zero), which is what every hull in the oracle rests on.
class Arithmetic {
 public:
  Arithmetic(number::FormatId format, const Declared& contract);
  /// The same settings in another format.
  [[nodiscard]] Arithmetic in(number::FormatId format) const;
  /// The accumulator that partial sums are promoted to: ordinary additions, which round to nearest.
  [[nodiscard]] Arithmetic promoted(number::FormatId format) const;

  [[nodiscard]] const number::Format& format() const noexcept { return *format_; }
  [[nodiscard]] int precision() const noexcept { return format_->precision(); }
  [[nodiscard]] int eta_exponent() const noexcept { return format_->eta_exponent(); }
  [[nodiscard]] contract::AccumulateRounding rounding() const noexcept { return rounding_; }
  /// What becomes of operands that are subnormal in this format, and of such results: what is declared, as it acts in
  /// this format (flushing.hpp).
  [[nodiscard]] contract::Subnormals inputs() const;
  [[nodiscard]] contract::Subnormals results() const;
  /// Whether operands, or results, are declared to be flushed, or perhaps flushed.
  [[nodiscard]] bool flushes_inputs() const noexcept { return inputs_ != contract::Subnormals::Keep; }
  [[nodiscard]] bool flushes_results() const noexcept { return results_ != contract::Subnormals::Keep; }
  /// Whether a subnormal result, or a subnormal operand of an addition or a scaling, may become zero.
  [[nodiscard]] bool may_flush() const noexcept;
  /// The last place of what neither underflows nor is flushed: multiples of 2^floor_exponent() are never too small.
  [[nodiscard]] int floor_exponent() const noexcept {
    return may_flush() ? format_->min_normal_exponent() : format_->eta_exponent();
  }
  /// Whether a subnormal value that is loaded may be flushed as the result of an addition to +0, where a partial sum
  /// starts.
  [[nodiscard]] bool may_flush_loads() const noexcept { return flushes_loads_; }
  /// Whether an overflow may give the largest number (truncation and faithful rounding), and whether it may give Inf.
  [[nodiscard]] bool may_saturate() const noexcept;
  [[nodiscard]] bool may_overflow() const noexcept;
  [[nodiscard]] const exact::Dyadic& max_finite() const noexcept { return *max_finite_; }

  /// The smallest / largest result that the exact value `x` can give.
  [[nodiscard]] Rounded least(const exact::Dyadic& x) const;
  [[nodiscard]] Rounded greatest(const exact::Dyadic& x) const;
  /// Whether a magnitude of `x` can overflow: x reaches the threshold T of numerics.md section 3.
  [[nodiscard]] bool can_overflow(const exact::Dyadic& x) const;
  /// Whether `x` is a finite number of the format, flushed or not.
  [[nodiscard]] bool holds(const exact::Dyadic& x) const;

  /// What rounding makes of exact results in [low, high], all of them multiples of 2^grid. `exact_plus` and
  /// `exact_minus` say which signs an exact zero may carry; a result that underflows or is flushed keeps its own.
  [[nodiscard]] Set round(const exact::Dyadic& low, const exact::Dyadic& high, bool exact_plus, bool exact_minus,
                          int grid) const;
  /// The value `x` (`negative`: its sign where it is zero) from memory. What the format does not hold is converted. A
  /// conversion is no addition or product: the settings for their results never force it to flush, but may.
  [[nodiscard]] Set load(const exact::Dyadic& x, bool negative) const;
  /// `set` as an operand: subnormals may be, or are, taken for zero.
  [[nodiscard]] Set operand(const Set& set) const;

  /// `set`, held in this arithmetic, on its way to a wider accumulator: a conversion to F64 may flush what it takes.
  [[nodiscard]] Set moved_to(const number::Format& wider, const Set& set) const;

  friend bool operator==(const Arithmetic&, const Arithmetic&) = default;

 private:
  [[nodiscard]] Rounded rounded(const exact::Dyadic& x, bool upward) const;
  /// Whether some result of that sign, of those that round() takes, may be zero.
  [[nodiscard]] bool vanishes(const exact::Dyadic& low, const exact::Dyadic& high, int grid, bool negative) const;
  /// round() where results that are subnormal may become zero.
  [[nodiscard]] Set round_or_flush(const exact::Dyadic& low, const exact::Dyadic& high, bool exact_plus,
                                   bool exact_minus, int grid) const;
  /// Whether x underflows: IEEE 754-2019 7.5, tininess after rounding.
  [[nodiscard]] bool is_tiny(const exact::Dyadic& x, const number::EncodeOptions& options) const;

  const number::Format* format_;
  contract::AccumulateRounding rounding_;
  contract::Subnormals inputs_, results_;  ///< as declared
  bool flushes_loads_;
  bool truncation_overflows_;  ///< overflow = either: a truncating accumulator may give Inf as well
  const exact::Dyadic* max_finite_;
};

/// The accumulators that hold the numbers of `declared` and more, of F16, BF16, F32 and F64. None for an integer.
[[nodiscard]] std::vector<number::FormatId> wider_formats(number::FormatId declared);
/// Arithmetic next to a sum in that of its accumulator: the same, and the ordinary one, which rounds to nearest (a unit
/// that truncates does not scale, divide or add C).
[[nodiscard]] std::vector<Arithmetic> behind_sum(const Arithmetic& sum);

/// Whether `x` is a finite number of the format.
[[nodiscard]] bool is_number_of(const number::Format& format, const exact::Dyadic& x);

/// 2^(floor(log2 x) - p + 1), at least eta: the weight of the last place of |x|. ulp(0) is eta.
[[nodiscard]] exact::Dyadic ulp(const number::Format& format, const exact::Dyadic& x);

}  // namespace negzero::oracle
