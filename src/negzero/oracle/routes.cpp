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

bool is_vacuous(const Range& range, const Dyadic& exact_low, const Dyadic& exact_high, const Dyadic& magnitude) {
  if (!range.finite) return false;
  const Dyadic bound = std::max(exact_low - range.low, range.high - exact_high);
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

Answer answer_sum(const contract::Contract& contract, FormatId accumulate, Prefix& terms, const SumShape& shape,
                  const number::Format& output, const std::function<Range(const Arithmetic&, const Range&)>& finish) {
  Answer answer;
  bool first = true;
  const std::vector<Route> routes = routes_of(contract, accumulate);
  const Arithmetic declared = routes.front().held_in(Arithmetic(accumulate, contract));
  for (const Route& route : routes) {
    const Arithmetic arithmetic(route.format, contract);
    SumShape routed = shape;
    if (!first) routed.hull_terms = 0;
    const SumResult sum = evaluate(sum_of(contract, route, routed), {terms, shape.exact_method});
    Range range = sum.range;
    if (finish) range = finish(route.held_in(arithmetic), range);
    const Range wide = range;
    range = through_intermediate(range, contract);
    const Permitted permitted = to_permitted(range, output, contract, false, sum.rule);
    if (first) {
      answer.permitted = permitted;
      answer.facts = sum.facts;
      answer.bound = sum.bound;
      answer.permitted.vacuous = is_vacuous(sum.range, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
      if (terms.finite()) answer.exact = sum.facts.sum_low;
      // Nothing rounds in a wider accumulator either.
      if (sum.exact && !finish) break;
    } else {
      join(answer.permitted, permitted);
      // A wider accumulator may be stored to the declared one, before `finish` or after it.
      const Range before = stored(sum.range, declared, shape.lift == Lift::None);
      for (const Range& narrow : {stored(wide, declared), finish ? finish(declared, before) : before}) {
        join(answer.permitted, to_permitted(through_intermediate(narrow, contract), output, contract, false, sum.rule));
      }
    }
    first = false;
  }
  return answer;
}

}  // namespace negzero::oracle
