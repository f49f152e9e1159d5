// Takes the operands of a GEMM apart as its paths want them, and sums the products of each element.

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <negzero/operation/operands.hpp>
#include <negzero/oracle/between.hpp>
#include <negzero/oracle/epilogue.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/folding.hpp>
#include <negzero/oracle/follow.hpp>
#include <negzero/oracle/gemm_shape.hpp>
#include <negzero/oracle/products.hpp>
#include <negzero/oracle/scaling.hpp>

namespace negzero::oracle {
namespace {

using contract::Subnormals;
using exact::Dyadic;

/// The shape of a GEMM's paths.
ProductShape shape_of(const operation::Case& value, const operation::Gemm& gemm, const Declared& contract,
                      int hull_terms) {
  const bool may_flush =
      contract.subnormals.inputs != Subnormals::Keep || contract.subnormals.results != Subnormals::Keep;
  const bool has_subnormals =
      may_flush && (is_subnormal_among(operation::factor(value, 0)) || is_subnormal_among(operation::factor(value, 1)));
  return {gemm.a, gemm.b, gemm.c.value_or(gemm.d), gemm.d, gemm.alpha, gemm.beta, gemm.k, hull_terms, has_subnormals};
}

/// Operands of one GEMM, each taken apart once in each way that some path asks for.
class Products final : public Problem {
 public:
  Products(const operation::Case& value, const operation::Gemm& gemm, const Declared& contract, const Options& options)
      : Problem(gemm.batch * gemm.m * gemm.n, gemm.d),
        value_(value),
        gemm_(gemm),
        exact_method_(options.exact),
        shape_{gemm.m, gemm.n, gemm.k},
        followed_(paths_of(contract, shape_of(value, gemm, contract, hull_terms(outputs()))), output_format(),
                  options.prunes) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override;
  [[nodiscard]] std::optional<Answer> hull(std::int64_t element) const override;
  [[nodiscard]] std::vector<Reached> reached(std::int64_t element) const override;
  [[nodiscard]] const Paths* paths() const override { return &followed_.paths(); }

 private:
  /// How the terms of some paths are made; C apart.
  struct Made {
    TermsOf of;
    const Operand* a = nullptr;
    const Operand* b = nullptr;
    std::optional<Folded> folded{};
  };
  struct Apart {
    bool is_b;
    contract::Multiplicand multiplicand;
    FactorFlushing flushing;
    std::unique_ptr<Operand> operand;
  };
  class OfElement;

  /// (The screen settles most cases without a single question.)
  void make_terms() const;
  [[nodiscard]] const Operand* apart(bool is_b, contract::Multiplicand multiplicand, FactorFlushing flushing) const;
  [[nodiscard]] Made made(const Path& path) const;
  [[nodiscard]] Factors factors_of(std::int64_t element) const {
    return {shape_.a_begin(element), shape_.b_begin(element), 1, static_cast<std::size_t>(shape_.n),
            static_cast<std::size_t>(shape_.k)};
  }

  const operation::Case& value_;
  operation::Gemm gemm_;
  std::string exact_method_;
  GemmShape shape_;
  Followed followed_;
  mutable std::once_flag made_terms_;
  mutable std::vector<Apart> apart_;
  mutable std::vector<Made> made_;
  mutable std::vector<std::size_t> made_for_;  ///< of each path, which
};

/// One element: its terms, made once for all paths that ask for the same.
class Products::OfElement final : public PathElement {
 public:
  OfElement(const Products& products, std::int64_t element, Detail detail = Detail::Results)
      : PathElement(detail), products_(products), element_(element), terms_(products.made_.size()) {}

  [[nodiscard]] SumResult sum(const Path& path) override;
  [[nodiscard]] verdict::Rule of_nothing() const override {
    return products_.gemm_.k == 0 ? verdict::Rule("gemm.k_zero") : verdict::Rule("gemm.alpha_zero");
  }
  [[nodiscard]] std::size_t terms() const override { return static_cast<std::size_t>(products_.gemm_.k); }
  [[nodiscard]] Addend c(const Member& member) const override {
    const tensor::Tensor& tensor = operation::addend(products_.value_);
    const std::uint64_t word = tensor.get(element_);
    return {Real::from_encoding(tensor.format(), word), read_c(tensor.format(), word, member.c_flushing)};
  }

 private:
  [[nodiscard]] const TermIntervals& terms_for(const Path& path);
  [[nodiscard]] SumResult sum_of(const Sum& sum, const TermIntervals& terms) const {
    return in_detail(sum, [&](const Sum& own) { return evaluate_between(own, terms, products_.exact_method_); });
  }
  [[nodiscard]] SumResult with_leaf(const Path& path, const TermIntervals& terms, const Real& c) const;
  [[nodiscard]] SumResult scaled_anywhere(const Path& path, const Real& alpha, const Real& c);

