// Reductions over the rows of a matrix.

#include <mutex>
#include <string>
#include <utility>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/answer.hpp>
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
    const bool special = terms.nan() || terms.infinity(false) || terms.infinity(true);
    Answer answer;
    if (contract_.mean == MeanForm::Terms && !special) {
      answer = mean_of_terms(terms, query);
      answer.exact = sticky_quotient(facts_of(terms, exact_method_).sum_low, n);
      return answer;
    }
    query.unbounded = !contract_.mean_may_overflow;
    const auto finish = [&](const Arithmetic& arithmetic, const Range& sum) {
      Range result;
      if (contract_.mean != MeanForm::Reciprocal) {
        result.join(divide(arithmetic, sum, n));
        // A count that the format does not hold is rounded before it divides.
        const Rounded count = arithmetic.greatest(Dyadic(n));
        if (!count.overflow && count.value != Dyadic(n)) {
          // A count below 2^31 rounded to a float is an integer below 2^32.
          result.join(divide(arithmetic, sum, static_cast<std::int64_t>(count.value.approximate())));
        }
      }
      if (contract_.mean != MeanForm::Divide) result.join(multiply(arithmetic, sum, reciprocal(arithmetic)));
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
    for (const Route& route : routes_of(contract_, contract_.accumulate)) {
      const Arithmetic arithmetic(route.format, contract_);
      const Real factor = reciprocal(arithmetic), one{number::Class::Normal, false, Dyadic(1)};
      Terms products, quotients;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const Real x = terms.real(i);
        const bool optional = (terms.flags(i) & kOptional) != 0;
        products.push_product(factor, x, optional);
        Real quotient = x;
        if (!x.is_zero()) {
          quotient.value = arithmetic.greatest(sticky_quotient(x.value, reduce_.columns)).value;
          if (quotient.value.is_zero()) quotient.kind = number::Class::Zero;
        }
        quotients.push_product(one, quotient, optional);
      }
      for (const bool by_product : {true, false}) {
        SumQuery one_form = query;
        one_form.fusable = by_product;
        one_form.real_ends = route.real_ends;
        one_form.promote = route.promote;
        if (route.format != contract_.accumulate) one_form.hull_terms = 0;
        const SumResult sum = evaluate_sum(arithmetic, by_product ? products : quotients, one_form);
        const Permitted permitted =
            to_permitted(through_intermediate(sum.range, contract_), output_format(), contract_, false, sum.rule);
        if (first) {
          answer.permitted = permitted;
          answer.facts = sum.facts;
          answer.bound = sum.bound;
          answer.permitted.vacuous =
              is_vacuous(sum.range, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
        } else {
          join(answer.permitted, permitted);
        }
        first = false;
      }
    }
    return answer;
  }

  [[nodiscard]] Real reciprocal(const Arithmetic& arithmetic) const {
    const number::Format& format = arithmetic.format();
    return Real::from_encoding(format, round_quotient(Dyadic(1), reduce_.columns, format, {}));
  }

  const operation::Reduce& reduce_;
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
  const auto& reduce = std::get<operation::Reduce>(value.operation);
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
