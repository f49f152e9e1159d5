// GEMMs in floating point: the factors, and the places of alpha and C.

#include <algorithm>

#include "../scenario.hpp"
#include "legal.hpp"
#include "stepping.hpp"

namespace negzero::oracle_legal {

using contract::AlphaPlace;
using contract::BetaPlace;
using contract::Contraction;
using contract::Multiplicand;
using contract::Order;
using contract::Start;
using contract::Subnormals;
using contract::TensorCore;
using number::FormatId;

namespace {

struct Conversion {
  FormatId to;
  Mode mode;
};

/// The conversion of all factors of this element, or of all of A or of B.
std::optional<Conversion> drawn_conversion(Luck& luck, Multiplicand multiplicand) {
  constexpr FormatId kTf32 = FormatId::TF32;
  switch (multiplicand) {
    case Multiplicand::Exact:
      break;
    case Multiplicand::Tf32Truncate:
      return Conversion{kTf32, Mode::TowardZero};
    case Multiplicand::Tf32NearestAway:
      return Conversion{kTf32, Mode::NearestAway};
    case Multiplicand::Tf32NearestEven:
      return Conversion{kTf32, Mode::NearestEven};
    case Multiplicand::Bf16:
      return Conversion{FormatId::BF16, Mode::NearestEven};
    case Multiplicand::F16:
      return Conversion{FormatId::F16, Mode::NearestEven};
    case Multiplicand::Tf32OrExact:
      if (luck.one_in(3)) break;
      [[fallthrough]];
    case Multiplicand::Tf32Any:
      return Conversion{kTf32, luck.one_of({Mode::TowardZero, Mode::NearestAway, Mode::NearestEven})};
  }
  return std::nullopt;
}

bool is_zero(const Held& scalar) { return (scalar.code & ~kSignBit) == 0; }
Code one_in_format(FormatId id) { return Rounder{small_format(id)}.round(make_number(1)); }
bool is_one(const Held& scalar) { return scalar.code == one_in_format(scalar.id); }
bool is_minus_one(const Held& scalar) { return scalar.code == (one_in_format(scalar.id) | kSignBit); }

/// alpha or beta as this evaluation has it: `is_seen_zero` where a test finds a zero.
struct DrawnScalar {
  Held value;
  bool is_seen_zero = false;
};

class Product {
 public:
  Product(Luck& luck, const Question& question)
      : luck_(luck),
        question_(question),
        of_a_(drawn_conversion(luck, luck.contract().multiplicand)),
        of_b_(luck.contract().multiplicand_b ? drawn_conversion(luck, *luck.contract().multiplicand_b) : of_a_) {}

  std::uint64_t result() {
    const contract::Contract& contract = luck_.contract();
    alpha_ = drawn_scalar(question_.alpha);
    beta_ = drawn_scalar(question_.beta);
    const bool is_formula = question_.has_c && contract.scalars == contract::Scalars::Formula;
    const bool is_empty = question_.x.empty();
    const bool reads_c = question_.has_c && (!beta_.is_seen_zero || contract.reads_c_at_beta_zero || is_formula);
    const bool reads_sum =
        is_empty ? is_formula : !alpha_.is_seen_zero || contract.reads_a_b_at_alpha_zero || is_formula;
    if (reads_sum) draw_unit();
    if (luck_.is_spoiled()) return 0;
    if (!unit_) plan_ = drawn_plan(luck_, contract.accumulate);
    if (contract.tensor_core == TensorCore::Only && !unit_) {
      plan_ = {{luck_.arithmetic(contract.accumulate, Mode::NearestEven)}, std::nullopt, 0, false, contract.accumulate};
    }
    if (!reads_sum) return c_alone(reads_c);
    return drawn_places(reads_c);
  }

