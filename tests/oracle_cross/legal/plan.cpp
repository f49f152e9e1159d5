// Accumulators, one way to add by them, and the way to memory.

#include "plan.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "../scenario.hpp"

namespace negzero::oracle_legal {

using contract::AccumulateRounding;
using contract::Order;
using contract::Start;
using number::FormatId;

Mode mode_of_additions(AccumulateRounding rounding) {
  if (rounding == AccumulateRounding::Nearest) return Mode::NearestEven;
  return rounding == AccumulateRounding::TowardZero ? Mode::TowardZero : Mode::Faithful;
}

OnOverflow on_overflow(const contract::Contract& contract) {
  constexpr OnOverflow kPolicies[] = {OnOverflow::Ieee, OnOverflow::Ieee, OnOverflow::Saturate, OnOverflow::Nan,
                                      OnOverflow::Either};
  return kPolicies[static_cast<std::size_t>(contract.overflow)];
}

bool holds(FormatId wide, FormatId narrow) {
  const SmallFormat a = small_format(wide), b = small_format(narrow);
  const auto top = [](const SmallFormat& f) {
    return static_cast<int>(f.max_magnitude >> (f.precision - 1)) + f.min_exponent;
  };
  return a.precision >= b.precision && a.eta_exponent() <= b.eta_exponent() && top(a) >= top(b);
}

std::vector<FormatId> formats_from(FormatId declared, bool wider) {
  std::vector<FormatId> all{declared};
  if (!wider) return all;
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64}) {
    if (small_format(id).precision > small_format(declared).precision && holds(id, declared)) all.push_back(id);
  }
  return all;
}

Starts starts_of(const contract::Contract& contract) {
  return {contract.start != Start::FirstTerm, contract.start != Start::PlusZero};
}

Plan drawn_plan(Luck& luck, FormatId accumulate) {
  const contract::Contract& contract = luck.contract();
  const Mode declared_mode = mode_of_additions(contract.accumulate_rounding);
  const Mode wide_mode = declared_mode != Mode::NearestEven && luck.one_in(2) ? Mode::NearestEven : declared_mode;
  const auto in = [&](FormatId id) {
    const bool is_wide = id != accumulate;
    if (is_wide) luck.note(Trait::Wider);
    if (is_wide && wide_mode != declared_mode) luck.note(Trait::NearestWide);
    return luck.arithmetic(id, is_wide ? wide_mode : declared_mode);
  };
  const std::vector<FormatId> formats = formats_from(accumulate, contract.wider);
  Plan plan;
  plan.declared = contract.promote ? contract.promote->format : accumulate;
  const FormatId inner = luck.one_of(formats);
  // An F64 accumulator that is wider than declared holds the whole sum.
  const bool is_whole = inner == FormatId::F64 && inner != accumulate;
  if (contract.promote && !is_whole) {
    luck.note(Trait::Promoted);
    std::vector<FormatId> outers;
    for (const FormatId id : formats_from(contract.promote->format, contract.wider)) {
      if (holds(id, inner)) outers.push_back(id);
    }
    plan.outer = luck.arithmetic(luck.one_of(outers), Mode::NearestEven);
    plan.every = contract.promote->every;
    plan.starts_at_c = contract.start == Start::C || (contract.start == Start::Any && luck.one_in(2));
    if (plan.outer->id != plan.declared) luck.note(Trait::Wider);
  }
  plan.widths = {in(inner)};
  if (plan.outer || contract.promote || inner == FormatId::F64 || !luck.one_in(3)) return plan;
  // A chain, a compensated sum and stored slices have one accumulator.
  if (contract.order == Order::Ascending || contract.compensated || contract.slice_format) return plan;
  // Each addition in a format of its own. Of the formats between, those that hold each other's numbers.
  if (!contract.wider) return plan;
  for (const FormatId id : {FormatId::F32, FormatId::F64}) {
    if (id != inner && holds(id, inner)) plan.widths.push_back(in(id));
  }
  if (plan.widths.size() > 1) luck.note(Trait::MixedWidths);
  return plan;
}

