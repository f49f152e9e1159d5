// Reductions along one dimension of a tensor.

#include <mutex>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/operation/lines.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/between.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/line_sum.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {
namespace {

using base::usage_error;
using contract::Contract;
using contract::MeanForm;
using exact::Dyadic;
using number::FormatId;
using operation::Line;
using operation::Lines;

/// Sums of floats or of integers.
class SumOfLine final : public Problem {
 public:
  SumOfLine(const Lines& lines, const tensor::Tensor& x, FormatId output, const Contract& contract,
            const Options& options)
      : Problem(lines.outputs(), output), lines_(lines), sums_(x, contract, options, outputs(), output_format()) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override { return sums_.sum(lines_.of(element)); }

 private:
  Lines lines_;
  LineSums sums_;
};

class MeanOfLine final : public Problem {
 public:
  MeanOfLine(const Lines& lines, const tensor::Tensor& x, FormatId output, const Contract& contract,
             const Options& options)
      : Problem(lines.outputs(), output),
        lines_(lines),
        contract_(contract),
        exact_method_(options.exact),
        sums_(x, contract, options, outputs(), output_format()) {}

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    if (lines_.longest() > 0) return mean(sums_.terms(lines_.of(element)), sums_.shape());
    Answer answer = sums_.of_nothing();
    // A mean of nothing is 0/0 to who divides, and 0 to who does not get that far.
    if (!contract_.empty) answer.permitted.nan = true;
    return answer;
  }

 private:
  [[nodiscard]] Answer mean(const Terms& terms, const SumShape& shape) const {
    const std::int64_t n = lines_.longest();
    Answer answer;
    if (contract_.mean == MeanForm::Terms && !terms.nan()) {
      answer = mean_of_terms(terms, shape);
      if (!terms.infinity(false) && !terms.infinity(true)) {
        answer.exact = sticky_quotient(facts_of(terms, exact_method_).sum_low, n);
      }
      return answer;
    }
    std::call_once(made_ways_, [&] {
      SumShape own = shape;
      if (!contract_.mean_may_overflow) own.lift = Lift::Unbounded;
      ways_ = ways_of(contract_, contract_.accumulate, own, Mean{contract_.mean, n});
    });
    Prefix all(terms);
    answer = answer_sum(ways_, contract_, {all, exact_method_}, output_format());
    if (answer.exact) answer.exact = sticky_quotient(*answer.exact, n);
    return answer;
  }

  /// Each element scaled on its own, by the reciprocal or by division, and then summed.
  [[nodiscard]] Answer mean_of_terms(const Terms& terms, const SumShape& shape) const {
    Answer answer;
    bool first = true;
    const std::vector<Route> routes = routes_of(contract_, contract_.accumulate);
    const Arithmetic declared = routes.front().held_in(Arithmetic(contract_.accumulate, contract_));
    for (const Route& route : routes) {
      SumShape routed = shape;
      if (route.format != contract_.accumulate) routed.hull_terms = 0;
      const Arithmetic arithmetic(route.format, contract_), held = route.held_in(arithmetic);
      const bool is_wide = held.format() != declared.format();
      const auto endings = endings_of(contract_, held, is_wide ? &declared : nullptr, std::nullopt, shape.lift);
      for (const std::int64_t count : divisors(arithmetic.format(), lines_.longest())) {
        for (const bool divides : {false, true}) {
          routed.are_values = divides;
          const TermIntervals scaled =
              divides ? quotients(arithmetic, terms, count) : products(arithmetic, terms, count);
          const SumResult sum = evaluate_between(sum_of(contract_, route, routed), scaled, exact_method_);
          const bool noted = !first;
          for (const auto& ending : endings) {
            const Permitted permitted =
                to_permitted(finish(ending, sum.set), output_format(), contract_, false, sum.rule);
            if (first) answer.permitted = permitted;
            if (!first) join(answer.permitted, permitted);
            if (!first) answer.permitted.rule = weaker(answer.permitted.rule, sum.rule);
            first = false;
          }
          if (noted) continue;
          answer.facts = sum.facts;
          answer.bound = sum.bound;
          answer.permitted.vacuous = is_vacuous(sum.set, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
        }
      }
    }
    return answer;
  }

  /// Each element times fl(1 / count), unrounded.
  [[nodiscard]] static TermIntervals products(const Arithmetic& arithmetic, const Terms& terms, std::int64_t count) {
    const Real factor = reciprocal(arithmetic.format(), count);
    TermIntervals products;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      products.low.push_product(factor, terms.real(i), (terms.flags(i) & kOptional) != 0, true);
    }
    return products;
  }