 private:
  DrawnScalar drawn_scalar(const operation::Scalar& scalar) {
    const contract::Contract& contract = luck_.contract();
    Held value{scalar.format, to_code(scalar.format, scalar.bits)};
    if (contract.scalar_format && *contract.scalar_format != value.id) {
      value = luck_.convert(value, *contract.scalar_format, Mode::NearestEven, OnOverflow::Ieee, Converted::Value);
      if (is_zero(value)) luck_.note(Trait::SubnormalScalar);
    }
    bool is_seen_zero = is_zero(value);
    const bool is_small = small_format(value.id).is_subnormal(value.code);
    if (small_format(scalar.format).is_subnormal(to_code(scalar.format, scalar.bits)))
      luck_.note(Trait::SubnormalScalar);
    if (is_small && contract.subnormal_inputs != Subnormals::Keep) {
      luck_.note(Trait::SubnormalScalar);
      is_seen_zero = contract.scalars != contract::Scalars::Formula && luck_.one_in(3);
      if (is_seen_zero) value.code &= kSignBit;
    }
    return {value, is_seen_zero};
  }

  void draw_unit() {
    const contract::Contract& contract = luck_.contract();
    if (contract.tensor_core == TensorCore::No || question_.x.empty()) return;
    if (contract.tensor_core == TensorCore::May && luck_.one_in(3)) return;
    const bool widens = contract.wider && contract.accumulate == FormatId::F16 && luck_.one_in(2);
    unit_format_ = widens ? FormatId::F32 : contract.accumulate;
    unit_ = drawn_unit(luck_, of_a_ ? of_a_->to : question_.a, of_b_ ? of_b_->to : question_.b, unit_format_);
    if (!unit_) {
      if (contract.tensor_core == TensorCore::Only) luck_.spoil();
      return;
    }
    luck_.note(Trait::Unit);
    if (widens) luck_.note(Trait::Wider);
    plan_ = {{luck_.arithmetic(unit_format_, Mode::NearestEven)}, std::nullopt, 0, false, contract.accumulate};
  }

  [[nodiscard]] Arithmetic folding() {
    Arithmetic arithmetic = plan_.widths.front();
    if (arithmetic.rounder.mode == Mode::TowardZero && luck_.one_in(2)) arithmetic.rounder.mode = Mode::NearestEven;
    return arithmetic;
  }

  /// A factor as products take it: multiplied by alpha where that is folded into it, then converted.
  Held factor(FormatId id, std::uint64_t word, const std::optional<Conversion>& conversion, bool folds,
              const Arithmetic& folding) {
    Held value{id, to_code(id, word)};
    FormatId to = conversion ? conversion->to : id;
    bool converts = conversion.has_value();
    if (folds && is_minus_one(alpha_.value)) {
      value = turned(value);
    } else if (folds) {
      value = luck_.round(folding, multiply(luck_.take_scalar(alpha_.value, folding), luck_.take(value, folding)));
      // A unit takes nothing but its own format.
      if (unit_ && !converts && (id == FormatId::F16 || id == FormatId::BF16)) converts = true;
      if (unit_ && !conversion && !converts) luck_.spoil();
    }
    if (!converts || value.id == to) return value;
    const SmallFormat own = small_format(value.id);
    const bool may_vanish = luck_.contract().subnormal_inputs != Subnormals::Keep && own.is_subnormal(value.code) &&
                            has_exponents_of_f32(own);
    if (may_vanish && luck_.one_in(2)) value.code &= kSignBit;
    const Mode mode = conversion ? conversion->mode : Mode::NearestEven;
    return {to, Rounder{small_format(to), mode}.round(own.decode(value.code))};
  }

  std::vector<Item> factors(int fold) {
    std::vector<Item> items;
    const Arithmetic folding_in = folding();
    for (std::size_t i = 0; i < question_.x.size(); ++i) {
      items.push_back({factor(question_.a, question_.x[i], of_a_, fold == 1, folding_in),
                       factor(question_.b, question_.y[i], of_b_, fold == 2, folding_in)});
    }
    return items;
  }

