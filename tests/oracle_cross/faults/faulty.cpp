// Trees and chains, evaluated twice with the same choices.

#include "faulty.hpp"

#include <algorithm>
#include <utility>

#include "../legal/plan.hpp"
#include "trees.hpp"
#include "unit_step.hpp"

namespace negzero::oracle_faults {

using contract::Contract;
using contract::Contraction;
using contract::Order;
using number::FormatId;

namespace {

/// Where a fault is planted: an addition, a product, or a step, by its number.
struct Place {
  Fault fault;
  std::size_t index = 0, choice = 0;
};

class Evaluation {
 public:
  Evaluation(const Question& question, const Contract& contract, FormatId width, base::Random random,
             std::optional<Place> place)
      : question_(question), contract_(contract), width_(width), random_(random), place_(place) {}

  std::uint64_t result() {
    const Number end = contract_.tensor_core == contract::TensorCore::Only ? by_steps() : finished();
    const SmallFormat out = small_format(question_.d);
    return to_word(question_.d, Rounder{out}.round(end));
  }
  [[nodiscard]] std::size_t additions() const { return additions_; }

 private:
  [[nodiscard]] SmallFormat format() const { return small_format(width_); }
  [[nodiscard]] bool is(Fault fault) const { return place_ && place_->fault == fault; }
  [[nodiscard]] bool is(Fault fault, std::size_t index) const { return is(fault) && place_->index == index; }
  [[nodiscard]] bool fuses() {
    const bool one = random_.one_in(2);
    return contract_.contraction == Contraction::Fused || (contract_.contraction == Contraction::Either && one);
  }
  [[nodiscard]] Number narrow(const Number& x) const {
    const auto format = narrower(width_, x, place_->choice);
    return format ? rounded(*format, x) : x;
  }

  Number added(const Number& a, const Number& b) {
    Number sum = add(a, b);
    const std::size_t index = additions_++;
    if (is(Fault::Truncated)) return rounded(format(), sum, Mode::TowardZero);
    if (is(Fault::NarrowJoin, index)) return rounded(format(), narrow(sum));
    if (is(Fault::TwiceJoin, index)) {
      // Codes of 55 bits leave room for 256 binades.
      const SmallFormat longer = SmallFormat::ieee(format().precision + 2, std::max(format().min_exponent, -126), 127);
      sum = rounded(longer, sum);
    }
    return rounded(format(), sum);
  }

  Number joined(const Number& sum, const Term& term) {
    const bool is_fused = fuses();
    return added(sum, term.is_product && !is_fused ? rounded(format(), term.exact) : term.exact);
  }

  std::vector<Term> products() {
    std::vector<Term> terms;
    for (std::size_t i = 0; i < question_.x.size(); ++i) {
      Number product = multiply(value_of(question_.a, question_.x[i]), value_of(question_.b, question_.y[i]));
      if (is(Fault::NarrowProduct, i)) product = narrow(product);
      if (is(Fault::SplitProduct, i)) product = rounded(format(), product);
      terms.push_back({product, true});
    }
    return terms;
  }

  Number leaf(const Term& term) {
    // An fma onto zero: its addition may be the faulty one where there is no other.
    if (question_.x.size() == 1 && is(Fault::Truncated)) return rounded(format(), term.exact, Mode::TowardZero);
    return rounded(format(), term.exact);
  }

  Number tree(std::span<const Term> terms) {
    if (terms.size() == 1) return leaf(terms.front());
    const bool is_chain = contract_.order == Order::Ascending || style_ == 0;
    const std::size_t left = is_chain      ? terms.size() - 1
                             : style_ == 1 ? terms.size() / 2
                                           : 1 + static_cast<std::size_t>(random_.below(terms.size() - 1));
    const Number first = tree(terms.first(left));
    if (left + 1 == terms.size()) return joined(first, terms.back());
    return added(first, tree(terms.subspan(left)));
  }

