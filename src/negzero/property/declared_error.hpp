// What a declared error permits around a reference's value: an interval of the output's format.

#pragma once

#include <cstdint>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/kernel/reference.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::property {

/// Ordinals of a format from low to high.
struct Interval {
  std::int64_t low = 0, high = 0;
  bool nan = false;  ///< NaN too: an end lies beyond the largest number of a format without infinities
  [[nodiscard]] bool holds(std::int64_t ordinal) const { return low <= ordinal && ordinal <= high; }
};

/// The error of one output.
class DeclaredError {
 public:
  /// Of an output of the case in that format, which must outlive it, as the bound must. `limits`: of the kernel.
  DeclaredError(const operation::Case& value, const number::Format& format, const kernel::ErrorBound& bound,
                const contract::Contract& contract, const operation::Limits& limits);

  /// Whether some wrong number would not be seen: the error exceeds its scale, or the number.
  [[nodiscard]] bool is_blind() const;
  /// Whether an element of that scale, in F64, decides: not where the error is blind, nor where what underflow may have
  /// lost exceeds the scale.
  [[nodiscard]] bool decides(std::uint64_t scale) const;

  /// What is permitted around a finite value, in F64 or an integer; `scale` in F64, finite. The ends of
  /// value -+ relative * scale are rounded outward (value alone: to nearest), and moved by so many ulps more. Where the
  /// kernel declares values, and a scale above 0 is so small that steps behind it may have underflowed, what they lost
  /// is permitted besides. Where an end overflows, a format with infinities has its infinity there, another NaN.
  [[nodiscard]] Interval around(const number::Format& from, std::uint64_t word, std::uint64_t scale) const;

 private:
  const number::Format& format_;
  const kernel::ErrorBound& bound_;
  bool flushes_;
  exact::Dyadic underflow_{};        ///< what steps may lose besides, relative to no scale
  exact::Dyadic underflow_below_{};  ///< scales from here on make nothing of that
};

}  // namespace negzero::property