  /// Where alpha and C act.
  std::uint64_t drawn_places(bool reads_c) {
    const contract::Contract& contract = luck_.contract();
    enum class Alpha : std::uint8_t { None, Behind, Folded, Partial };
    enum class C : std::uint8_t { None, Behind, Term };
    const bool is_plain = is_one(alpha_.value);
    const bool is_literal = question_.x.empty();
    std::vector<Alpha> alphas;
    const AlphaPlace place = contract.alpha;
    if (is_plain || (is_literal && place == AlphaPlace::Operand)) {
      alphas = {Alpha::None};
    } else {
      if (place != AlphaPlace::Operand || is_literal) alphas.push_back(Alpha::Behind);
      if (place != AlphaPlace::Epilogue && !is_literal) alphas.push_back(Alpha::Folded);
      const bool is_tree = contract.order == Order::Any && !plan_.outer && !unit_ && !contract.slice_format;
      if (place == AlphaPlace::Partial && is_tree && !is_literal) alphas.push_back(Alpha::Partial);
    }
    struct Way {
      Alpha alpha;
      C c;
    };
    std::vector<Way> ways;
    for (const Alpha alpha : alphas) {
      if (!reads_c) {
        ways.push_back({alpha, C::None});
        continue;
      }
      const bool is_only_inside =
          contract.beta == BetaPlace::Leaf || (contract.start == Start::C && contract.beta != BetaPlace::Epilogue);
      if (!is_only_inside) ways.push_back({alpha, C::Behind});
      if (contract.beta != BetaPlace::Epilogue && alpha != Alpha::Behind) ways.push_back({alpha, C::Term});
    }
    if (ways.empty()) {
      luck_.spoil();
      return 0;
    }
    const Way way = ways[luck_.below(ways.size())];
    std::optional<Item> c;
    if (way.c == C::Term) c = leaf_c();
    // A kernel that folds alpha has none behind the sum, even where alpha is one.
    const bool alpha_behind = way.alpha == Alpha::Behind || (way.alpha == Alpha::None && place != AlphaPlace::Operand);
    int fold = 0;
    if (way.alpha == Alpha::Folded) {
      fold = 1 + static_cast<int>(luck_.below(2));
      luck_.note(is_minus_one(alpha_.value) ? Trait::FoldedSign : Trait::Folded);
    }
    const std::vector<Item> items = factors(fold);
    Held sum;
    if (unit_) {
      sum = by_unit(items, c);
    } else if (way.alpha == Alpha::Partial) {
      luck_.note(Trait::PartialAlpha);
      sum = Summation(luck_, plan_.widths, starts_of(contract)).scaled(items, alpha_.value, c);
    } else {
      sum = sum_by(luck_, plan_, items, c, alpha_behind, question_.d);
    }
    return finished(sum, way.alpha == Alpha::Behind, alpha_behind, way.c == C::Behind);
  }

  /// beta * C as a term: of C as memory has it, or as the accumulator does; or rounded to nearest before the sum.
  Item leaf_c() {
    luck_.note(Trait::CLeaf);
    const bool is_block = plan_.outer && !plan_.starts_at_c;
    const Arithmetic& inner = is_block ? *plan_.outer : plan_.widths.front();
    const Held c{question_.c, to_code(question_.c, question_.addend)};
    Arithmetic nearest = inner;
    nearest.rounder.mode = Mode::NearestEven;
    const bool rounds_itself = inner.rounder.mode != Mode::NearestEven && luck_.one_in(2);
    if (is_one(beta_.value)) {
      if (!rounds_itself) return {c, std::nullopt};
      luck_.note(Trait::NearestBehind);
      return {luck_.load(c, nearest), std::nullopt};
    }
    const bool loads = luck_.one_in(2);
    const Held taken = loads ? luck_.load(c, nearest) : c;
    if (loads && inner.rounder.mode != Mode::NearestEven) luck_.note(Trait::NearestBehind);
    if (!rounds_itself) return {beta_.value, taken};
    luck_.note(Trait::NearestBehind);
    return {luck_.round(nearest, multiply(luck_.take_scalar(beta_.value, nearest), luck_.take(taken, nearest))),
            std::nullopt};
  }

