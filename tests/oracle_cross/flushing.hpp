// The paragraph and table Flushing of numerics.md section 2: what may become of a subnormal number, by what takes or
// gives it.

#pragma once

#include <vector>

#include <negzero/contract/contract.hpp>

#include "softfloat.hpp"

namespace negzero::oracle_cross {

/// Whether either flag lets anything be flushed.
[[nodiscard]] bool may_flush(const contract::Contract& contract);

/// Kept, a zero of its sign, or either of the two.
struct Fate {
  bool kept = true;
  bool zero = false;
};
[[nodiscard]] Fate fate_of(contract::Subnormals policy);

/// F32, TF32 and BF16, which have the same exponents.
[[nodiscard]] bool has_exponents_of_f32(const SmallFormat& format);
[[nodiscard]] bool is_f64(const SmallFormat& format);

/// Whether `flush` leaves no choice to arithmetic in `format`: F32, TF32, and 8 bits.
[[nodiscard]] bool must_flush(const SmallFormat& format);
/// What a policy means in arithmetic of `format`.
[[nodiscard]] Flush flush_in(contract::Subnormals policy, const SmallFormat& format);

/// Subnormal in its own format and in that of the arithmetic.
[[nodiscard]] bool is_touched(const SmallFormat& own, Code code, const SmallFormat& arithmetic);

/// What arithmetic makes of an element, a scalar or C that it takes.
[[nodiscard]] Fate fate_as_operand(const contract::Contract& contract, const SmallFormat& own, Code code,
                                   const SmallFormat& arithmetic);
/// The values that it may have there.
[[nodiscard]] std::vector<Number> as_operand(const contract::Contract& contract, const SmallFormat& own, Code code,
                                             const SmallFormat& arithmetic);

/// What is converted: to memory, an element or an intermediate format; or a sum that is stored.
enum class Converted : std::uint8_t { Value, Sum };
/// Every result of one conversion, of which `to` gives the format and the rounding.
void convert_one(const contract::Contract& contract, const SmallFormat& own, Code code, Rounder to, Converted what,
                 Codes& out);
/// The same of each of `codes`.
[[nodiscard]] Codes convert_all(const contract::Contract& contract, const SmallFormat& own, const Codes& codes,
                                const Rounder& to, Converted what);

/// One element that no addition or comparison in `format` takes, on its way to memory as `out`: what is touched may be
/// a zero of its sign, where it is read or as a result that a conversion flushes.
[[nodiscard]] Codes kept_or_zero(const contract::Contract& contract, const SmallFormat& own, Code code,
                                 const SmallFormat& format, const SmallFormat& out);

}  // namespace negzero::oracle_cross
