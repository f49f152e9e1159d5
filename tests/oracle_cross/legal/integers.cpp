// Sums of integers that wrap or saturate.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "legal.hpp"

namespace negzero::oracle_legal {

using contract::BetaPlace;
using contract::Order;
using contract::Start;
using number::FormatId;

namespace {

__extension__ using Big = __int128;
constexpr Big kLeast = std::numeric_limits<std::int32_t>::min(), kGreatest = std::numeric_limits<std::int32_t>::max();

std::uint64_t to_int_word(Big value) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)); }

/// Arithmetic of I32. Values that are not clamped are modulo 2^32, kept exact where `is_wide`.
class Integers {
 public:
  explicit Integers(Luck& luck)
      : luck_(luck),
        saturates_(luck.contract().integer_overflow == contract::IntegerOverflow::Saturate),
        is_wide_(saturates_ && luck.contract().wider && luck.one_in(3)) {
    if (is_wide_) luck.note(Trait::Wider);
  }

  [[nodiscard]] Big held(Big value) const { return is_wide_ ? value : narrow(value); }
  [[nodiscard]] Big narrow(Big value) const {
    return saturates_ ? std::clamp(value, kLeast, kGreatest) : Big{integer_of_word(static_cast<std::uint64_t>(value))};
  }
  [[nodiscard]] Big add(Big a, Big b) const { return held(a + b); }
  /// sum + a * b: the product by itself, or not.
  [[nodiscard]] Big add_product(Big sum, Big a, Big b) {
    const Big product = a * b;
    if (held(product) == product) return add(sum, product);
    const contract::Contraction contraction = luck_.contract().contraction;
    const bool fuses = contraction == contract::Contraction::Fused ||
                       (contraction == contract::Contraction::Either && luck_.one_in(2));
    if (!fuses) return add(sum, held(product));
    if (saturates_) luck_.note(Trait::UnclampedProduct);
    return add(sum, product);
  }
  [[nodiscard]] bool saturates() const { return saturates_; }

 private:
  Luck& luck_;
  bool saturates_, is_wide_;
};

struct Pair {
  Big a, b = 1;
};

Big subtree(Luck& luck, Integers& integers, std::span<const Pair> terms) {
  if (terms.size() == 1) return integers.add_product(0, terms.front().a, terms.front().b);
  const std::size_t left = luck.one_in(2) ? terms.size() - 1 : 1 + luck.below(terms.size() - 1);
  const Big sum = subtree(luck, integers, terms.first(left));
  if (left + 1 == terms.size()) return integers.add_product(sum, terms.back().a, terms.back().b);
  return integers.add(sum, subtree(luck, integers, terms.subspan(left)));
}

Big sum_of(Luck& luck, Integers& integers, std::vector<Pair> terms, const std::optional<Pair>& c) {
  const contract::Contract& contract = luck.contract();
  if (contract.order == Order::Any) {
    if (c) terms.push_back(*c);
    if (terms.empty()) return 0;
    for (std::size_t i = terms.size(); i > 1; --i) std::swap(terms[i - 1], terms[luck.below(i)]);
    return subtree(luck, integers, terms);
  }
  const bool at_start = c && contract.start != Start::PlusZero && contract.start != Start::FirstTerm &&
                        (contract.start == Start::C || luck.one_in(2));
  Big sum = at_start ? integers.add_product(0, c->a, c->b) : 0;
  for (const Pair& term : terms) sum = integers.add_product(sum, term.a, term.b);
  return c && !at_start ? integers.add_product(sum, c->a, c->b) : sum;
}

}  // namespace

std::uint64_t integer_of(Luck& luck, const Question& question) {
  const contract::Contract& contract = luck.contract();
  Integers integers(luck);
  std::vector<Pair> terms;
  if (question.kind != Question::Kind::Product) {
    if (question.kind == Question::Kind::Location && question.x.empty()) return question.addend;
    for (const std::uint64_t word : question.x) terms.push_back({integer_of_word(word)});
    if (question.kind == Question::Kind::Location && contract.order == Order::Any) {
      terms.push_back({integer_of_word(question.addend)});
    } else if (question.kind == Question::Kind::Location) {
      terms.insert(terms.begin(), {integer_of_word(question.addend)});
    }
    return to_int_word(integers.narrow(sum_of(luck, integers, terms, std::nullopt)));
  }
  const Big alpha = integer_of_word(question.alpha.bits), beta = integer_of_word(question.beta.bits);
  const bool has_c = question.has_c && beta != 0;
  const bool is_operand = contract.alpha == contract::AlphaPlace::Operand;
  const bool folds = alpha != 1 && contract.alpha != contract::AlphaPlace::Epilogue && (is_operand || luck.one_in(3));
  if (folds && alpha != 1) luck.note(Trait::Folded);
  const int side = folds ? 1 + static_cast<int>(luck.below(2)) : 0;
  if (alpha != 0) {
    for (std::size_t i = 0; i < question.x.size(); ++i) {
      const Big a = integer_of_word(question.x[i]), b = integer_of_word(question.y[i]);
      terms.push_back({side == 1 ? integers.narrow(alpha * a) : a, side == 2 ? integers.narrow(alpha * b) : b});
    }
  }
  const bool may_lead = contract.beta != BetaPlace::Epilogue && (folds || alpha == 1);
  const bool must_lead = contract.beta == BetaPlace::Leaf || contract.start == Start::C;
  const bool leads = has_c && may_lead && (must_lead || luck.one_in(2));
  if (has_c && must_lead && !may_lead) luck.spoil();
  const Pair c{beta, integer_of_word(question.addend)};
  if (leads) luck.note(Trait::CLeaf);
  Big sum = sum_of(luck, integers, terms, leads ? std::optional(c) : std::nullopt);
  if (has_c && !leads) {
    // Either product may be added unclamped.
    const bool scales = !folds && alpha != 1;
    if (luck.one_in(2)) {
      const Big scaled = scales ? integers.add_product(0, alpha, integers.held(sum)) : sum;
      sum = integers.add_product(integers.saturates() ? integers.held(scaled) : scaled, c.a, c.b);
    } else {
      const Big addend = integers.held(c.a * c.b);
      sum = scales ? integers.add_product(addend, alpha, sum) : integers.add(sum, addend);
    }
  } else if (!folds && alpha != 1) {
    sum = integers.held(alpha * sum);
  }
  return to_int_word(integers.narrow(sum));
}

}  // namespace negzero::oracle_legal
