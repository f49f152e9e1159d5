// Follows a sum through every accumulator that may hold it.

#include <algorithm>

#include <negzero/oracle/output.hpp>
#include <negzero/oracle/routes.hpp>

namespace negzero::oracle {

using exact::Dyadic;
using number::FormatId;

std::vector<Route> routes_of(FormatId accumulate, bool wider) {
  std::vector<Route> routes{{accumulate, false}};
  const number::Format& declared = number::format(accumulate);
  if (!wider || declared.is_integer()) return routes;
  for (const FormatId id : {FormatId::F16, FormatId::BF16, FormatId::F32, FormatId::F64}) {
    const number::Format& format = number::format(id);
    const bool holds = format.precision() >= declared.precision() && format.max_exponent() >= declared.max_exponent() &&
                       format.eta_exponent() <= declared.eta_exponent();
    if (holds && format.precision() > declared.precision()) routes.push_back({id, id == FormatId::F64});
  }
  return routes;
}

bool is_vacuous(const Range& range, const Dyadic& exact_low, const Dyadic& exact_high, const Dyadic& magnitude) {
  if (!range.finite) return false;
  const Dyadic bound = std::max(exact_low - range.low, range.high - exact_high);
  return bound.sign() > 0 && magnitude <= bound.scaled(1);
}

Answer answer_sum(const contract::Contract& contract, FormatId accumulate, const Terms& terms, const SumQuery& query,
                  const number::Format& output, const std::function<Range(const Arithmetic&, const Range&)>& finish) {
  Answer answer;
  bool first = true;
  for (const Route& route : routes_of(accumulate, contract.wider)) {
    const Arithmetic arithmetic(route.format, contract);
    SumQuery routed = query;
    routed.real_ends = route.real_ends;
    if (!first) routed.hull_terms = 0;
    const SumResult sum = evaluate_sum(arithmetic, terms, routed);
    const Arithmetic last = contract.promote && !route.real_ends ? arithmetic.in(contract.promote->format) : arithmetic;
    Range range = sum.range;
    if (finish) range = finish(last, range);
    range = through_intermediate(range, contract);
    const Permitted permitted = to_permitted(range, output, contract, false, sum.rule);
    if (first) {
      answer.permitted = permitted;
      answer.facts = sum.facts;
      answer.bound = sum.bound;
      answer.permitted.vacuous = is_vacuous(sum.range, sum.facts.sum_low, sum.facts.sum_high, sum.facts.magnitude());
      if (!terms.nan() && !terms.infinity(false) && !terms.infinity(true)) answer.exact = sum.facts.sum_low;
      // Nothing rounds in a wider accumulator either.
      if (sum.exact && !finish) break;
    } else {
      join(answer.permitted, permitted);
    }
    first = false;
  }
  return answer;
}

}  // namespace negzero::oracle
