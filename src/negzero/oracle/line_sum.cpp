// Elements as terms of a sum.

#include <algorithm>
#include <vector>

#include <negzero/number/encoding.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/line_sum.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/route.hpp>
#include <negzero/oracle/select.hpp>

namespace negzero::oracle {

using contract::Subnormals;

LineSums::LineSums(const tensor::Tensor& x, const Declared& contract, const Options& options, std::int64_t outputs,
                   const number::Format& output, const std::optional<Mean>& mean)
    : tensor_(x),
      contract_(contract),
      exact_method_(options.exact),
      shape_{.input = x.format_id(),
             .output = output.id,
             .accumulate = contract.sums.accumulate,
             .mean = mean,
             .hull_terms = hull_terms(outputs)},
      output_(output) {
  if (!of_integers()) followed_.emplace(paths_of(contract_, shape_), output_, options.prunes);
}

Answer LineSums::of_nothing() const {
  Answer answer;
  if (contract_.empty) {
    answer.permitted = exactly(output_, *contract_.empty, "sum.empty");
  } else {
    const Set zero = Set::value({});
    const Step last = output_step(contract_, output_.id);
    answer.permitted = to_permitted(zero, finish({&last, 1}, zero), output_, contract_.sums.tells_zeros, "sum.empty");
  }
  return answer;
}

Answer LineSums::sum(const operation::Line& line, Detail detail) const {
  return RunningSum(*this, line, detail).sum(line.count);
}

Answer LineSums::mean(const operation::Line& line, Detail detail) const {
  const Terms all = terms(line);
  Prefix prefix(all);
  ValueElement values(prefix, exact_method_, detail);
  Answer answer = followed_->answer(values);
  if (answer.exact) answer.exact = sticky_quotient(prefix.facts(exact_method_).sum_low, shape_.mean->count);
  return answer;
}

const Paths* LineSums::paths() const { return followed_ ? &followed_->paths() : nullptr; }

std::vector<Reached> LineSums::reached(const operation::Line& line) const {
  if (of_integers() || line.count == 0) return {};
  const Terms all = terms(line);
  Prefix prefix(all);
  ValueElement values(prefix, exact_method_);
  return followed_->reached(values);
}

std::int64_t LineSums::integer(std::int64_t place) const {
  return number::ordinal(tensor_.format(), tensor_.get(place));
}

Terms LineSums::terms(const operation::Line& line) const {
  std::call_once(taken_apart_, [this] {
    x_ = take_apart(tensor_, contract::Multiplicand::Exact, followed_->paths().list.front().terms.a);
  });
  Terms terms;
  terms.reserve(static_cast<std::size_t>(line.count));
  for (std::int64_t i = 0; i < line.count; ++i) terms.push_value(x_, static_cast<std::size_t>(line.at(i)));
  return terms;
}

Terms LineSums::term_alone(std::int64_t place) const {
  const Operand x =
      take_apart(tensor_.format(), {tensor_.get(place)}, contract::Multiplicand::Exact, {.taken = Subnormals::Either});
  Terms terms;
  terms.push_value(x, 0);
  return terms;
}

RunningSum::RunningSum(const LineSums& sums, const operation::Line& line, Detail detail)
    : sums_(sums),
      line_(line),
      detail_(detail),
      terms_(sums.of_integers() ? Terms() : sums.terms(line)),
      state_{.floats = Prefix(terms_, 0)} {}

void RunningSum::extend(std::int64_t count) {
  if (sums_.of_integers()) {
    for (std::int64_t i = state_.count; i < count; ++i) state_.integers.add(sums_.integer(line_.at(i)));
  } else {
    state_.floats.extend(static_cast<std::size_t>(count));
  }
  state_.count = count;
}

Answer RunningSum::answer() {
  const Declared& contract = sums_.contract_;
  if (sums_.of_integers()) {
    if (state_.count == 0 && contract.empty) return sums_.of_nothing();
    const bool wraps = contract.integers_wrap;
    return state_.integers.answer(contract, wraps ? verdict::Rule("integer.wrap") : verdict::Rule("integer.saturate"));
  }
  if (state_.count == 0) return sums_.of_nothing();
  const auto sum = [&](Prefix& terms) {
    ValueElement values(terms, sums_.exact_method_, detail_);
    return sums_.followed_->answer(values);
  };
  if (state_.count > 1 || contract.sums.start == contract::Start::PlusZero || !sums_.followed_->paths().touches_terms) {
    return sum(state_.floats);
  }
  const Terms alone = sums_.term_alone(line_.at(0));
  Prefix all(alone);
  return sum(all);
}

Answer RunningSum::sum(std::int64_t count) {
  if (count < state_.count) {
    keeps_ = true;
    const auto usable = std::min(kept_.size(), static_cast<std::size_t>(count / kApart));
    state_ = usable == 0 ? State{.floats = Prefix(terms_, 0)} : kept_[usable - 1];
  }
  while (keeps_ && static_cast<std::int64_t>(kept_.size() + 1) * kApart <= count) {
    extend(static_cast<std::int64_t>(kept_.size() + 1) * kApart);
    // What is kept has found all that an answer asks for.
    (void)answer();
    kept_.push_back(state_);
  }
  extend(count);
  return answer();
}

base::Status check_sums(const tensor::Tensor& x, number::FormatId output, const Declared& contract,
                        std::string_view what) {
  const auto described = [&] {
    return std::string(what) + " of " + std::string(x.format().name) + " to " +
           std::string(number::format(output).name);
  };
  const bool integer = number::format(contract.sums.accumulate).is_integer();
  if (x.format().is_integer() != integer || number::format(output).is_integer() != integer) {
    return base::usage_error("contract: accumulate \"" + std::string(number::format(contract.sums.accumulate).name) +
                             "\" does not fit " + described() + " (mixtures of integers and floats have no rule)");
  }
  if (contract.sums.start == contract::Start::C) {
    return base::usage_error("contract: start \"c\" does not fit " + described() + ": there is no C");
  }
  return base::Ok{};
}

}  // namespace negzero::oracle
