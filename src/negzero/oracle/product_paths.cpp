// The paths of a GEMM: along every route, each place where alpha and C may act.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <negzero/contract/words.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/paths.hpp>
#include <negzero/oracle/route.hpp>
#include <negzero/oracle/scalars.hpp>

namespace negzero::oracle {

using contract::AlphaPlace;
using contract::BetaPlace;

using contract::Multiplicand;
using contract::Start;
using contract::Subnormals;
using contract::TensorCore;
using number::FormatId;

namespace {

FormatId wider_of(FormatId a, FormatId b) {
  return number::format(a).precision() >= number::format(b).precision() ? a : b;
}

/// The format in which a tensor's elements are multiplied.
FormatId factor_of(FormatId tensor, Multiplicand multiplicand) {
  const auto rounded = multiplicand_rounding(multiplicand);
  return rounded ? rounded->format : tensor;
}

/// Whether scalar arithmetic runs in that format.
bool is_computed_in(FormatId format) { return format != FormatId::TF32 && number::format(format).bits > 8; }

/// Where the contract lets C enter.
struct Places {
  bool chain;
  bool leaf;       ///< anywhere in the sum, or where the chain starts
  bool chain_end;  ///< as the last term of a chain, before what follows the sum
  bool epilogue;   ///< after the sum
};

Places places_of(const Declared& contract, bool reads_c) {
  const bool chain = contract.sums.ascending;
  const bool starts = contract.sums.start == Start::C || contract.sums.start == Start::Any;
  const bool inside = reads_c && contract.products.beta != BetaPlace::Epilogue;
  const bool only_inside = inside && (contract.sums.start == Start::C || contract.products.beta == BetaPlace::Leaf);
  return {chain, inside && (!chain || starts), inside && chain && contract.sums.start != Start::C, !only_inside};
}

/// The routes of a GEMM. Where tensor cores take no factors as they are (F32), and their conversion is left open, those
/// are multiplied in the ordinary way, as `may` allows.
std::vector<Route> routes_of_products(const Declared& contract, const ProductShape& shape) {
  std::vector<Route> routes;
  for (const FormatId format : {FormatId::F16, FormatId::F32}) {
    const bool is_wider = contract.sums.wider && contract.sums.accumulate == FormatId::F16;
    if (contract.units.use == TensorCore::No || (format != contract.sums.accumulate && !is_wider)) continue;
    if (const auto stepping =
            stepping_of(shape.a, shape.b, contract.products.conversions.front(), contract.units, format)) {
      routes.push_back({.format = format, .stepping = stepping});
    }
  }
  if (contract.units.use == TensorCore::Only) return routes;
  for (Route& route : routes_of(contract, contract.sums.accumulate)) routes.push_back(std::move(route));
  return routes;
}

/// The paths of one member.
class MemberPaths {
 public:
  MemberPaths(const Declared& contract, const ProductShape& shape, int index, Member& member, Paths& paths)
      : contract_(contract),
        shape_(shape),
        index_(index),
        member_(member),
        paths_(paths),
        routes_(routes_of_products(contract, shape)),
        places_(places_of(contract, member.reads_c)),
        scales_(!(member.alpha.is_finite() && member.alpha.value.abs() == exact::Dyadic(1))),
        intermediate_(intermediate_steps(contract)),
        rounds_sum_(contract.roundings.of_sum && !contract.roundings.before.empty()) {}

  void add() {
    member_.c_flushing = flushing_of_c();
    bool has_led = false;
    for (const Route& route : routes_) {
      route_ = &route;
      held_ = route.held(contract_);
      declared_ = routes_.front().held(contract_);
      is_wide_ = held_->format() != declared_->format();
      // The declared accumulator's additions are worth the cost of rule b.
      const int hull_terms = route.stepping || (has_led && !route.narrowest) ? 0 : shape_.hull_terms;
      has_led |= !route.stepping;
      sum_ = sum_of(contract_, route, false, hull_terms);
      if (!member_.multiplies) {
        add_c_alone();
      } else {
        scales_ ? add_scaled() : add_unscaled();
      }
    }
  }