  /// fl(x / count) for each element x: one value, or what faithful rounding and flushing leave to choose from.
  [[nodiscard]] static TermIntervals quotients(const Arithmetic& arithmetic, const Terms& terms, std::int64_t count) {
    const Real one{number::Class::Normal, false, Dyadic(1)};
    const number::Class beyond = arithmetic.format().has_infinity ? number::Class::Infinity : number::Class::Nan;
    TermIntervals quotients;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Real x = terms.real(i);
      const auto held = [&](const Rounded& quotient) -> Real {
        if (x.is_infinite()) return x;
        if (quotient.overflow) return {beyond, x.negative, {}};
        return {quotient.value.is_zero() ? number::Class::Zero : number::Class::Normal, x.negative, quotient.value};
      };
      // The division takes the element.
      const Set taken = arithmetic.operand(Set::value(x.value));
      const Real low = held(arithmetic.least(sticky_quotient(taken.low, count))),
                 high = held(arithmetic.greatest(sticky_quotient(taken.high, count)));
      const bool optional = (terms.flags(i) & kOptional) != 0;
      quotients.low.push_product(one, low, optional);
      quotients.high.push_product(one, high, optional);
      quotients.same &= low.kind == high.kind && low.value == high.value;
    }
    return quotients;
  }

  Lines lines_;
  const Contract& contract_;
  std::string exact_method_;
  LineSums sums_;
  mutable std::once_flag made_ways_;  ///< the screen settles most elements without a question
  mutable std::vector<Way> ways_{};
};

/// One output of a selection: the value or its index.
class LineSelection final : public Problem {
 public:
  LineSelection(const operation::Case& value, const Lines& lines, const Contract& contract, std::size_t output)
      : Problem(lines.outputs(), operation::output_specs(value.operation)[output].format),
        lines_(lines),
        words_(operation::factor(value).words()),
        contract_(contract) {
    const operation::Combine combine = *value.operation.signature().outputs[output].combine;
    index_ = operation::gives_index(combine);
    // What a sum of nothing gives is declared for the first output.
    if (output > 0) contract_.empty.reset();
    selection_ = {operation::takes_greatest(combine) ? Side::Max : Side::Min, &operation::factor(value).format(),
                  &output_format(), &contract_, true};
  }

  [[nodiscard]] Answer answer(std::int64_t element) const override {
    const Gathered words(words_, lines_.of(element));
    Answer answer;
    answer.permitted = words.of().empty() ? select_nothing(selection_, index_)
                       : index_           ? select_index(selection_, words.of())
                                          : select_value(selection_, words.of());
    return answer;
  }
  [[nodiscard]] Answer answer_beside(std::int64_t element, std::span<const tensor::Tensor> before) const override {
    const Gathered words(words_, lines_.of(element));
    if (words.of().empty() || !index_) return answer(element);
    Answer beside;
    beside.permitted = select_index_beside(selection_, words.of(), before.front().get(element));
    return beside;
  }

 private:
  /// The words of a line, which are copied where they are no neighbours.
  class Gathered {
   public:
    Gathered(std::span<const std::uint64_t> words, const Line& line) {
      if (line.step == 1) {
        words_ = words.subspan(static_cast<std::size_t>(line.first), static_cast<std::size_t>(line.count));
        return;
      }
      copies_.reserve(static_cast<std::size_t>(line.count));
      for (std::int64_t i = 0; i < line.count; ++i) copies_.push_back(words[static_cast<std::size_t>(line.at(i))]);
      words_ = copies_;
    }
    Gathered(const Gathered&) = delete;
    Gathered& operator=(const Gathered&) = delete;
    [[nodiscard]] std::span<const std::uint64_t> of() const noexcept { return words_; }

   private:
    std::vector<std::uint64_t> copies_{};
    std::span<const std::uint64_t> words_{};
  };

  Lines lines_;
  bool index_ = false;
  std::vector<std::uint64_t> words_;
  Contract contract_;
  Selection selection_;
};

}  // namespace

base::Result<std::unique_ptr<Problem>> make_reduce(const operation::Case& value, const Contract& contract,
                                                   const Options& options, std::size_t output) {
  const Lines lines(value.operation);
  const operation::Combine combine = *value.operation.signature().outputs[output].combine;
  if (operation::selects(combine)) {
    return std::unique_ptr<Problem>(std::make_unique<LineSelection>(value, lines, contract, output));
  }
  const tensor::Tensor& x = operation::factor(value);
  const FormatId format = operation::output_specs(value.operation)[output].format;
  if (const base::Status fits = check_sums(x, format, contract, "a reduction"); !fits) return fits.error();
  if (combine == operation::Combine::Sum) {
    return std::unique_ptr<Problem>(std::make_unique<SumOfLine>(lines, x, format, contract, options));
  }
  if (x.format().is_integer()) return usage_error("operation: a mean of integers has no rule");
  return std::unique_ptr<Problem>(std::make_unique<MeanOfLine>(lines, x, format, contract, options));
}

}  // namespace negzero::oracle
