// The table of units, and one step.

#include "stepping.hpp"

#include <algorithm>
#include <bit>

namespace negzero::oracle_legal {

using contract::Unit;
using number::FormatId;

std::optional<UnitRow> drawn_unit(Luck& luck, FormatId a, FormatId b, FormatId accumulate) {
  enum class Kind : std::uint8_t { F16, Bf16, Tf32, F8 };
  struct Row {
    Unit unit;
    Kind kind;
    UnitRow row;
  };
  // numerics.md 2e, the table.
  constexpr Row kRows[] = {{Unit::Hopper, Kind::F16, {25, 24, 8}},     {Unit::Hopper, Kind::Bf16, {25, 24, 8}},
                           {Unit::Hopper, Kind::Tf32, {25, 24, 4}},    {Unit::Hopper, Kind::F8, {13, 14, 8}},
                           {Unit::Volta, Kind::F16, {23, 24, 4}},      {Unit::Turing, Kind::F16, {24, 24, 4}},
                           {Unit::Ampere, Kind::F16, {24, 24, 8}},     {Unit::Ampere, Kind::Bf16, {24, 24, 8}},
                           {Unit::Ampere, Kind::Tf32, {24, 24, 4}},    {Unit::Ada, Kind::F16, {24, 24, 8}},
                           {Unit::Ada, Kind::Bf16, {24, 24, 8}},       {Unit::Ada, Kind::Tf32, {24, 24, 4}},
                           {Unit::Ada, Kind::F8, {13, 14, 8}},         {Unit::Blackwell, Kind::F16, {25, 24, 8}},
                           {Unit::Blackwell, Kind::Bf16, {25, 24, 8}}, {Unit::Blackwell, Kind::Tf32, {25, 24, 4}},
                           {Unit::Blackwell, Kind::F8, {25, 24, 8}}};
  const auto is_f8 = [](FormatId id) { return id == FormatId::F8_E4M3 || id == FormatId::F8_E5M2; };
  Kind kind = Kind::F8;
  if (!(is_f8(a) && is_f8(b))) {
    if (a != b) return std::nullopt;
    if (a == FormatId::F16) {
      kind = Kind::F16;
    } else if (a == FormatId::BF16) {
      kind = Kind::Bf16;
    } else if (a == FormatId::TF32) {
      kind = Kind::Tf32;
    } else {
      return std::nullopt;
    }
  }
  if (accumulate != FormatId::F32 && !(accumulate == FormatId::F16 && kind == Kind::F16)) return std::nullopt;
  std::vector<UnitRow> rows;
  for (const Row& row : kRows) {
    const Unit declared = luck.contract().unit;
    if (row.kind == kind && (declared == Unit::Any || declared == row.unit)) rows.push_back(row.row);
  }
  if (rows.empty()) return std::nullopt;
  return luck.one_of(rows);
}

namespace {

/// significand * 2^last, of which the leading place stands for 2^exponent: a subnormal keeps the least exponent.
struct Aligned {
  bool negative;
  std::int64_t significand;
  int last, exponent;
};

Aligned aligned(const Held& value) {
  const SmallFormat format = small_format(value.id);
  const Number number = format.decode(value.code);
  return {number.negative, static_cast<std::int64_t>(number.significand), number.exponent,
          number.exponent + format.precision - 1};
}

Held step(Luck& luck, const UnitRow& unit, std::span<const Item> items, const Held& accumulator, bool is_first) {
  std::vector<Aligned> terms{aligned(accumulator)};
  std::optional<Number> special;
  const auto meet = [&](const Number& number) { special = special ? add(*special, number) : number; };
  if (!accumulator.is_finite()) meet(small_format(accumulator.id).decode(accumulator.code));
  bool all_minus_zero = is_first || (accumulator.code == kSignBit);
  for (const Item& item : items) {
    const Number product =
        multiply(small_format(item.a.id).decode(item.a.code), small_format(item.b->id).decode(item.b->code));
    all_minus_zero = all_minus_zero && product.is_zero() && product.negative;
    if (product.kind != Number::Kind::Finite) {
      meet(product);
      continue;
    }
    const Aligned a = aligned(item.a), b = aligned(*item.b);
    terms.push_back(
        {a.negative != b.negative, a.significand * b.significand, a.last + b.last, a.exponent + b.exponent});
  }
  const SmallFormat format = small_format(accumulator.id);
  if (special) return {accumulator.id, Rounder{format}.round(*special)};
  std::optional<int> greatest;
  for (const Aligned& term : terms) {
    if (term.significand != 0) greatest = greatest ? std::max(*greatest, term.exponent) : term.exponent;
  }
  if (!greatest) return {accumulator.id, all_minus_zero && luck.one_in(2) ? kSignBit : 0};
  const int last = *greatest - unit.kept_bits;
  std::int64_t sum = 0;
  for (const Aligned& term : terms) {
    const int shift = term.last - last;
    const std::int64_t kept = shift >= 0    ? (term.significand == 0 ? 0 : term.significand << shift)
                              : shift > -63 ? term.significand >> -shift
                                            : 0;
    sum += term.negative ? -kept : kept;
  }
  if (sum == 0) return {accumulator.id, 0};
  const Number exact = make_number(sum, last);
  if (accumulator.id == FormatId::F16) return {accumulator.id, Rounder{format}.round(exact)};
  const auto size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  constexpr int kFirstAbove = 128;
  const Code sign = sum < 0 ? kSignBit : 0;
  if (static_cast<int>(std::bit_width(size)) - 1 + last >= kFirstAbove)
    return {accumulator.id, format.infinity() | sign};
  const SmallFormat narrow = SmallFormat::ieee(unit.result_bits, -126, 127);
  const Code code = Rounder{narrow, Mode::TowardZero}.round(exact);
  const Code held = Rounder{format}.round(narrow.decode(code));
  return {accumulator.id, held == kSignBit ? 0 : held};
}

}  // namespace

Held steps_of(Luck& luck, const UnitRow& unit, std::span<const Item> slice, std::size_t length, FormatId accumulate,
              const std::optional<Held>& c) {
  Held start = c.value_or(Held{accumulate, 0});
  bool is_first = !c;
  for (std::size_t begin = 0; begin < slice.size(); begin += length) {
    start = step(luck, unit, slice.subspan(begin, std::min(length, slice.size() - begin)), start, is_first);
    is_first = false;
  }
  return start;
}

}  // namespace negzero::oracle_legal
