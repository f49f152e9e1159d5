// Reductions over the rows of a matrix.

#include <mutex>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/between.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {
namespace {

using base::usage_error;
using contract::Contract;
using contract::MeanForm;
using contract::Multiplicand;
using exact::Dyadic;
using number::FormatId;
using operation::ReduceKind;

class FloatSum final : public Problem {
 public:
  FloatSum(const operation::Reduce& reduce, const tensor::Tensor& x, const Contract& contract, const Options& options)
      : Problem(reduce.rows, reduce.y),
        reduce_(reduce),
        contract_(contract),
        exact_method_(options.exact),
        tensor_(x) {}

  [[nodiscard]] Answer answer(std::int64_t row) const override {
    if (reduce_.columns == 0) return of_nothing();
    std::call_once(taken_apart_, [this] { x_ = take_apart(tensor_, Multiplicand::Exact, contract_.subnormal_inputs); });
    Terms terms;
    const auto columns = static_cast<std::size_t>(reduce_.columns);
    terms.reserve(columns);
    for (std::size_t i = 0; i < columns; ++i) terms.push_value(x_, static_cast<std::size_t>(row) * columns + i);
    SumQuery query;
    query.contract = &contract_;
    query.exact_method = exact_method_;
    query.hull_terms = hull_terms(outputs());
    query.fusable = false;
    if (reduce_.kind == ReduceKind::Sum) {
      return answer_sum(contract_, contract_.accumulate, terms, query, output_format());
    }
    return mean(terms, query);
  }

 private:
  [[nodiscard]] Answer of_nothing() const {
    Answer answer;
    if (contract_.empty) {
      answer.permitted = exactly(output_format(), *contract_.empty, "sum.empty");
      return answer;
    }
    answer.permitted = to_permitted(Range::value(Dyadic()), output_format(), contract_, false, "sum.empty");
    // A mean of nothing is 0/0 to who divides, and 0 to who does not get that far.
    answer.permitted.nan = reduce_.kind == ReduceKind::Mean;
    return answer;
  }

  [[nodiscard]] Answer mean(const Terms& terms, SumQuery query) const {
    const std::int64_t n = reduce_.columns;
    Answer answer;
    if (contract_.mean == MeanForm::Terms && !terms.nan()) {
      answer = mean_of_terms(terms, query);
      if (!terms.infinity(false) && !terms.infinity(true)) {
        answer.exact = sticky_quotient(facts_of(terms, exact_method_).sum_low, n);
      }
      return answer;
    }
    query.unbounded = !contract_.mean_may_overflow;
    const auto finish = [&](const Arithmetic& arithmetic, const Range& sum) {
      Range result;
      for (const std::int64_t count : counts(arithmetic.format())) {
        if (contract_.mean != MeanForm::Reciprocal) result.join(divide(arithmetic, sum, count));
        if (contract_.mean != MeanForm::Divide) {
          result.join(multiply(arithmetic, sum, reciprocal(arithmetic.format(), count)));
        }
      }
      return result;
    };
    answer = answer_sum(contract_, contract_.accumulate, terms, query, output_format(), finish);
    if (answer.exact) answer.exact = sticky_quotient(*answer.exact, n);
    return answer;
  }