 private:
  /// alpha and beta in the accumulator's format, or else also in the scalars' own, where wider ones are allowed; with a
  /// declared scalar format in the wider of that and the format that the sum was last rounded to. Each as behind_sum()
  /// has it.
  [[nodiscard]] std::vector<Arithmetic> lasts_behind(const Arithmetic& sum) const {
    const FormatId scalars =
        contract_.products.scalar_format.value_or(wider_of(shape_.alpha.format, shape_.beta.format));
    FormatId own = sum.format().id;
    if (rounds_sum_ && contract_.products.scalar_format) {
      const FormatId rounded = contract_.roundings.before.back().format;
      if (is_computed_in(wider_of(rounded, scalars))) own = rounded;
    }
    const FormatId wide = wider_of(own, scalars);
    std::vector<Arithmetic> lasts;
    const auto add = [&](FormatId format) {
      for (const Arithmetic& each : behind_sum(sum.in(format))) lasts.push_back(each);
    };
    if (wide == own || !contract_.products.scalar_format) add(own);
    if (wide != own && (contract_.products.scalar_format || contract_.sums.wider)) add(wide);
    return lasts;
  }

  [[nodiscard]] Subnormals flushing_of_c() const {
    const auto in = [&](FormatId format) { return taken(shape_.c, format, contract_.subnormals.inputs); };
    Subnormals flushing = in(routes_.front().format);
    for (const Route& route : routes_) {
      const Arithmetic held = route.held(contract_);
      for (const FormatId format : route.held_formats()) {
        flushing = joined(flushing, in(format));
        for (const Arithmetic& last : lasts_behind(held.in(format))) flushing = joined(flushing, in(last.format().id));
      }
      if (route.stepping && places_.leaf) flushing = joined(flushing, Subnormals::Keep);
    }
    return flushing;
  }

  /// What becomes of subnormal factors in a tensor of that format.
  [[nodiscard]] FactorFlushing flushing_of(FormatId tensor, Multiplicand multiplicand) const {
    const FormatId factor = factor_of(tensor, multiplicand);
    FactorFlushing flushing;
    if (factor != tensor && has_exponents_of_f32(number::format(tensor))) flushing.before = contract_.subnormals.inputs;
    // Matrix units flush nothing.
    if (route_->stepping) return flushing;
    flushing.taken = taken(factor, route_->format, contract_.subnormals.inputs);
    for (const FormatId format : route_->formats()) {
      flushing.taken = joined(flushing.taken, taken(factor, format, contract_.subnormals.inputs));
    }
    return flushing;
  }

  [[nodiscard]] TermsOf factors() const {
    const contract::Multiplicands& converted = contract_.products.conversions.front();
    return {converted, flushing_of(shape_.a, converted.a), flushing_of(shape_.b, converted.b), {}, {}};
  }
  /// alpha folded into an operand, in one of the formats of the additions.
  [[nodiscard]] TermsOf folded(bool into_b, FormatId in) const {
    const FormatId operand = into_b ? shape_.b : shape_.a;
    // A factor that is multiplied by 1 or -1 is rounded to nothing narrower.
    const FormatId format = scales_ ? in : wider_of(in, operand);
    const contract::Multiplicands& converted = contract_.products.conversions.front();
    FoldedInto fold{into_b, sum_->arithmetic.in(format), member_.alpha,
                    taken(operand, format, contract_.subnormals.inputs), into_b ? converted.b : converted.a};
    if (route_->stepping) {
      fold.inputs = joined(fold.inputs, Subnormals::Keep);
      // A unit takes nothing but its own format: the scaling is rounded to it.
      if (fold.rounding == Multiplicand::Exact && operand == FormatId::F16) fold.rounding = Multiplicand::F16;
      if (fold.rounding == Multiplicand::Exact && operand == FormatId::BF16) fold.rounding = Multiplicand::Bf16;
    }
    TermsOf terms = factors();
    terms.scaled = fold;
    return terms;
  }
  [[nodiscard]] TermsOf turned() const {
    TermsOf terms = factors();
    if (member_.alpha.negative) terms.scaled = Turned{};
    return terms;
  }

