// Lines to scan: drawn cases and contracts, and the reduction that each element is.

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::scans {

using number::FormatId;

/// Formats of x, y and the accumulator.
struct Formats {
  FormatId x, y, accumulate;
};
inline constexpr Formats kFormats[] = {
    {FormatId::F32, FormatId::F32, FormatId::F32},    {FormatId::F32, FormatId::F32, FormatId::F64},
    {FormatId::F16, FormatId::F16, FormatId::F32},    {FormatId::F16, FormatId::F16, FormatId::F16},
    {FormatId::BF16, FormatId::F32, FormatId::BF16},  {FormatId::F32, FormatId::F16, FormatId::F16},
    {FormatId::F64, FormatId::F64, FormatId::F64},    {FormatId::F64, FormatId::F32, FormatId::F32},
    {FormatId::F8_E4M3, FormatId::F16, FormatId::F16}};

/// A scan of those extents over x. `signature` must outlive it.
inline operation::Case scan_case(const notation::Signature& signature, FormatId x, FormatId y,
                                 const std::vector<std::int64_t>& extents) {
  operation::Case value;
  value.operation = operation::Operation(signature);
  std::ranges::copy(extents, value.operation.extents().begin());
  value.operation.formats()[0] = x;
  value.operation.formats()[1] = y;
  value.tensors.emplace("x", tensor::Tensor(x, value.operation.shape_of(0)));
  operation::pack_missing_layouts(value);
  return value;
}

/// A word of x that makes a line hard: all exponents, ends of the format, subnormals, zeros, what was there turned
/// around; one in `specials` an infinity or NaN, if that is not 0.
inline std::uint64_t hard_word(const number::Format& format, std::uint64_t last, std::uint64_t specials,
                               base::Random& random) {
  const std::uint64_t sign = random.one_in(2) ? number::zero(format, true) : 0;
  if (specials != 0 && random.one_in(specials)) {
    if (random.one_in(3) || !format.has_infinity) return number::canonical_nan(format);
    return number::infinity(format, sign != 0);
  }
  switch (random.below(7)) {
    case 0:
      return sign;
    case 1:
      return number::max_finite(format, sign != 0) - random.below(3);
    case 2:
      return sign | (1 + random.below((std::uint64_t{1} << format.fraction_bits) - 1));
    case 3:
      return number::is_nan(format, last) ? sign : last ^ number::zero(format, true);
    case 4:
      return number::from_double(format, random.uniform() - 0.5);
    default: {
      const std::uint64_t word = random.next() & format.word_mask();
      return number::decode(format, word).is_finite() ? word : sign;
    }
  }
}

/// Lines of `style` 0: mostly zeros; 1: hard words; 2: hard words with infinities and NaN; 3: one exponent; 4: zeros of
/// either sign alone.
inline void fill(tensor::Tensor& x, std::uint64_t style, base::Random& random) {
  const number::Format& format = x.format();
  std::uint64_t last = 0;
  for (std::int64_t i = 0; i < x.element_count(); ++i) {
    const std::uint64_t zero = number::zero(format, random.one_in(3));
    if (style == 4 || (style == 0 && !random.one_in(12))) {
      last = zero;
    } else if (style == 3) {
      last = number::from_double(format, random.uniform() - 0.5);
    } else {
      last = hard_word(format, last, style == 2 ? 40 : 0, random);
    }
    x.set(i, last);
  }
}

/// A contract whose every field that a scan knows may differ from its default. May contradict itself.
inline contract::Contract draw_contract(const Formats& formats, base::Random& random) {
  using namespace contract;
  Contract drawn;
  const auto any = [&]<class Word>(Word last) { return static_cast<Word>(random.below(static_cast<int>(last) + 1)); };
  drawn.accumulate = formats.accumulate;
  drawn.wider = random.one_in(2);
  drawn.order = random.one_in(2) ? Order::Any : Order::Ascending;
  drawn.start = random.one_in(2) ? Start::Any : random.one_in(2) ? Start::PlusZero : Start::FirstTerm;
  drawn.contraction = any(Contraction::Either);
  if (random.one_in(3)) drawn.accumulate_rounding = any(AccumulateRounding::Faithful);
  if (random.one_in(2)) drawn.subnormal_inputs = any(Subnormals::Either);
  if (random.one_in(2)) drawn.subnormal_results = any(Subnormals::Either);
  drawn.zero_sign = any(ZeroSign::Any);
  drawn.overflow = any(OverflowPolicy::Either);
  if (random.one_in(4)) drawn.compensated = true;
  if (random.one_in(4)) drawn.output_rounding = number::Rounding::TowardZero;
  if (random.one_in(6)) drawn.intermediate = {{FormatId::BF16}};
  if (random.one_in(6)) drawn.empty = number::zero(number::format(formats.y), true);
  if (random.one_in(4)) {
    drawn.slice_format = random.one_in(2) ? FormatId::BF16 : FormatId::F16;
    drawn.slices = static_cast<std::int64_t>(random.below(5));
  }
  if (random.one_in(5)) {
    drawn.promote =
        Promote{static_cast<std::int64_t>(1 + random.below(9)), random.one_in(2) ? FormatId::F32 : FormatId::F64};
  }
  return drawn;
}

/// What an oracle says of one element, every field of it.
inline std::string answer_text(const oracle::Oracle& oracle, std::int64_t element) {
  const oracle::Permitted set = oracle.permitted(element);
  const oracle::ElementFacts facts = oracle.facts(element);
  const auto number = [](const std::optional<exact::Dyadic>& x) { return x ? x->to_string() : "none"; };
  std::string text = fmt::format("{} {} {} {} zeros {}{} specials {}{}{} {} vacuous {} exact {}",
                                 static_cast<int>(set.format), set.finite, set.finite ? set.hull().low : 0,
                                 set.finite ? set.hull().high : 0, set.plus_zero, set.minus_zero, set.plus_infinity,
                                 set.minus_infinity, set.nan, set.rule.id(), set.vacuous, set.exact);
  text += fmt::format(" only {} parts {}", fmt::join(set.only, ","), set.intervals().size());
  text += fmt::format(" facts {} {} {} {} {} ", facts.rule.id(), number(facts.result), number(facts.sum),
                      number(facts.magnitude), facts.terms);
  return text + oracle.explain(element);
}

/// The reduction that is element `element` of a scan: the first of one row, or of as many as keep rule b to as few
/// terms as there.
inline operation::Case reduction_of(const operation::Case& scan, std::int64_t element) {
  const tensor::Tensor& x = operation::factor(scan);
  const operation::Lines lines(scan.operation);
  const operation::Line line = lines.of(element);
  operation::Case value;
  operation::Reduce reduce;
  reduce.kind = operation::ReduceKind::Sum;
  reduce.rows = lines.outputs() < oracle::kManyOutputs ? 1 : oracle::kManyOutputs;
  reduce.columns = line.count;
  reduce.x = x.format_id();
  reduce.y = scan.operation.formats()[1];
  value.operation = reduce;
  tensor::Tensor row(x.format_id(), {reduce.rows, reduce.columns});
  for (std::int64_t i = 0; i < line.count; ++i) row.set(i, x.get(line.at(i)));
  value.tensors.emplace("x", std::move(row));
  operation::pack_missing_layouts(value);
  return value;
}

}  // namespace negzero::scans