  const Products& products_;
  std::int64_t element_;
  std::vector<std::optional<TermIntervals>> terms_;
};

void Products::make_terms() const {
  for (const Path& path : followed_.paths().list) {
    TermsOf of = path.terms;
    of.c.reset();
    if (std::holds_alternative<Anywhere>(of.scaled)) of.scaled = {};
    const auto same = std::ranges::find(made_, of, &Made::of);
    made_for_.push_back(static_cast<std::size_t>(same - made_.begin()));
    if (same != made_.end()) continue;
    Path bare = path;
    bare.terms = of;
    made_.push_back(path.sum ? made(bare) : Made{of});
  }
}

const Operand* Products::apart(bool is_b, contract::Multiplicand multiplicand, FactorFlushing flushing) const {
  for (const Apart& each : apart_) {
    if (each.is_b == is_b && each.multiplicand == multiplicand && each.flushing == flushing) return each.operand.get();
  }
  apart_.push_back({is_b, multiplicand, flushing,
                    std::make_unique<Operand>(take_apart(operation::factor(value_, is_b), multiplicand, flushing))});
  return apart_.back().operand.get();
}

Products::Made Products::made(const Path& path) const {
  Made made{path.terms};
  const auto* const fold_into = std::get_if<FoldedInto>(&path.terms.scaled);
  if (fold_into == nullptr || fold_into->b) made.a = apart(false, path.terms.converted.a, path.terms.a);
  if (fold_into == nullptr || !fold_into->b) made.b = apart(true, path.terms.converted.b, path.terms.b);
  if (fold_into != nullptr) {
    made.folded = fold(operation::factor(value_, fold_into->b), fold_into->alpha, fold_into->arithmetic,
                       fold_into->inputs, fold_into->rounding);
  }
  return made;
}

Answer Products::answer(std::int64_t element) const {
  std::call_once(made_terms_, [this] { make_terms(); });
  OfElement of(*this, element);
  return followed_.answer(of);
}

std::optional<Answer> Products::hull(std::int64_t element) const {
  std::call_once(made_terms_, [this] { make_terms(); });
  OfElement of(*this, element, Detail::Hull);
  return followed_.answer(of);
}

std::vector<Reached> Products::reached(std::int64_t element) const {
  std::call_once(made_terms_, [this] { make_terms(); });
  OfElement of(*this, element);
  return followed_.reached(of);
}

const TermIntervals& Products::OfElement::terms_for(const Path& path) {
  const auto index = static_cast<std::size_t>(&path - products_.followed_.paths().list.data());
  const std::size_t which = products_.made_for_[index];
  std::optional<TermIntervals>& terms = terms_[which];
  if (terms) return *terms;
  const Made& made = products_.made_[which];
  const Factors at = products_.factors_of(element_);
  if (const auto* const folded = std::get_if<FoldedInto>(&made.of.scaled)) {
    return terms.emplace(folded_terms(*made.folded, folded->b ? *made.a : *made.b, at, folded->b));
  }
  terms.emplace();
  terms->low.reserve(at.count + 1);
  for (std::size_t i = 0; i < at.count; ++i) {
    terms->low.push_product(*made.a, at.a_begin + i * at.a_stride, *made.b, at.b_begin + i * at.b_stride);
  }
  if (std::holds_alternative<Turned>(made.of.scaled)) terms->low.negate();
  return *terms;
}

SumResult Products::OfElement::with_leaf(const Path& path, const TermIntervals& terms, const Real& c) const {
  TermIntervals with_c = terms;
  const Real& beta = path.terms.c->beta;
  with_c.low.push_product(beta, c, is_optional(c));
  if (!with_c.same) with_c.high.push_product(beta, c, is_optional(c));
  return sum_of(*path.sum, with_c);
}

/// What alpha on partial sums makes of infinities, in alpha or among the terms: which of them, and NaN where two signs
/// meet, or an infinity and what may be zero. Nothing where one NaN, or C's infinity, decides.
Set special_anywhere(const Arithmetic& arithmetic, const Terms& terms, const Facts& facts, const Real& alpha) {
  const bool has_infinity = terms.infinity(false) || terms.infinity(true);
  bool plus = terms.infinity(false), minus = terms.infinity(true), zero = false;
  Set set;
  if (alpha.is_infinite()) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Set leaf = leaf_set(arithmetic, terms, i);
      plus |= leaf.plus_infinity || (leaf.finite && leaf.high.sign() > 0);
      minus |= leaf.minus_infinity || (leaf.finite && leaf.low.sign() < 0);
      zero |= leaf.holds_zero();
    }
  } else {
    // Terms of the other sign may overflow once they are scaled.
    const Dyadic grown = std::max(alpha.value.abs(), Dyadic(1)).scaled(1);
    plus |= arithmetic.can_overflow(facts.positive * grown);
    minus |= arithmetic.can_overflow(facts.negative * grown);
  }
  if (alpha.negative) std::swap(plus, minus);
  set.nan = zero || (plus && minus);
  set.plus_infinity = plus && (alpha.is_infinite() || !has_infinity || terms.infinity(alpha.negative));
  set.minus_infinity = minus && (alpha.is_infinite() || !has_infinity || terms.infinity(!alpha.negative));
  return set;
}