  /// What comes between the sum and C: the declared roundings of the sum, and the way back into the accumulator; or
  /// only the former, where nothing takes part any more.
  [[nodiscard]] std::vector<Ending> rounded(const Arithmetic& held) const {
    if (!rounds_sum_) return {{}};
    std::vector<Ending> ways{intermediate_};
    ways.front().emplace_back(Load{held});
    if (member_.alpha.is_one() && !member_.reads_c) ways.push_back(intermediate_);
    return ways;
  }
  /// The accumulators that may hold a finished sum, but for the widest: the declared one first.
  [[nodiscard]] std::vector<Arithmetic> narrower() const {
    std::vector<Arithmetic> all;
    if (is_wide_) all.push_back(*declared_);
    for (const FormatId format : route_->held_formats()) {
      if (format != held_->format().id && format != declared_->format().id) all.push_back(held_->in(format));
    }
    return all;
  }
  /// The same and a store of a wider sum to that accumulator, behind those roundings or before them.
  [[nodiscard]] std::vector<Ending> narrowed(const Arithmetic& to) const {
    std::vector<Ending> ways = rounded(*held_);
    for (Ending& way : ways) way.emplace_back(Hold{to});
    if (!rounds_sum_) return ways;
    for (const Ending& rounding : rounded(to)) {
      Ending& way = ways.emplace_back(Ending{Hold{to}});
      way.insert(way.end(), rounding.begin(), rounding.end());
    }
    return ways;
  }

  /// alpha, where it acts here, and C behind `ways`.
  [[nodiscard]] std::vector<Ending> finished(const std::vector<Ending>& ways, const Arithmetic& sum,
                                             bool scales) const {
    std::vector<Ending> endings;
    for (const Arithmetic& last : lasts_behind(sum)) {
      for (Ending ending : ways) {
        if (member_.reads_c) {
          ending.emplace_back(AddC{last, contract_.sums.contraction,
                                   scales ? std::optional(member_.alpha) : std::nullopt, member_.beta});
        } else if (scales && !member_.alpha.is_one()) {
          ending.emplace_back(Scale{last, member_.alpha});
        }
        endings.push_back(std::move(ending));
      }
      // A sign is turned in the accumulator's own format.
      if (!scales_ && !member_.reads_c) break;
    }
    return endings;
  }

  /// A path with these endings, each to memory, and by a store to the declared accumulator where that may come between.
  void path(TermsOf terms, const std::vector<Ending>& endings) {
    Path made{index_, std::move(terms), sum_, {}};
    if (made.terms.c) made.sum->c = places_.chain ? CAt::Start : CAt::Leaf;
    if (!member_.multiplies) made.sum.reset();
    const bool stores =
        is_wide_ || (contract_.sums.wider && lasts_behind(*held_).back().format() != declared_->format());
    // beta * C alone is converted to memory's format: which shows where that flushes.
    const bool may_flush =
        contract_.subnormals.inputs != Subnormals::Keep || contract_.subnormals.results != Subnormals::Keep;
    for (const Ending& ending : endings) {
      for (const bool holds : {false, true}) {
        if (holds && !(stores && (member_.multiplies || may_flush))) continue;
        const Step hold = Hold{*declared_};
        Ending whole = ending;
        if (holds && (whole.empty() || whole.back() != hold)) whole.push_back(hold);
        if (!contract_.roundings.of_sum) {
          whole.insert(whole.end(), intermediate_.begin(), intermediate_.end());
        }
        whole.emplace_back(output_step(contract_, shape_.d));
        if (std::ranges::find(made.endings, whole) == made.endings.end()) made.endings.push_back(std::move(whole));
      }
    }
    const auto is_there = [&](const Path& other) {
      return other.member == index_ && other.terms == made.terms && other.sum == made.sum &&
             std::ranges::all_of(made.endings, [&](const Ending& ending) {
               return std::ranges::find(other.endings, ending) != other.endings.end();
             });
    };
    if (std::ranges::none_of(paths_.list, is_there)) paths_.list.push_back(std::move(made));
  }

