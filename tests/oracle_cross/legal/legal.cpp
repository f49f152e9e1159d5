// Sums, means, scans and locations.

#include "legal.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace negzero::oracle_legal {

using contract::MeanForm;
using contract::Order;
using number::FormatId;

namespace {

/// v / count, exact or with a last bit that stands for the rest.
Number divided(const Number& v, std::uint64_t count) {
  if (v.kind != Number::Kind::Finite || v.is_zero()) return v;
  Number result = v;
  while ((result.significand >> 120) == 0) {
    result.significand <<= 1;
    --result.exponent;
  }
  const bool is_inexact = result.significand % count != 0;
  result.significand /= count;
  if (is_inexact) result.significand |= 1;
  return result;
}

double magnitude_of(FormatId id, Code code) {
  const Number number = small_format(id).decode(code & ~kSignBit);
  return number.kind == Number::Kind::Finite ? std::ldexp(static_cast<double>(number.significand), number.exponent) : 0;
}

std::vector<Item> values_of(const Question& question) {
  std::vector<Item> items;
  for (const std::uint64_t word : question.x) items.push_back({{question.a, to_code(question.a, word)}, std::nullopt});
  return items;
}

std::uint64_t nothing_of(Luck& luck, const Question& question) {
  const contract::Contract& contract = luck.contract();
  if (!contract.empty) {
    const bool is_mean = question.kind == Question::Kind::Mean;
    return to_word(question.d, is_mean && luck.one_in(2) ? kNan : 0);
  }
  const int bits = word_bits(question.d);
  if (bits < 64 && *contract.empty >> bits != 0) luck.spoil();
  return *contract.empty;
}

std::uint64_t sum_of(Luck& luck, const Question& question) {
  const Plan plan = drawn_plan(luck, luck.contract().accumulate);
  Held sum = sum_by(luck, plan, values_of(question), std::nullopt, false, question.d);
  if (sum.id != plan.declared && luck.one_in(3)) sum = stored(luck, plan, sum);
  return to_memory(luck, sum, question.d, true);
}

/// The count as a format holds it.
Number divisor_in(FormatId id, std::size_t count) {
  const SmallFormat format = small_format(id);
  return format.decode(Rounder{format}.round(make_number(static_cast<std::int64_t>(count))));
}

std::uint64_t mean_of(Luck& luck, const Question& question) {
  const contract::Contract& contract = luck.contract();
  const Plan plan = drawn_plan(luck, contract.accumulate);
  const std::size_t count = question.x.size();
  const auto count_in = [&](FormatId id) -> std::uint64_t {
    const Number divisor = divisor_in(id, count);
    return static_cast<std::uint64_t>(divisor.exponent >= 0 ? divisor.significand << divisor.exponent
                                                            : divisor.significand >> -divisor.exponent);
  };
  const auto reciprocal_in = [&](FormatId id) {
    return Held{id, Rounder{small_format(id)}.round(divided(make_number(1), count_in(id)))};
  };
  std::vector<Item> items = values_of(question);
  if (contract.mean == MeanForm::Terms) {
    luck.note(Trait::DividedTerms);
    const bool divides = luck.one_in(2);
    const Arithmetic arithmetic = behind(luck, plan.widths.front().id);
    for (Item& item : items) {
      const bool was_finite = item.a.is_finite();
      item.a = luck.load(item.a, arithmetic);
      if (was_finite && !item.a.is_finite() && !contract.mean_may_overflow) luck.spoil();
      if (divides) {
        item.a = luck.round(arithmetic, divided(luck.take(item.a, arithmetic), count_in(arithmetic.id)));
      } else {
        item.b = reciprocal_in(arithmetic.id);
      }
    }
    Held sum = sum_by(luck, plan, std::move(items), std::nullopt, false, std::nullopt);
    if (sum.id != plan.declared && luck.one_in(3)) sum = stored(luck, plan, sum);
    return to_memory(luck, sum, question.d, true);
  }
  if (!contract.mean_may_overflow) {
    double most = 0;
    for (const Item& item : items) most += magnitude_of(item.a.id, item.a.code);
    for (const FormatId id : {plan.widths.front().id, plan.declared, contract.slice_format.value_or(plan.declared)}) {
      if (2 * most > magnitude_of(id, small_format(id).max_magnitude)) luck.spoil();
    }
  }
  if (luck.is_spoiled()) return 0;
  Held sum = sum_by(luck, plan, std::move(items), std::nullopt, false, std::nullopt);
  if (sum.id != plan.declared && luck.one_in(3)) sum = stored(luck, plan, sum);
  const Arithmetic last = behind(luck, sum.id);
  const bool divides = contract.mean == MeanForm::Divide || (contract.mean == MeanForm::Any && luck.one_in(2));
  const Number value = luck.take(sum, last);
  Held mean = luck.round(
      last, divides ? divided(value, count_in(last.id)) : multiply(value, luck.take(reciprocal_in(last.id), last)));
  if (mean.id != plan.declared && luck.one_in(3)) mean = stored(luck, plan, mean);
  return to_memory(luck, mean, question.d, true);
}

/// What a location holds behind all updates: some are added first, by themselves.
std::uint64_t location_of(Luck& luck, const Question& question) {
  const contract::Contract& contract = luck.contract();
  if (question.x.empty()) return question.addend;
  Plan plan;
  plan.declared = question.d;
  const bool widens = contract.wider || contract.accumulate != question.d;
  const Mode mode = mode_of_additions(contract.accumulate_rounding);
  const FormatId inner = luck.one_of(formats_from(question.d, widens));
  plan.widths = {luck.arithmetic(inner, mode)};
  if (inner != question.d) luck.note(Trait::Wider);
  const Item start{{question.d, to_code(question.d, question.addend)}, std::nullopt};
  std::vector<Item> items = values_of(question);
  Summation sums(luck, plan.widths, starts_of(contract));
  Held sum;
  if (contract.order == Order::Ascending) {
    sum = sums.chain(items, start);
  } else {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[luck.below(i)]);
    sum = sums.chain({}, start);
    // Those that are added first may be so in a wider format, and stored to the location's.
    std::optional<Summation> wide;
    const std::vector<FormatId> formats = formats_from(inner, widens);
    if (formats.size() > 1 && luck.one_in(3)) {
      wide.emplace(luck, std::vector{luck.arithmetic(luck.one_of(formats), mode)}, starts_of(contract));
      luck.note(Trait::MixedWidths);
    }
    const auto together_sum = [&](std::span<const Item> part) {
      if (!wide) return sums.tree({part.begin(), part.end()});
      const Held partial = wide->tree({part.begin(), part.end()});
      const Held held = luck.convert(partial, inner, Mode::NearestEven, OnOverflow::Ieee, Converted::Sum);
      if (mode != Mode::NearestEven && partial.is_finite() && !held.is_finite()) luck.spoil();
      return held;
    };
    for (std::size_t first = 0; first < items.size();) {
      const std::size_t together = luck.one_in(2) ? 1 : 1 + luck.below(items.size() - first);
      const auto part = std::span(items).subspan(first, together);
      sum = sums.join(sum, together == 1 ? part.front() : Item{together_sum(part), std::nullopt});
      first += together;
    }
  }
  if (sum.id != plan.declared && luck.one_in(2)) sum = stored(luck, plan, sum);
  return to_memory(luck, sum, question.d, false);
}

}  // namespace

std::optional<Legal> evaluate(const Question& question, const contract::Contract& contract, base::Random& random) {
  Luck luck(contract, random);
  std::uint64_t word = 0;
  const bool is_sum = question.kind == Question::Kind::Sum || question.kind == Question::Kind::Mean;
  if (question.kind == Question::Kind::Conversion) {
    word = conversion_of(luck, question);
  } else if (question.kind == Question::Kind::Selection) {
    word = selection_of(luck, question);
  } else if (is_sum && question.x.empty()) {
    word = nothing_of(luck, question);
  } else if (is_integer(question.d)) {
    word = integer_of(luck, question);
  } else if (question.kind == Question::Kind::Product) {
    word = product_of(luck, question);
  } else if (question.kind == Question::Kind::Location) {
    word = location_of(luck, question);
  } else {
    word = question.kind == Question::Kind::Mean ? mean_of(luck, question) : sum_of(luck, question);
  }
  if (luck.is_spoiled()) return std::nullopt;
  return Legal{word, luck.traits()};
}

}  // namespace negzero::oracle_legal
