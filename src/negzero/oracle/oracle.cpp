// The oracle's front: checks that case and contract fit, and judges whole outputs.
//
// Where each rule of numerics.md is. An operation's file says what its elements are made of (families.hpp): products,
// reduce, scan, scatter, convert; grouped rewrites groups as a GEMM; integers are integer.cpp and integer_gemm.cpp. A
// contract becomes a list of paths (paths.hpp): paths.cpp for sums and means, product_paths.cpp for alpha and C, with
// scalars.cpp for subnormal ones, and the accumulators and `wider` in route.cpp. A path is a Sum (sum.hpp) and the
// Steps behind it to memory (steps.hpp). follow.cpp joins and unites what they give, and finds what is vacuous;
// covers.cpp leaves out what adds nothing. sum.cpp chooses the rule of a sum: a and c are in sum_bound.cpp, b in
// hull.cpp, chains in chain.cpp, blocks of `promote` and Intervals in between.cpp, d's grid in sum.cpp, e in
// stepped.cpp and unit.cpp, f in sliced.cpp; section 3 is in overflow.cpp, special_sum.cpp and, for a conversion,
// output.cpp; section 4 in zero_sign.cpp, section 5 in select.cpp. Scalars act in epilogue.cpp, folding.cpp and
// scaling.cpp, and as infinities in operations.cpp. Flushing is in flushing.cpp and contract/flushing.cpp. judge.cpp
// has margins; screen.cpp proves most elements without all that.

#include <algorithm>
#include <string>
#include <utility>

#include <negzero/contract/words.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/counted.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/depth.hpp>
#include <negzero/oracle/explain.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/judge.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/oracle/paths.hpp>
#include <negzero/oracle/screen.hpp>
#include <negzero/tensor/layout.hpp>

namespace negzero::oracle {

using base::usage_error;
using verdict::Verdict;
using verdict::VerdictKind;

int hull_terms(std::int64_t outputs) noexcept { return outputs < kManyOutputs ? 8 : 4; }

namespace {

const Family* family_of(const notation::Signature& signature) {
  const auto kind = operation::kind_of(signature);
  for (const Family& family : kFamilies) {
    if (family.kind == kind) return &family;
  }
  return nullptr;
}

/// What an element may be that does not count.
Answer anything(const number::Format& format) {
  Answer answer;
  const std::int64_t most = number::ordinal(format, number::max_finite(format)),
                     least = number::ordinal(format, number::max_finite(format, true));
  Permitted& permitted = answer.permitted = Permitted(format.id, Interval{least, most});
  permitted.rule = "counts.padding";
  permitted.vacuous = true;
  permitted.plus_infinity = permitted.minus_infinity = permitted.nan = true;
  return answer;
}

bool has_unit_steps(const Paths& paths) {
  return std::ranges::any_of(paths.list,
                             [](const Path& path) { return path.sum && path.sum->unit_steps() != nullptr; });
}

/// Whether a set is of numbers alone, and a number lies beyond their ends.
bool is_number_beyond(const Permitted& set, std::uint64_t word) {
  const number::Format& format = number::format(set.format);
  const bool are_numbers = set.finite && set.only.empty() && !set.plus_infinity && !set.minus_infinity && !set.nan;
  if (!are_numbers || number::is_nan(format, word) || number::is_infinity(format, word)) return false;
  const Interval ends = set.hull();
  const std::int64_t position = number::ordinal(format, word);
  return position < ends.low || position > ends.high;
}

}  // namespace

struct Oracle::State {
  const operation::Case* value = nullptr;
  std::vector<operation::TensorSpec> outputs;
  std::vector<operation::Counted> counted;           ///< of each output
  std::optional<Rewritten> rewritten{};              ///< the case that is answered for, where it is another
  std::optional<Declared> declares{};                ///< what the contract that is answered for declares
  std::vector<std::unique_ptr<Problem>> problems{};  ///< one for each output
  bool screened = true;