  /// Slices of k in steps of the unit, their sums added in its accumulator.
  Held by_unit(std::vector<Item> items, const std::optional<Item>& c) {
    const contract::Contract& contract = luck_.contract();
    const Arithmetic& arithmetic = plan_.widths.front();
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[luck_.below(i)]);
    const std::size_t most = contract.slices > 0 ? static_cast<std::size_t>(contract.slices) : items.size();
    const std::size_t slices = luck_.one_in(2) ? 1 : 1 + luck_.below(std::min(most, items.size()));
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i < slices; ++i) ends.push_back(luck_.below(items.size() + 1));
    std::ranges::sort(ends);
    ends.push_back(items.size());
    const bool starts_at_c = c && luck_.one_in(2);
    std::optional<Held> start;
    if (starts_at_c) {
      start = c->is_product()
                  ? luck_.round(arithmetic, multiply(luck_.take(c->a, arithmetic), luck_.take(*c->b, arithmetic)))
                  : luck_.convert(c->a, arithmetic.id, Mode::NearestEven, OnOverflow::Ieee, Converted::Value);
    }
    std::vector<Item> sums;
    std::size_t begin = 0;
    const std::size_t length = unit_->shortest << luck_.below(2);
    for (const std::size_t end : ends) {
      const std::span<const Item> slice = std::span(items).subspan(begin, end - begin);
      Held sum = steps_of(luck_, *unit_, slice, length, arithmetic.id, sums.empty() ? start : std::nullopt);
      begin = end;
      if (contract.slice_format && luck_.one_in(2)) {
        luck_.note(Trait::StoredSlice);
        sum = luck_.convert(sum, *contract.slice_format, Mode::NearestEven, OnOverflow::Ieee, Converted::Sum);
      }
      sums.push_back({sum, std::nullopt});
    }
    if (c && !starts_at_c) sums.push_back(*c);
    if (sums.size() == 1 && sums.front().a.id == arithmetic.id) return sums.front().a;
    return Summation(luck_, plan_.widths, {false, true}).tree(sums);
  }

  /// The sum in the format of what follows it.
  Held rounded(Held sum) {
    const contract::Contract& contract = luck_.contract();
    if (contract.intermediate_at != contract::IntermediateAt::Sum || contract.intermediate.empty()) return sum;
    const FormatId held = sum.id;
    Converted what = Converted::Sum;
    for (const contract::RoundingStep& step : contract.intermediate) {
      sum = luck_.convert(sum, step.format, mode_of(step.rounding), OnOverflow::Ieee, what);
      what = Converted::Value;
    }
    return luck_.convert(sum, held, Mode::NearestEven, OnOverflow::Ieee, what);
  }

  std::uint64_t finished(Held sum, bool scales, bool alpha_behind, bool adds_c) {
    const contract::Contract& contract = luck_.contract();
    const bool is_wide = sum.id != plan_.declared;
    const bool has_epilogue = scales || adds_c;
    bool is_stored = false;
    const auto store = [&] {
      sum = stored(luck_, plan_, sum);
      is_stored = true;
    };
    // Before the roundings of the sum, or behind them.
    if (is_wide && luck_.one_in(4)) store();
    sum = rounded(sum);
    if (is_wide && !is_stored && luck_.one_in(3)) store();
    if (has_epilogue) {
      const FormatId scalars = contract.scalar_format.value_or(small_format(question_.alpha.format).precision >=
                                                                       small_format(question_.beta.format).precision
                                                                   ? question_.alpha.format
                                                                   : question_.beta.format);
      FormatId last = met(sum.id, scalars);
      const bool is_wider = scalars != last && holds(scalars, last);
      if (!has_wider(scalars, last)) luck_.spoil();
      if (is_wider && (contract.scalar_format || (contract.wider && luck_.one_in(2)))) last = scalars;
      if (last != sum.id) luck_.note(Trait::LastWide);
      sum = epilogue(sum, behind(luck_, last), scales, alpha_behind, adds_c);
      if (contract.wider && sum.id != plan_.declared && luck_.one_in(3)) sum = stored(luck_, plan_, sum);
    }
    return to_memory(luck_, sum, question_.d, rounds_result());
  }

