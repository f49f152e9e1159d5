// Alignment, truncation, one exact sum, one rounding.

#include "unit_step.hpp"

#include <algorithm>

namespace negzero::oracle_faults {

using number::FormatId;

namespace {

/// The exponent of the leading place, which is that of a normal number's leading bit.
int leading_exponent(FormatId id, const Number& x) {
  const SmallFormat format = small_format(id);
  const Number one = reduced(x);
  int top = one.exponent - 1;
  for (Wide bits = one.significand; bits != 0; bits >>= 1) ++top;
  return std::max(top, format.min_exponent);
}

}  // namespace

UnitTerm unit_term(FormatId a, std::uint64_t x, FormatId b, std::uint64_t y) {
  const Number first = value_of(a, x), second = value_of(b, y);
  return {reduced(multiply(first, second)), leading_exponent(a, first) + leading_exponent(b, second)};
}

UnitTerm unit_term(FormatId accumulate, const Number& value) {
  return {reduced(value), leading_exponent(accumulate, value)};
}

Number stepped(const UnitRow& unit, FormatId accumulate, std::span<const UnitTerm> products, const Number& accumulator,
               const std::optional<Cut>& cut) {
  std::vector<UnitTerm> terms(products.begin(), products.end());
  terms.push_back(unit_term(accumulate, accumulator));
  std::optional<int> greatest;
  for (const UnitTerm& term : terms) {
    if (!term.exact.is_zero()) greatest = std::max(greatest.value_or(term.exponent), term.exponent);
  }
  if (!greatest) return {};
  Number sum;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const int last = *greatest - unit.kept_bits + (cut && cut->term == i ? cut->bits : 0);
    Number kept = terms[i].exact;
    if (kept.exponent < last) {
      const int shift = last - kept.exponent;
      kept.significand = shift < 128 ? kept.significand >> shift : 0;
      kept.exponent = last;
    }
    sum = reduced(add(sum, reduced(kept)));
  }
  const SmallFormat format = small_format(accumulate);
  if (accumulate == FormatId::F16) return reduced(rounded(format, sum));
  const SmallFormat narrow = SmallFormat::ieee(unit.result_bits, -126, 127);
  return reduced(rounded(narrow, sum, Mode::TowardZero));
}

UnitRow hopper_row(FormatId factors) {
  // numerics.md 2e, the table.
  if (factors == FormatId::TF32) return {25, 24, 4};
  if (factors == FormatId::F8_E4M3 || factors == FormatId::F8_E5M2) return {13, 14, 8};
  return {25, 24, 8};
}

}  // namespace negzero::oracle_faults
