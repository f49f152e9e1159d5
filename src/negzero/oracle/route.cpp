// Accumulators, their sums, and the roundings behind them.

#include <negzero/number/holds.hpp>
#include <negzero/oracle/route.hpp>

namespace negzero::oracle {

using number::FormatId;

namespace {

/// `declared`, and what is wider where that is allowed.
std::vector<FormatId> formats_from(FormatId declared, bool wider) {
  std::vector<FormatId> formats{declared};
  if (!wider) return formats;
  for (const FormatId id : wider_formats(declared)) formats.push_back(id);
  return formats;
}

/// Whether each addition of a sum may be in a format of its own.
bool may_mix(const Declared& contract) {
  return contract.sums.wider && !contract.sums.ascending && !contract.sums.compensated && !contract.sums.promote &&
         !contract.sums.stores;
}

/// The format in which a contract holds a finished sum.
FormatId held_format(const Declared& contract) {
  return contract.sums.promote ? contract.sums.promote->format : contract.sums.accumulate;
}

}  // namespace

Arithmetic Route::inside(const Declared& contract) const {
  const Arithmetic arithmetic(format, contract);
  return is_ordinary ? arithmetic.promoted(format) : arithmetic;
}

Arithmetic Route::held(const Declared& contract) const {
  const Arithmetic arithmetic = inside(contract);
  return promote ? arithmetic.promoted(promote->format) : arithmetic;
}

std::vector<FormatId> Route::formats() const {
  std::vector<FormatId> formats{format};
  if (!narrowest) return formats;
  for (const FormatId id : formats_from(*narrowest, true)) {
    if (id != format) formats.push_back(id);
  }
  return formats;
}

std::vector<Route> routes_of(const Declared& contract, FormatId accumulate) {
  std::vector<Route> routes;
  if (may_mix(contract) && !wider_formats(accumulate).empty()) {
    return {{accumulate}, {.format = FormatId::F64, .real_ends = true, .narrowest = accumulate}};
  }
  for (const FormatId inner : formats_from(accumulate, contract.sums.wider)) {
    const bool real_ends = inner == FormatId::F64 && inner != accumulate;
    if (!contract.sums.promote || real_ends) {
      routes.push_back({inner, real_ends});
      continue;
    }
    for (const FormatId outer : formats_from(contract.sums.promote->format, contract.sums.wider)) {
      if (!number::holds(number::format(outer), number::format(inner))) continue;
      routes.push_back({inner, false, contract::Promote{contract.sums.promote->every, outer}});
    }
  }
  if (contract.sums.rounding == contract::AccumulateRounding::Nearest) return routes;
  // The bound of the widest holds for every rounding.
  const std::vector<Route> declared = routes;
  for (const Route& route : declared) {
    if (route.format == accumulate || route.real_ends) continue;
    routes.push_back(route);
    routes.back().is_ordinary = true;
  }
  return routes;
}

Sum sum_of(const Declared& contract, const Route& route, bool are_values, int hull_terms) {
  Sum sum{.arithmetic = route.narrowest ? Arithmetic(*route.narrowest, contract) : route.inside(contract),
          .contraction = are_values ? contract::Contraction::Separate : contract.sums.contraction,
          .start = contract.sums.start,
          .ends = route.real_ends ? Ends::Real : Ends::Grid,
          .tells_zeros = contract.sums.tells_zeros,
          .hull_terms = hull_terms};
  const bool ascending = contract.sums.ascending;
  if (route.stepping) {
    sum.order = UnitSteps{*route.stepping, contract.sums.stores, contract.sums.wider};
  } else if (route.promote) {
    sum.order = Blocks{*route.promote, ascending};
  } else if (ascending && !contract.sums.compensated) {
    sum.order = Ascending{};
  } else {
    sum.order = AnyOrder{contract.sums.compensated, contract.sums.stores,
                         route.narrowest ? std::optional(route.format) : std::nullopt, contract.sums.additions};
  }
  return sum;
}

Ending intermediate_steps(const Declared& contract) {
  Ending steps;
  FormatId from = held_format(contract);
  for (const contract::RoundingStep& step : contract.roundings.before) {
    steps.emplace_back(Round{Arithmetic(step.format, contract), from, step.rounding});
    from = step.format;
  }
  return steps;
}

Round output_step(const Declared& contract, FormatId output) {
  const FormatId from =
      contract.roundings.before.empty() ? held_format(contract) : contract.roundings.before.back().format;
  return {Arithmetic(output, contract), from, contract.roundings.last, contract.roundings.overflow};
}

}  // namespace negzero::oracle