namespace {

Held sum_of_blocks(Luck& luck, const Plan& plan, std::vector<Item> items, std::optional<Item> c) {
  const contract::Contract& contract = luck.contract();
  const Starts starts = starts_of(contract);
  const bool is_tree = contract.order == Order::Any;
  if (items.empty()) {
    if (c) luck.note(plan.starts_at_c ? Trait::CInBlock : Trait::CAmongBlocks);
    return Summation(luck, {*plan.outer}, starts).chain({}, c);
  }
  const auto every = static_cast<std::size_t>(plan.every);
  const bool in_block = c && plan.starts_at_c;
  std::vector<Item> blocks;
  for (std::size_t first = 0; first < items.size(); first += every) {
    const auto block = std::span(items).subspan(first, std::min(every, items.size() - first));
    Summation inner(luck, plan.widths, starts);
    Held sum;
    if (first == 0 && in_block) {
      luck.note(Trait::CInBlock);
      sum = inner.chain(block, c);
    } else {
      sum = is_tree ? inner.tree({block.begin(), block.end()}) : inner.chain(block, std::nullopt);
    }
    blocks.push_back({sum, std::nullopt});
  }
  Summation outer(luck, {*plan.outer}, starts);
  if (c && !in_block) {
    luck.note(Trait::CAmongBlocks);
    if (!is_tree) {
      // Before the blocks, or behind them.
      if (contract.start == Start::Any && luck.one_in(2)) return outer.chain(blocks, c);
      return outer.join(outer.chain(blocks, std::nullopt), *c);
    }
    blocks.push_back(*c);
  }
  return is_tree ? outer.tree(blocks) : outer.chain(blocks, std::nullopt);
}

Held sum_of_slices(Luck& luck, const Plan& plan, std::vector<Item> items, const std::optional<Item>& c) {
  const contract::Contract& contract = luck.contract();
  const Starts starts = starts_of(contract);
  const bool is_behind = c && luck.one_in(2);
  if (c && !is_behind) items.push_back(*c);
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[luck.below(i)]);
  const std::size_t most = contract.slices > 0 ? static_cast<std::size_t>(contract.slices) : items.size();
  const std::size_t count = 1 + luck.below(std::min(most, items.size()));
  std::vector<std::vector<Item>> slices(count);
  for (const Item& item : items) slices[luck.below(count)].push_back(item);
  std::vector<Item> sums;
  for (const std::vector<Item>& slice : slices) {
    if (slice.empty()) continue;
    Held sum = Summation(luck, plan.widths, starts).tree(slice);
    if (!luck.one_in(3)) {
      luck.note(Trait::StoredSlice);
      sum = luck.convert(sum, *contract.slice_format, Mode::NearestEven, OnOverflow::Ieee, Converted::Sum);
    }
    sums.push_back({sum, std::nullopt});
  }
  if (is_behind) sums.push_back(*c);
  return Summation(luck, plan.widths, {false, true}).tree(sums);
}

}  // namespace

Held sum_by(Luck& luck, const Plan& plan, std::vector<Item> items, const std::optional<Item>& c, bool alpha_behind,
            std::optional<FormatId> out) {
  const contract::Contract& contract = luck.contract();
  const Starts starts = starts_of(contract);
  const bool is_one = out && items.size() == 1 && !c && !items.front().is_product();
  if (is_one && starts.first_term && luck.one_in(2)) {
    Held alone = luck.alone(items.front().a, plan.widths.front(), *out);
    if (plan.outer)
      alone = {plan.outer->id, Rounder{plan.outer->rounder.format}.round(small_format(alone.id).decode(alone.code))};
    return alone;
  }
  if (plan.outer) return sum_of_blocks(luck, plan, std::move(items), c);
  Summation sums(luck, plan.widths, starts);
  if (contract.order == Order::Any) {
    if (contract.slice_format && !items.empty() && luck.one_in(2)) {
      return sum_of_slices(luck, {{plan.widths.front()}, std::nullopt, 0, false, plan.declared}, std::move(items), c);
    }
    if (c) items.push_back(*c);
    if (!contract.compensated || luck.one_in(3)) return sums.tree(std::move(items));
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[luck.below(i)]);
    return sums.compensated(items);
  }
  const bool may_start = contract.start == Start::C || contract.start == Start::Any;
  const bool at_start = c && may_start && (contract.start == Start::C || luck.one_in(2));
  if (contract.compensated && !c && luck.one_in(2)) return sums.compensated(items);
  if (!c || at_start) return sums.chain(items, c);
  luck.note(Trait::CEnd);
  const Held sum = sums.chain(items, std::nullopt);
  // fma(alpha, sum, fl(beta c)), alpha being one.
  if (alpha_behind && c->is_product() && luck.one_in(2)) {
    Arithmetic last = plan.widths.front();
    last = luck.arithmetic(sum.id, last.rounder.mode);
    const Held leaf = luck.round(last, multiply(luck.take(c->a, last), luck.take(*c->b, last)));
    return luck.add(last, sum, leaf);
  }
  return sums.join(sum, *c);
}

Arithmetic behind(Luck& luck, FormatId id) {
  const Mode declared = mode_of_additions(luck.contract().accumulate_rounding);
  if (luck.contract().promote || declared == Mode::NearestEven) return luck.arithmetic(id, Mode::NearestEven);
  if (luck.one_in(2)) return luck.arithmetic(id, declared);
  luck.note(Trait::NearestBehind);
  return luck.arithmetic(id, Mode::NearestEven);
}

Held stored(Luck& luck, const Plan& plan, const Held& sum) {
  const contract::Contract& contract = luck.contract();
  const Held held = luck.convert(sum, plan.declared, Mode::NearestEven, OnOverflow::Ieee, Converted::Sum);
  const bool may_overflow = contract.promote || contract.accumulate_rounding == AccumulateRounding::Nearest;
  if (!may_overflow && sum.is_finite() && !held.is_finite()) luck.spoil();
  luck.note(Trait::Stored);
  return held;
}

std::uint64_t to_memory(Luck& luck, Held value, FormatId out, bool takes_intermediate) {
  const contract::Contract& contract = luck.contract();
  Converted what = Converted::Sum;
  if (takes_intermediate) {
    for (const contract::RoundingStep& step : contract.intermediate) {
      value = luck.convert(value, step.format, mode_of(step.rounding), OnOverflow::Ieee, what);
      what = Converted::Value;
    }
  }
  value = luck.convert(value, out, mode_of(contract.output_rounding), on_overflow(contract), what);
  return to_word(out, value.code);
}
}  // namespace negzero::oracle_legal