  /// alpha and C behind the sum of these terms. `scales`: alpha acts there. Kernels that sum in a wider accumulator may
  /// finish in the declared one: (float)sum, then alpha and beta * c in F32, which need not lie between what either
  /// accumulator gives alone.
  void add_epilogue(const TermsOf& terms, bool scales) {
    path(terms, finished(rounded(*held_), *held_, scales));
    // Where nothing acts on a sum, the format that holds it is that of its last addition.
    const bool acts = rounds_sum_ || member_.reads_c || (scales && !member_.alpha.is_one());
    for (const Arithmetic& to : narrower()) {
      if (acts || to == *declared_) path(terms, finished(narrowed(to), to, scales));
    }
  }
  /// What a sum that C is part of, or that nothing is added to, meets.
  [[nodiscard]] std::vector<Ending> plain_endings() const {
    std::vector<Ending> endings = rounded(*held_);
    if (!rounds_sum_) return endings;
    for (const Arithmetic& to : narrower()) {
      for (Ending& way : narrowed(to)) endings.push_back(std::move(way));
    }
    return endings;
  }
  /// C as the last term of a chain over these terms.
  void add_chain_end(const TermsOf& terms, bool scales) {
    const AddC last{*held_, contract_.sums.contraction, scales ? std::optional(member_.alpha) : std::nullopt,
                    member_.beta, true};
    std::vector<Ending> endings = plain_endings();
    for (Ending& ending : endings) ending.insert(ending.begin(), last);
    path(terms, endings);
  }
  /// C among these terms: as memory has it, or as it is loaded, where beta multiplies that.
  void add_leaf(TermsOf terms, bool is_loaded) {
    if (!places_.leaf || (is_loaded && member_.beta.is_one())) return;
    terms.c = LeafC{member_.beta, is_loaded};
    path(terms, plain_endings());
  }
  void add_behind(const TermsOf& terms, bool scales) {
    if (places_.epilogue) add_epilogue(terms, scales);
    if (places_.chain_end) add_chain_end(terms, scales);
  }

  /// alpha is 1 or -1.
  void add_unscaled() {
    const bool is_folded = contract_.products.alpha == AlphaPlace::Operand;
    // A path that covers the ones behind the sum comes first, so that the facts are its own.
    const std::vector<Arithmetic> lasts = lasts_behind(*held_);
    const bool leads = std::holds_alternative<AnyOrder>(sum_->order) && !places_.chain && !rounds_sum_ &&
                       lasts.size() == 1 && lasts.front() == sum_->arithmetic;
    if (leads) add_leaf(turned(), false);
    if (!is_folded) add_behind(factors(), true);
    if (is_folded || (member_.alpha.negative && contract_.products.alpha != AlphaPlace::Epilogue))
      add_behind(turned(), false);
    if (!leads) add_leaf(turned(), false);
    add_leaf(turned(), true);
    // What multiplies a subnormal factor by -1 may flush it; by 1, what is declared to multiply.
    const bool may_multiply = is_folded || (member_.alpha.negative && contract_.products.alpha != AlphaPlace::Epilogue);
    if (may_multiply && shape_.has_subnormal_factors && sum_->arithmetic.may_flush()) add_folded();
  }
  void add_folded() {
    for (const FormatId format : route_->formats()) {
      for (const bool into_b : {false, true}) {
        for (const bool is_loaded : {false, true}) add_leaf(folded(into_b, format), is_loaded);
        add_behind(folded(into_b, format), false);
      }
    }
  }
  void add_scaled() {
    if (contract_.products.alpha != AlphaPlace::Operand) add_epilogue(factors(), true);
    if (contract_.products.alpha == AlphaPlace::Epilogue) return;
    TermsOf anywhere = factors();
    anywhere.scaled = Anywhere{member_.alpha};
    add_folded();
    if (contract_.products.alpha != AlphaPlace::Partial || places_.chain) return;
    for (const bool is_loaded : {false, true}) add_leaf(anywhere, is_loaded);
    if (places_.epilogue) add_epilogue(anywhere, false);
  }