/// alpha on partial sums. Nothing where alpha is zero or some NaN is read: then it acts once, at an end.
SumResult Products::OfElement::scaled_anywhere(const Path& path, const Real& alpha, const Real& c) {
  const TermIntervals& intervals = terms_for(path);
  const Terms& terms = intervals.low;
  const Member& member = products_.followed_.paths().members[static_cast<std::size_t>(path.member)];
  const bool has_infinity = terms.infinity(false) || terms.infinity(true);
  if (alpha.is_nan() || alpha.is_zero() || terms.nan() || !c.is_finite() || !member.beta.is_finite()) return {};
  Sum plain = *path.sum;
  plain.c = CAt::None;
  SumResult sum = sum_of(plain, intervals);
  if (has_infinity || alpha.is_infinite()) {
    sum.set = special_anywhere(plain.arithmetic, terms, sum.facts, alpha);
    sum.rule = "sum.special";
    return sum;
  }
  const Facts& facts = sum.facts;
  const Arithmetic &arithmetic = plain.arithmetic, held = plain.held();
  const bool is_exact = facts.nonzero == 0 || scales_exactly(arithmetic, facts, alpha.value);
  // One product is one slice. (Where something is flushed, a zero may be another.)
  const bool is_uncut = terms.size() == 1 && !arithmetic.may_flush() && plain.blocks() == nullptr;
  const Dyadic addend = c.value * member.beta.value;
  const std::vector<Arithmetic> widths = plain.widths();
  ScaledSum scaled{arithmetic, held, widths, facts};
  scaled.inexact = inspect(arithmetic, terms).all().inexact != 0;
  scaled.terms = terms.size();
  scaled.additions = plain.additions(facts.nonzero, false);
  scaled.compensated = plain.is_compensated();
  scaled.real_ends = plain.ends == Ends::Real;
  scaled.alpha = alpha.value;
  if (!path.terms.c) {
    if (is_exact || is_uncut) {
      sum.set = multiply(held, sum.set, alpha);
    } else {
      sum.set = oracle::scaled_anywhere(scaled);
      sum.rule = "sum.any_order";
    }
    return sum;
  }
  if (facts.nonzero == 0) return {};
  if (is_exact && facts.lowest_bit >= arithmetic.floor_exponent()) {
    // Trees over the scaled terms are the trees over the terms, scaled anywhere.
    TermIntervals shifted{terms.scaled(alpha.value.floor_log2()), {}};
    if (alpha.negative) shifted.low.negate();
    return with_leaf(path, shifted, c);
  }
  if (is_uncut) {
    const Set product = multiply(held, sum.set, alpha);
    sum.set = add_c({held, plain.contraction, std::nullopt, member.beta}, product, c);
    // A chain that starts from C rounds beta * C.
    sum.set.join(add(held, product, oracle::addend(held, member.beta, c)));
    return sum;
  }
  scaled.c = &addend;
  sum.set = oracle::scaled_anywhere(scaled);
  sum.rule = "sum.any_order";
  return sum;
}

SumResult Products::OfElement::sum(const Path& path) {
  const Member& member = products_.followed_.paths().members[static_cast<std::size_t>(path.member)];
  const Real read = member.reads_c ? c(member).read : Real{};
  const auto of = [&](const Real& leaf) {
    if (const auto* const anywhere = std::get_if<Anywhere>(&path.terms.scaled)) {
      return scaled_anywhere(path, anywhere->alpha, leaf);
    }
    const TermIntervals& terms = terms_for(path);
    return path.terms.c ? with_leaf(path, terms, leaf) : sum_of(*path.sum, terms);
  };
  if (!path.terms.c || !path.terms.c->is_loaded) return of(read);
  SumResult result;
  bool is_first = true;
  std::vector<Real> leaves = loaded_leaves(path.sum->held(), read);
  for (const Arithmetic& in : path.sum->widths()) {
    if (in == path.sum->held()) continue;
    for (const Real& inside : loaded_leaves(in, read)) leaves.push_back(inside);
  }
  for (const Real& loaded : leaves) {
    SumResult next = of(loaded);
    if (std::exchange(is_first, false)) {
      result = std::move(next);
    } else {
      result.set.join(next.set);
      result.rule = weaker(result.rule, next.rule);
    }
  }
  return result;
}

}  // namespace

std::unique_ptr<Problem> make_products(const operation::Case& value, const Declared& contract, const Options& options) {
  return std::make_unique<Products>(value, operation::view<operation::Gemm>(value.operation), contract, options);
}

}  // namespace negzero::oracle
