// Follows a sum through every accumulator that may hold it.

#include <algorithm>

#include <negzero/number/holds.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>

namespace negzero::oracle {

using exact::Dyadic;
using number::FormatId;

namespace {

/// `declared`, and what is wider where that is allowed.
std::vector<FormatId> formats_from(FormatId declared, bool wider) {
  std::vector<FormatId> formats{declared};
  const number::Format& narrow = number::format(declared);
  if (!wider || narrow.is_integer()) return formats;
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64}) {
    const number::Format& format = number::format(id);
    if (number::holds(format, narrow) && format.precision() > narrow.precision()) formats.push_back(id);
  }
  return formats;
}

}  // namespace

Arithmetic Route::held_in(const Arithmetic& arithmetic) const {
  return promote ? arithmetic.promoted(promote->format) : arithmetic;
}

std::vector<Route> routes_of(const contract::Contract& contract, FormatId accumulate) {
  std::vector<Route> routes;
  for (const FormatId inner : formats_from(accumulate, contract.wider)) {
    const bool real_ends = inner == FormatId::F64 && inner != accumulate;
    if (!contract.promote || real_ends) {
      routes.push_back({inner, real_ends});
      continue;
    }
    for (const FormatId outer : formats_from(contract.promote->format, contract.wider)) {
      if (!number::holds(number::format(outer), number::format(inner))) continue;
      routes.push_back({inner, false, contract::Promote{contract.promote->every, outer}});
    }
  }
  return routes;
}

contract::Subnormals flushing_of_terms(FormatId of, const std::vector<Route>& routes, contract::Subnormals declared) {
  bool is_forced = true, is_handled = true;
  const auto look = [&](FormatId in) {
    const contract::Subnormals flushing = taken(of, in, declared);
    is_forced &= flushing == contract::Subnormals::Flush;
    is_handled &= flushing == contract::Subnormals::Keep ||
                  number::format(of).min_normal_exponent() == number::format(in).min_normal_exponent();
  };
  for (const Route& route : routes) {
    look(route.format);
    // A block of one element meets its first addition there.
    if (route.promote) look(route.promote->format);
  }
  if (is_forced) return contract::Subnormals::Flush;
  return is_handled ? contract::Subnormals::Keep : contract::Subnormals::Either;
}

bool is_vacuous(const Set& set, const Dyadic& exact_low, const Dyadic& exact_high, const Dyadic& magnitude) {
  if (!set.finite) return false;
  const Dyadic bound = std::max(exact_low - set.low, set.high - exact_high);
  return bound.sign() > 0 && magnitude <= bound.scaled(1);
}

Sum sum_of(const contract::Contract& contract, const Route& route, const SumShape& shape) {
  Sum sum{.arithmetic = Arithmetic(route.format, contract),
          .contraction = shape.are_values ? contract::Contraction::Separate : contract.contraction,
          .start = contract.start,
          .c = shape.c,
          .lift = shape.lift,
          .ends = route.real_ends ? Ends::Real : Ends::Grid,
          .tells_zeros = contract.zero_sign == contract::ZeroSign::Ieee,
          .hull_terms = shape.hull_terms};
  std::optional<Stores> stores;
  if (contract.slice_format) stores = Stores{*contract.slice_format, contract.slices};
  const bool ascending = contract.order == contract::Order::Ascending;
  if (route.stepping) {
    sum.order = Steps{*route.stepping, stores};
  } else if (route.promote) {
    sum.order = Blocks{*route.promote, ascending};
  } else if (ascending && !contract.compensated) {
    sum.order = Ascending{};
  } else {
    sum.order = AnyOrder{contract.compensated, stores};
  }
  return sum;
}

namespace {

/// What a mean does with its sum, in any of its ways; of no mean nothing, in one way.
std::vector<std::vector<Step>> divisions_of(const std::optional<Mean>& mean, const Arithmetic& arithmetic) {
  using contract::MeanForm;
  if (!mean) return {{}};
  std::vector<std::vector<Step>> divisions;
  for (const std::int64_t count : divisors(arithmetic.format(), mean->count)) {
    if (mean->form != MeanForm::Reciprocal) divisions.push_back({{StepKind::Divide, arithmetic, {}, {}, count}});
    if (mean->form != MeanForm::Divide) divisions.push_back({{StepKind::TimesReciprocal, arithmetic, {}, {}, count}});
  }
  return divisions;
}

}  // namespace

std::vector<std::vector<Step>> endings_of(const contract::Contract& contract, const Arithmetic& held,
                                          const Arithmetic* declared, const std::optional<Mean>& mean, Lift lift) {
  const std::vector<Step> roundings = intermediate_steps(contract);
  std::vector<std::vector<Step>> endings;
  const auto end = [&](std::vector<Step> steps) {
    steps.insert(steps.end(), roundings.begin(), roundings.end());
    if (std::ranges::find(endings, steps) == endings.end()) endings.push_back(std::move(steps));
  };
  const auto hold = [&](bool may_overflow) {
    return Step{.kind = StepKind::Hold, .arithmetic = *declared, .may_overflow = may_overflow};
  };
  for (const std::vector<Step>& division : divisions_of(mean, held)) {
    end(division);
    if (declared == nullptr) continue;
    std::vector<Step> behind = division;
    behind.push_back(hold(true));
    end(std::move(behind));
  }
  if (declared == nullptr) return endings;
  for (const std::vector<Step>& division : divisions_of(mean, *declared)) {
    std::vector<Step> before{hold(lift == Lift::None)};
    before.insert(before.end(), division.begin(), division.end());
    end(std::move(before));
  }
  return endings;
}

std::vector<Way> ways_of(const contract::Contract& contract, FormatId accumulate, const SumShape& shape,
                         const std::optional<Mean>& mean) {
  const std::vector<Route> routes = routes_of(contract, accumulate);
  const Arithmetic declared = routes.front().held_in(Arithmetic(accumulate, contract));
  std::vector<Way> ways;
  for (const Route& route : routes) {
    const bool leads = ways.empty();
    SumShape routed = shape;
    if (!leads) routed.hull_terms = 0;
    const Sum sum = sum_of(contract, route, routed);
    const Arithmetic held = route.held_in(sum.arithmetic);
    ways.push_back({sum, endings_of(contract, held, leads ? nullptr : &declared, mean, shape.lift)});
  }
  return ways;
}

Answer answer_sum(const std::vector<Way>& ways, const contract::Contract& contract, const Element& element,
                  const number::Format& output) {
  Answer answer;
  bool first = true;
  for (const Way& way : ways) {
    const bool leads = first;
    const SumResult sum = evaluate(way.sum, element);
    for (const std::vector<Step>& ending : way.endings) {
      const Permitted permitted = to_permitted(finish(ending, sum.set), output, contract, false, sum.rule);
      if (first) answer.permitted = permitted;
      if (!first) join(answer.permitted, permitted);
      first = false;
    }
    if (!leads) continue;
    answer.facts = sum.facts;
    answer.bound = sum.bound;
    answer.permitted.vacuous = is_vacuous(sum.set, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
    if (element.terms.finite()) answer.exact = sum.facts.sum_low;
    // Nothing rounds in a wider accumulator either; a division does.
    const auto divides = [](const Step& step) { return step.kind != StepKind::Round; };
    if (sum.exact && std::ranges::none_of(way.endings.front(), divides)) break;
  }
  return answer;
}

}  // namespace negzero::oracle