  /// Each element scaled on its own, by the reciprocal or by division, and then summed.
  [[nodiscard]] Answer mean_of_terms(const Terms& terms, const SumQuery& query) const {
    Answer answer;
    bool first = true;
    const std::vector<Route> routes = routes_of(contract_, contract_.accumulate);
    const Arithmetic declared = routes.front().held_in(Arithmetic(contract_.accumulate, contract_));
    const auto permit = [&](const Range& range, std::string_view rule) {
      const Permitted permitted =
          to_permitted(through_intermediate(range, contract_), output_format(), contract_, false, rule);
      if (first) {
        answer.permitted = permitted;
      } else {
        join(answer.permitted, permitted);
        answer.permitted.rule = weaker(answer.permitted.rule, rule);
      }
      first = false;
    };
    for (const Route& route : routes) {
      const Arithmetic arithmetic(route.format, contract_);
      SumQuery routed = query;
      routed.real_ends = route.real_ends;
      routed.promote = route.promote;
      if (route.format != contract_.accumulate) routed.hull_terms = 0;
      for (const std::int64_t count : counts(arithmetic.format())) {
        for (const bool divides : {false, true}) {
          routed.fusable = !divides;
          const SumResult sum = evaluate_between(
              arithmetic, divides ? quotients(arithmetic, terms, count) : products(arithmetic, terms, count), routed);
          const bool noted = !first;
          permit(sum.range, sum.rule);
          if (route.held_in(arithmetic).format() != declared.format()) permit(stored(sum.range, declared), sum.rule);
          if (noted) continue;
          answer.facts = sum.facts;
          answer.bound = sum.bound;
          answer.permitted.vacuous =
              is_vacuous(sum.range, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
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
      const Dyadic exact = sticky_quotient(x.value, count);
      const auto held = [&](const Rounded& quotient) -> Real {
        if (x.is_infinite()) return x;
        if (quotient.overflow) return {beyond, x.negative, {}};
        return {quotient.value.is_zero() ? number::Class::Zero : number::Class::Normal, x.negative, quotient.value};
      };
      const Real low = held(arithmetic.least(exact)), high = held(arithmetic.greatest(exact));
      const bool optional = (terms.flags(i) & kOptional) != 0;
      quotients.low.push_product(one, low, optional);
      quotients.high.push_product(one, high, optional);
      quotients.same &= low.kind == high.kind && low.value == high.value;
    }
    return quotients;
  }

  /// What kernels divide by: the count, and the count rounded to the format, where that does not hold it.
  [[nodiscard]] std::vector<std::int64_t> counts(const number::Format& format) const {
    const std::int64_t count = reduce_.columns;
    const std::uint64_t word = Dyadic(count).round_to(format);
    if (number::is_infinity(format, word) || number::is_nan(format, word)) return {count};
    // A count below 2^31 rounded to a float is an integer below 2^32.
    const auto held = static_cast<std::int64_t>(Dyadic::from_encoding(format, word).approximate());
    if (held == count) return {count};
    return {count, held};
  }

  [[nodiscard]] static Real reciprocal(const number::Format& format, std::int64_t count) {
    return Real::from_encoding(format, round_quotient(Dyadic(1), count, format, {}));
  }

  operation::Reduce reduce_;
  const Contract& contract_;
  std::string exact_method_;
  const tensor::Tensor& tensor_;
  mutable std::once_flag taken_apart_;  ///< the screen settles most rows without a question
  mutable Operand x_;
};

/// Sums of I32.
class IntegerSum final : public Problem {
 public:
  IntegerSum(const operation::Reduce& reduce, const tensor::Tensor& x, const Contract& contract)
      : Problem(reduce.rows, FormatId::I32), columns_(reduce.columns), x_(x), contract_(contract) {}

  [[nodiscard]] Answer answer(std::int64_t row) const override {
    if (columns_ == 0 && contract_.empty) {
      Answer answer;
      answer.permitted = exactly(output_format(), *contract_.empty, "sum.empty");
      return answer;
    }
    std::vector<std::int64_t> terms(static_cast<std::size_t>(columns_));
    for (std::int64_t i = 0; i < columns_; ++i) {
      terms[static_cast<std::size_t>(i)] = number::ordinal(x_.format(), x_.get(row * columns_ + i));
    }
    const bool wraps = contract_.integer_overflow == contract::IntegerOverflow::Wrap;
    return integer_sum(terms, contract_, wraps ? "integer.wrap" : "integer.saturate");
  }

 private:
  std::int64_t columns_;
  const tensor::Tensor& x_;
  const Contract& contract_;
};

class RowSelection final : public Problem {
 public:
  RowSelection(const operation::Reduce& reduce, const tensor::Tensor& x, const Contract& contract)
      : Problem(reduce.rows, reduce.y),
        columns_(reduce.columns),
        index_(reduce.kind == ReduceKind::Argmax || reduce.kind == ReduceKind::Argmin),
        words_(x.words()),
        selection_{reduce.kind == ReduceKind::Max || reduce.kind == ReduceKind::Argmax ? Side::Max : Side::Min,
                   &x.format(), &output_format(), &contract, true} {}

  [[nodiscard]] Answer answer(std::int64_t row) const override {
    Answer answer;
    const std::span<const std::uint64_t> words =
        std::span(words_).subspan(static_cast<std::size_t>(row * columns_), static_cast<std::size_t>(columns_));
    if (words.empty()) {
      answer.permitted = select_nothing(selection_, index_);
    } else {
      answer.permitted = index_ ? select_index(selection_, words) : select_value(selection_, words);
    }
    return answer;
  }

 private:
  std::int64_t columns_;
  bool index_;
  std::vector<std::uint64_t> words_;
  Selection selection_;
};

std::string described(const operation::Reduce& reduce) {
  return "a reduction of " + std::string(number::format(reduce.x).name) + " to " +
         std::string(number::format(reduce.y).name);
}

}  // namespace

base::Result<std::unique_ptr<Problem>> make_reduce(const operation::Case& value, const Contract& contract,
                                                   const Options& options) {
  const auto& reduce = operation::view<operation::Reduce>(value.operation);
  const tensor::Tensor& x = value.tensors.at("x");
  const bool x_integer = number::format(reduce.x).is_integer(), y_integer = number::format(reduce.y).is_integer();
  switch (reduce.kind) {
    case ReduceKind::Argmax:
    case ReduceKind::Argmin:
      if (!y_integer) return usage_error("operation: " + described(reduce) + " must give indices as I32");
      return std::unique_ptr<Problem>(std::make_unique<RowSelection>(reduce, x, contract));
    case ReduceKind::Max:
    case ReduceKind::Min:
      if (x_integer != y_integer) return usage_error("operation: " + described(reduce) + " mixes integers and floats");
      return std::unique_ptr<Problem>(std::make_unique<RowSelection>(reduce, x, contract));
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      break;
  }
  const bool integer = number::format(contract.accumulate).is_integer();
  if (x_integer != integer || y_integer != integer || (integer && reduce.kind == ReduceKind::Mean)) {
    return usage_error("contract: accumulate \"" + std::string(number::format(contract.accumulate).name) +
                       "\" does not fit " + described(reduce) +
                       " (means and mixtures of integers and floats have no rule)");
  }
  if (contract.start == contract::Start::C) {
    return usage_error("contract: start \"c\" does not fit " + described(reduce) + ": there is no C");
  }
  if (integer) return std::unique_ptr<Problem>(std::make_unique<IntegerSum>(reduce, x, contract));
  return std::unique_ptr<Problem>(std::make_unique<FloatSum>(reduce, x, contract, options));
}

}  // namespace negzero::oracle