  Number finished() {
    std::vector<Term> terms = products();
    const Number alpha = reduced(value_of(question_.alpha.format, question_.alpha.bits));
    const Number beta = reduced(value_of(question_.beta.format, question_.beta.bits));
    const Number c = reduced(value_of(question_.c, question_.addend));
    const Term addend{multiply(beta, c), !is_one(beta)};
    const bool is_leaf = contract_.beta == contract::BetaPlace::Leaf;
    if (is_leaf) terms.insert(terms.begin(), addend);
    style_ = random_.below(3);
    if (contract_.order == Order::Any) {
      for (std::size_t i = terms.size(); i > 1; --i)
        std::swap(terms[i - 1], terms[static_cast<std::size_t>(random_.below(i))]);
    }
    Number sum = tree(terms);
    if (!is_one(alpha)) sum = rounded(format(), multiply(alpha, reduced(sum)));
    return beta.is_zero() || is_leaf ? sum : joined(sum, addend);
  }

  Number by_steps() {
    const UnitRow unit = hopper_row(question_.a);
    const std::size_t length = 1 + static_cast<std::size_t>(random_.below(unit.shortest));
    Number sum;
    for (std::size_t begin = 0; begin < question_.x.size(); begin += length) {
      std::vector<UnitTerm> products;
      const std::size_t end = std::min(begin + length, question_.x.size());
      for (std::size_t i = begin; i < end; ++i)
        products.push_back(unit_term(question_.a, question_.x[i], question_.b, question_.y[i]));
      std::optional<Cut> cut;
      const bool is_here = place_ && place_->index >= begin && place_->index < end;
      if (is_here && is(Fault::CutProduct)) cut = Cut{place_->index - begin, 1};
      if (is_here && is(Fault::CutAccumulator)) cut = Cut{products.size(), 2};
      sum = stepped(unit, contract_.accumulate, products, sum, cut);
    }
    return sum;
  }

  const Question& question_;
  const Contract& contract_;
  FormatId width_;
  base::Random random_;
  std::optional<Place> place_;
  std::size_t additions_ = 0;
  std::uint64_t style_ = 0;
};

/// The declared format, or a wider one that the output shows.
FormatId drawn_width(const Question& question, const Contract& contract, base::Random& random) {
  std::vector<FormatId> widths;
  for (const FormatId id : oracle_legal::formats_from(contract.accumulate, contract.wider)) {
    const bool is_shown = small_format(id).precision <= small_format(question.d).precision;
    if (id == contract.accumulate || is_shown) widths.push_back(id);
  }
  return widths[static_cast<std::size_t>(random.below(widths.size()))];
}

}  // namespace

std::span<const Fault> all_faults() {
  static constexpr Fault kAll[] = {Fault::Truncated,    Fault::NarrowJoin, Fault::TwiceJoin,     Fault::NarrowProduct,
                                   Fault::SplitProduct, Fault::CutProduct, Fault::CutAccumulator};
  return kAll;
}

const char* name(Fault fault) {
  constexpr const char* kNames[] = {"truncated",     "narrow join", "twice join",     "narrow product",
                                    "split product", "cut product", "cut accumulator"};
  return kNames[static_cast<std::size_t>(fault)];
}

bool has_place(const Contract& contract, Fault fault) {
  const bool is_unit = contract.tensor_core == contract::TensorCore::Only;
  if (is_unit != (fault == Fault::CutProduct || fault == Fault::CutAccumulator)) return false;
  // In any order a slice of one product rounds it, fused or not.
  return fault != Fault::SplitProduct ||
         (contract.order == Order::Ascending && contract.contraction == Contraction::Fused);
}

std::optional<Planted> planted(const Question& question, const Contract& contract, Fault fault, base::Random& random) {
  const base::Random choices = random.split(random.next());
  const FormatId width = drawn_width(question, contract, random);
  Evaluation sound(question, contract, width, choices, std::nullopt);
  Planted words;
  words.sound = sound.result();
  const bool is_join = fault == Fault::NarrowJoin || fault == Fault::TwiceJoin;
  const std::size_t places = is_join ? sound.additions() : question.x.size();
  if (places == 0) return std::nullopt;
  const Place place{fault, static_cast<std::size_t>(random.below(places)), static_cast<std::size_t>(random.below(3))};
  words.faulty = Evaluation(question, contract, width, choices, place).result();
  return words;
}

}  // namespace negzero::oracle_faults