  Held epilogue(const Held& sum, const Arithmetic& last, bool scales, bool alpha_behind, bool adds_c) {
    const contract::Contract& contract = luck_.contract();
    const Number value = luck_.take(sum, last);
    const Number product = scales ? multiply(luck_.take_scalar(alpha_.value, last), value) : value;
    const auto scaled = [&] {
      if (!scales) return sum;
      if (is_minus_one(alpha_.value)) return luck_.round(last, product);
      return luck_.round(last, product);
    };
    if (!adds_c) return scaled();
    const Held c = luck_.load({question_.c, to_code(question_.c, question_.addend)}, last);
    const bool is_plain = is_one(beta_.value);
    const auto addend = [&] { return multiply(luck_.take_scalar(beta_.value, last), luck_.take(c, last)); };
    const bool fuses =
        contract.contraction == Contraction::Fused || (contract.contraction == Contraction::Either && luck_.one_in(2));
    if (fuses && alpha_behind && luck_.one_in(2)) {
      return luck_.fma(last, product, is_plain ? c : luck_.round(last, addend()));
    }
    const Held first = scaled();
    if (is_plain) return luck_.add(last, first, c);
    if (fuses) return luck_.fma(last, addend(), first);
    return luck_.add(last, first, luck_.round(last, addend()));
  }

  /// Whether a declared format of scalars and that of the sum say what the epilogue runs in: one holds the other's
  /// numbers, and arithmetic runs in it.
  [[nodiscard]] bool has_wider(FormatId scalars, FormatId sum) const {
    if (!luck_.contract().scalar_format || holds(sum, scalars)) return true;
    return holds(scalars, sum) && scalars != FormatId::TF32;
  }
  /// The format in which declared scalars meet a sum of that format: that of the last rounding between, where
  /// arithmetic runs in one of the two.
  [[nodiscard]] FormatId met(FormatId sum, FormatId scalars) const {
    const contract::Contract& contract = luck_.contract();
    if (!contract.scalar_format || rounds_result() || contract.intermediate.empty()) return sum;
    const FormatId rounded = contract.intermediate.back().format;
    const FormatId wide = small_format(scalars).precision > small_format(rounded).precision ? scalars : rounded;
    return wide == FormatId::TF32 || number::format(wide).bits == 8 ? sum : rounded;
  }
  [[nodiscard]] bool rounds_result() const {
    return luck_.contract().intermediate_at == contract::IntermediateAt::Result;
  }

  /// beta * C where no sum is read.
  std::uint64_t c_alone(bool reads_c) {
    const contract::Contract& contract = luck_.contract();
    const FormatId accumulator = plan_.outer ? plan_.outer->id : plan_.widths.front().id;
    if (!reads_c) return to_memory(luck_, {accumulator, 0}, question_.d, rounds_result());
    const FormatId scalars = contract.scalar_format.value_or(question_.beta.format);
    const FormatId sum = met(accumulator, scalars);
    const bool is_wider = scalars != sum && holds(scalars, sum);
    if (!has_wider(scalars, sum)) luck_.spoil();
    const FormatId last_id =
        is_wider && (contract.scalar_format || (contract.wider && luck_.one_in(2))) ? scalars : sum;
    luck_.note(Trait::CAlone);
    const Held c{question_.c, to_code(question_.c, question_.addend)};
    if (is_one(beta_.value)) {
      // Its own bits, rounded once.
      const Codes codes =
          kept_or_zero(contract, small_format(c.id), c.code, small_format(last_id), small_format(question_.d));
      return to_memory(luck_, {c.id, luck_.one_of(codes)}, question_.d, false);
    }
    const Arithmetic last = behind(luck_, last_id);
    const Number taken = luck_.take(luck_.load(c, last), last);
    const Held product = luck_.round(last, multiply(luck_.take_scalar(beta_.value, last), taken));
    return to_memory(luck_, product, question_.d, rounds_result());
  }

  Luck& luck_;
  const Question& question_;
  std::optional<Conversion> of_a_, of_b_;
  Plan plan_{};
  DrawnScalar alpha_{}, beta_{};
  std::optional<UnitRow> unit_{};
  FormatId unit_format_ = FormatId::F32;
};

}  // namespace

std::uint64_t product_of(Luck& luck, const Question& question) { return Product(luck, question).result(); }

}  // namespace negzero::oracle_legal
