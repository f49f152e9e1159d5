// Elements as terms of a sum.

#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/line_sum.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {

using contract::Contract;

LineSums::LineSums(const tensor::Tensor& x, const Contract& contract, const Options& options, std::int64_t outputs,
                   const number::Format& output)
    : tensor_(x),
      contract_(contract),
      exact_method_(options.exact),
      hull_terms_(oracle::hull_terms(outputs)),
      output_(output) {}

Answer LineSums::of_nothing() const {
  Answer answer;
  if (contract_.empty) {
    answer.permitted = exactly(output_, *contract_.empty, "sum.empty");
  } else {
    answer.permitted = to_permitted(Range::value(exact::Dyadic()), output_, contract_, false, "sum.empty");
  }
  return answer;
}

Answer LineSums::sum(const operation::Line& line) const {
  if (!output_.is_integer()) {
    if (line.count == 0) return of_nothing();
    return answer_sum(contract_, contract_.accumulate, terms(line), query(), output_);
  }
  if (line.count == 0 && contract_.empty) return of_nothing();
  std::vector<std::int64_t> integers(static_cast<std::size_t>(line.count));
  for (std::int64_t i = 0; i < line.count; ++i) {
    integers[static_cast<std::size_t>(i)] = number::ordinal(tensor_.format(), tensor_.get(line.at(i)));
  }
  const bool wraps = contract_.integer_overflow == contract::IntegerOverflow::Wrap;
  return integer_sum(integers, contract_, wraps ? verdict::Rule("integer.wrap") : verdict::Rule("integer.saturate"));
}

Terms LineSums::terms(const operation::Line& line) const {
  std::call_once(taken_apart_,
                 [this] { x_ = take_apart(tensor_, contract::Multiplicand::Exact, contract_.subnormal_inputs); });
  Terms terms;
  terms.reserve(static_cast<std::size_t>(line.count));
  for (std::int64_t i = 0; i < line.count; ++i) terms.push_value(x_, static_cast<std::size_t>(line.at(i)));
  return terms;
}

SumQuery LineSums::query() const {
  SumQuery query;
  query.contract = &contract_;
  query.exact_method = exact_method_;
  query.hull_terms = hull_terms_;
  query.fusable = false;
  return query;
}

base::Status check_sums(const tensor::Tensor& x, number::FormatId output, const Contract& contract,
                        std::string_view what) {
  const auto described = [&] {
    return std::string(what) + " of " + std::string(x.format().name) + " to " +
           std::string(number::format(output).name);
  };
  const bool integer = number::format(contract.accumulate).is_integer();
  if (x.format().is_integer() != integer || number::format(output).is_integer() != integer) {
    return base::usage_error("contract: accumulate \"" + std::string(number::format(contract.accumulate).name) +
                             "\" does not fit " + described() + " (mixtures of integers and floats have no rule)");
  }
  if (contract.start == contract::Start::C) {
    return base::usage_error("contract: start \"c\" does not fit " + described() + ": there is no C");
  }
  return base::Ok{};
}

}  // namespace negzero::oracle