  explicit State(const operation::Case& value_) : value(&value_), outputs(operation::output_specs(value_.operation)) {
    for (const operation::TensorSpec& output : outputs) counted.emplace_back(value_, output.name);
  }
  [[nodiscard]] const operation::Case& answered_value() const { return rewritten ? rewritten->value : *value; }
  [[nodiscard]] bool counts(const OutputElement& place) const {
    return counted[place.output].all() || counted[place.output].holds(place.element);
  }
  [[nodiscard]] const number::Format& output_format(std::size_t output) const {
    return problems[output]->output_format();
  }
  [[nodiscard]] Answer answer(const OutputElement& place, std::span<const tensor::Tensor> before = {}) const {
    if (!counts(place)) return anything(output_format(place.output));
    const Problem& problem = *problems[place.output];
    return before.empty() ? problem.answer(place.element) : problem.answer_beside(place.element, before);
  }
  /// A set that holds that of answer() and is found sooner.
  [[nodiscard]] std::optional<Answer> hull(const OutputElement& place) const {
    return counts(place) ? problems[place.output]->hull(place.element) : std::nullopt;
  }
  /// What its elements' screens follow; nullptr where there are none.
  [[nodiscard]] const Paths* screened_paths() const {
    return screened && problems.size() == 1 ? problems.front()->paths() : nullptr;
  }
};

Oracle::Oracle(std::unique_ptr<State> state) : state_(std::move(state)) {}
Oracle::Oracle(Oracle&&) noexcept = default;
Oracle& Oracle::operator=(Oracle&&) noexcept = default;
Oracle::~Oracle() = default;

base::Result<Oracle> Oracle::make(const operation::Case& value, const contract::Contract& contract,
                                  const Options& options) {
  if (const base::Status status = contract::validate(contract); !status) return status.error();
  if (contract.order == contract::Order::Model || !contract.model.empty()) {
    return usage_error("contract: the hardware model \"" + contract.model +
                       "\" is not known to this version; use order any or ascending without model");
  }
  if (!options.exact.empty()) {
    // Every name is checked here; whether a method accepts a sum is known only with the sum.
    bool known = false;
    std::string names;
    for (const exact::Method* method : exact::methods()) {
      known |= method->name() == options.exact;
      names += (names.empty() ? "" : ", ") + std::string(method->name());
    }
    if (!known) return usage_error("--exact " + options.exact + ": no such method; use one of " + names);
  }
  const Family* const family = family_of(value.operation.signature());
  if (value.operation.signature().is_declared) {
    return usage_error("operation " + operation::name(value.operation) +
                       " is declared by its line, which does not say what is right; hold a kernel to a reference");
  }
  if (family == nullptr) return usage_error("no oracle answers for " + operation::name(value.operation));
  if (declared(contract).units.use != contract::TensorCore::No && family->make != make_gemm) {
    return usage_error("contract: tensor_core does not fit " + operation::name(value.operation) +
                       ": tensor cores sum products, those of a gemm");
  }
  auto state = std::make_unique<State>(value);
  if (family->rewrite != nullptr) {
    auto rewritten = family->rewrite(value, contract);
    if (!rewritten.ok()) return rewritten.error();
    state->rewritten = std::move(*rewritten);
  }
  const contract::Contract& answered = state->rewritten ? state->rewritten->contract : contract;
  state->declares = declared(answered);
  const auto additions = additions_of(value, contract);
  if (!additions) return additions.error();
  state->declares->sums.additions = *additions;
  // Its conversion is left open where there are factors to convert.
  if (value.operation.signature().factors.empty()) state->declares->products.conversions = {{}};
  for (std::size_t output = 0; output < state->outputs.size(); ++output) {
    auto problem = family->make(state->answered_value(), *state->declares, options, output);
    if (!problem.ok()) return problem.error();
    state->problems.push_back(std::move(*problem));
  }
  state->screened = options.screen;
  return Oracle(std::move(state));
}

Permitted Oracle::permitted(std::int64_t element, std::size_t output, std::span<const tensor::Tensor> before) const {
  Answer answer = state_->answer({output, element}, before);
  if (answer.exact) answer.permitted.exact = answer.exact->approximate();
  return std::move(answer.permitted);
}

ElementFacts Oracle::facts(std::int64_t element, std::size_t output) const {
  Answer answer = state_->answer({output, element});
  ElementFacts facts{.rule = std::move(answer.permitted.rule), .result = std::move(answer.exact)};
  if (!answer.facts) return facts;
  facts.sum = answer.facts->positive - answer.facts->negative;
  facts.magnitude = answer.facts->magnitude();
  facts.terms = answer.facts->nonzero;
  return facts;
}

std::optional<std::uint64_t> Oracle::exact(std::int64_t element, std::size_t output) const {
  const Answer answer = state_->answer({output, element});
  const Permitted& permitted = answer.permitted;
  const number::Format& format = state_->output_format(output);
  const auto zero = [&] { return number::zero(format, permitted.minus_zero && !permitted.plus_zero); };
  if (answer.exact) return answer.exact->is_zero() ? zero() : answer.exact->round_to(format);
  if (!permitted.only.empty()) {
    return permitted.only.size() == 1 && !permitted.nan ? std::optional(permitted.only.front()) : std::nullopt;
  }
  const int kinds = permitted.finite + permitted.plus_infinity + permitted.minus_infinity + permitted.nan;
  if (kinds != 1 || (permitted.finite && permitted.low != permitted.high)) return std::nullopt;
  if (permitted.nan) return number::canonical_nan(format);
  if (!permitted.finite) return number::infinity(format, permitted.minus_infinity);
  return permitted.low.is_zero() ? zero() : permitted.low.round_to(format);
}

std::string Oracle::explain(std::int64_t element, std::size_t output) const {
  return oracle::explain(state_->answer({output, element}));
}

std::vector<Reached> Oracle::reached(std::int64_t element, std::size_t output) const {
  return state_->counts({output, element}) ? state_->problems[output]->reached(element) : std::vector<Reached>();
}

std::vector<std::unique_ptr<Screen>> Oracle::make_screens() const {
  const Paths* const paths = state_->screened_paths();
  return paths == nullptr ? std::vector<std::unique_ptr<Screen>>() : screens_of(state_->answered_value(), *paths);
}

Look Oracle::look(std::span<const tensor::Tensor> observed, const Looking& how) const {
  Look look;
  const Paths* const paths = state_->screened_paths();
  const std::vector<std::unique_ptr<Screen>> screens = make_screens();
  const bool is_one = paths != nullptr && paths->members.size() == 1;
  std::vector<OutputElement> open;  // passed, but nobody knows whether they are vacuous
  const auto decided = [&] { return look.decided || (how.decides != nullptr && how.decides->load()); };
  const auto keep = [&](Miss miss) {
    const auto at =
        std::ranges::find_if(look.worst, [&](const Miss& other) { return worse(miss, other, how.farthest); });
    look.worst.insert(at, std::move(miss));
    if (look.worst.size() > how.worst) look.worst.pop_back();
  };
  const auto is_kept = [&](const Miss& miss) {
    return look.worst.size() < how.worst || (how.worst > 0 && worse(miss, look.worst.back(), how.farthest));
  };
  // A number beyond the hull is a wrong value whatever the set is. Where many elements fail that is all that most of
  // them are asked for; elsewhere it would be one question more.
  std::int64_t hulls = 0, beyond = 0;
  const auto is_beyond = [&](const OutputElement& place, std::uint64_t word) {
    constexpr std::int64_t kMany = 16;
    if (look.failed < kMany || 2 * beyond + kMany < hulls) return false;
    // A bound's ends lie farther out than the set's own.
    if (how.farthest && (paths == nullptr || has_unit_steps(*paths))) return false;
    ++hulls;
    const std::optional<Answer> hull = state_->hull(place);
    Miss miss{.place = place, .observed = word, .kind = verdict::FailureClass::WrongValue};
    if (hull && how.farthest) miss.steps = steps_from(hull->permitted, word);
    if (!hull || !is_number_beyond(hull->permitted, word) || is_kept(miss)) return false;
    look.decided = decided() || !hull->permitted.vacuous;
    ++beyond;
    ++look.failed;
    if (how.lists) look.failing.push_back(place);
    return true;
  };
  const auto look_at = [&](const OutputElement& place) {
    ++look.judged;
    const std::uint64_t word = observed[place.output].get(place.element);
    for (const std::unique_ptr<Screen>& screen : screens) {
      const Settled settled = screen->settle(place.element, word);
      if (!settled.passes) continue;
      // A screen knows of its own member alone whether it is vacuous.
      look.decided = decided() || (is_one && screen->decides(place.element));
      if (!look.decided) open.push_back(place);
      look.margin = std::max(look.margin, settled.margin);
      return;
    }
    ++look.open;
    if (is_beyond(place, word)) return;
    Answer answer = state_->answer(place, observed.first(place.output));
    look.decided = decided() || !answer.permitted.vacuous;
    if (answer.permitted.contains(word)) {
      look.margin = std::max(look.margin, margin(answer, word));
      return;
    }
    ++look.failed;
    if (how.lists) look.failing.push_back(place);
    const Mismatch mismatch = classify(answer.permitted, word);
    Miss miss{.place = place, .observed = word, .kind = mismatch.kind, .direction = mismatch.direction};
    if (how.farthest) miss.steps = steps_from(answer.permitted, word);
    if (!is_kept(miss)) return;
    miss.rule = mismatch.rule;
    miss.permitted = std::move(answer.permitted);
    keep(std::move(miss));
  };
  for (OutputElement place; place.output < observed.size(); ++place.output) {
    const std::int64_t elements =
        how.elements ? static_cast<std::int64_t>(how.elements->size()) : observed[place.output].element_count();
    for (std::int64_t i = 0; i < elements && !(how.stops && look.failed > 0); ++i) {
      place.element = how.elements ? (*how.elements)[static_cast<std::size_t>(i)] : i;
      if (state_->counts(place)) look_at(place);
    }
  }
  if (look.failed == 0) {
    for (auto i = open.begin(); !decided() && i != open.end(); ++i) {
      look.decided = !state_->answer(*i).permitted.vacuous;
    }
  }
  look.decided = decided();
  if (look.decided && how.decides != nullptr) how.decides->store(true);
  for (Miss& miss : look.worst) {
    if (how.explains) miss.explained = explain(miss.place.element, miss.place.output);
  }
  return look;
}

Verdict Oracle::judge(std::span<const tensor::Tensor> observed, std::vector<OutputElement>* failing) const {
  bool fits = observed.size() == state_->outputs.size();
  for (std::size_t o = 0; o < observed.size() && fits; ++o) {
    fits = observed[o].format_id() == state_->outputs[o].format && observed[o].shape() == state_->outputs[o].shape;
  }
  if (!fits) return verdict::error_verdict("what was observed has other formats or shapes than the operation's");
  Look seen = look(observed, {.lists = failing != nullptr});
  if (failing != nullptr) *failing = std::move(seen.failing);
  Verdict verdict;
  verdict.margin = seen.margin;
  if (seen.failed == 0) {
    verdict.kind = seen.decided || seen.judged == 0 ? VerdictKind::Pass : VerdictKind::Vacuous;
    return verdict;
  }
  const Miss& worst = seen.worst.front();
  verdict::Failure failure = failure_of(worst, state_->outputs[worst.place.output]);
  failure.failing_elements = seen.failed;
  verdict.kind = VerdictKind::Fail;
  verdict.failure = std::move(failure);
  return verdict;
}

}  // namespace negzero::oracle