  /// beta * C where nothing is multiplied: C's own bits, whatever the accumulator, where beta is one, or in D's format
  /// what a conversion makes of them; then what arithmetic makes of them.
  void add_c_alone() {
    if (!member_.reads_c) {
      if (paths_.list.empty() || paths_.list.back().member != index_) path({}, {{}});
      return;
    }
    if (member_.beta.is_one() && route_ == &routes_.front()) {
      Round last = output_step(contract_, shape_.d);
      if (shape_.c == shape_.d) last.overflow = contract::OverflowPolicy::Ieee;
      paths_.list.push_back({index_, {}, {}, {{CopyC{}, last}}});
    }
    std::vector<Ending> endings;
    for (const FormatId format : route_->held_formats()) {
      for (const Arithmetic& last : lasts_behind(held_->in(format))) endings.push_back({TakeC{last, member_.beta}});
    }
    path({}, endings);
  }

  const Declared& contract_;
  const ProductShape& shape_;
  int index_;
  Member& member_;
  Paths& paths_;
  std::vector<Route> routes_;
  Places places_;
  bool scales_;  ///< alpha is neither 1 nor -1: its place matters for more than signs of zero
  Ending intermediate_;
  bool rounds_sum_;  ///< intermediate roundings stand between the sum and C

  const Route* route_ = nullptr;
  std::optional<Arithmetic> held_{}, declared_{};
  bool is_wide_ = false;
  std::optional<Sum> sum_{};
};

}  // namespace

Paths paths_of(const Declared& contract, const ProductShape& shape) {
  Paths paths;
  paths.tells_zeros = contract.sums.tells_zeros;
  const bool is_formula = contract.products.is_formula;
  for (const contract::Multiplicands& each : contract.products.conversions) {
    Declared own = contract;
    own.products.conversions = {each};
    for (Scalars& scalars : scalars_of(own, shape.alpha, shape.beta)) {
      Member member{.which = std::move(scalars.which),
                    .alpha = scalar_of(scalars.alpha, own),
                    .beta = scalar_of(scalars.beta, own)};
      if (member.which.empty()) {
        member.which = fmt::format("multiplicand {}", contract::word(each.a));
        if (each.b != each.a) member.which += fmt::format(", multiplicand_b {}", contract::word(each.b));
      }
      member.multiplies = shape.k > 0 ? !member.alpha.is_zero() || scalars.reads_a_b : is_formula;
      member.reads_c = !member.beta.is_zero() || scalars.reads_c;
      // alpha multiplies the sum of nothing, where it is not declared to have been folded into operands: there are
      // none.
      if (shape.k == 0 && is_formula && own.products.alpha != AlphaPlace::Operand)
        own.products.alpha = AlphaPlace::Epilogue;
      MemberPaths(own, shape, static_cast<int>(paths.members.size()), member, paths).add();
      paths.members.push_back(std::move(member));
    }
  }
  return paths;
}

std::optional<Stepping> stepping_of(FormatId a, FormatId b, const contract::Multiplicands& converted,
                                    const Declared::Units& units, FormatId accumulate) {
  const FormatId of_a = factor_of(a, converted.a), of_b = factor_of(b, converted.b);
  std::vector<Unit> known = units_of(units.unit, of_a, of_b, accumulate);
  if (known.empty()) return std::nullopt;
  const Unit worst = worst_of(known);
  return Stepping{worst, std::move(known), number::format(of_a).min_normal_exponent(),
                  number::format(of_b).min_normal_exponent(), units.slices};
}

}  // namespace negzero::oracle
