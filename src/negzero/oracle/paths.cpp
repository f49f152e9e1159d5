// The paths of sums of values and of their means.

#include <algorithm>
#include <utility>

#include <negzero/number/holds.hpp>
#include <negzero/oracle/flushing.hpp>
#include <negzero/oracle/paths.hpp>
#include <negzero/oracle/route.hpp>

namespace negzero::oracle {

using contract::MeanForm;
using contract::Subnormals;
using number::FormatId;

namespace {

/// What becomes of subnormal elements of that format before they are terms of a sum, whichever of the routes it takes.
/// Keep where the arithmetic does all: an addition takes them as operands that are subnormal in its own format.
Subnormals flushing_of_terms(FormatId of, const std::vector<Route>& routes, Subnormals declared) {
  bool is_forced = true, is_handled = true;
  const auto look = [&](FormatId in) {
    const Subnormals flushing = taken(of, in, declared);
    is_forced &= flushing == Subnormals::Flush;
    is_handled &= flushing == Subnormals::Keep ||
                  number::format(of).min_normal_exponent() == number::format(in).min_normal_exponent();
  };
  for (const Route& route : routes) {
    for (const FormatId in : route.formats()) look(in);
    // A block of one element meets its first addition there.
    if (route.promote) look(route.promote->format);
  }
  if (is_forced) return Subnormals::Flush;
  return is_handled ? Subnormals::Keep : Subnormals::Either;
}

/// What a mean does with a finished sum, in any of its ways; of no mean, or where its terms are divided, nothing, in
/// one way.
std::vector<Ending> divisions_of(const Declared& contract, const std::optional<Mean>& mean,
                                 const Arithmetic& arithmetic) {
  if (!mean || contract.means.form == MeanForm::Terms) return {{}};
  std::vector<Ending> divisions;
  for (const Arithmetic& behind : behind_sum(arithmetic)) {
    for (const std::int64_t count : divisors(behind.format(), mean->count)) {
      if (contract.means.form != MeanForm::Reciprocal) divisions.push_back({Divide{behind, count}});
      if (contract.means.form != MeanForm::Divide) divisions.push_back({TimesReciprocal{behind, count}});
    }
  }
  return divisions;
}

/// The ways from a sum to memory: what a mean does with the sum in the accumulator that holds it; where that is wider
/// than declared (`declared` is given), also with a store to the declared one behind or before that; then the declared
/// roundings.
std::vector<Ending> endings_of(const Declared& contract, const SumShape& shape, const Route& route,
                               const Arithmetic* declared, Lift lift) {
  const Arithmetic held = route.held(contract);
  Ending roundings = intermediate_steps(contract);
  roundings.emplace_back(output_step(contract, shape.output));
  std::vector<Ending> endings;
  const auto end = [&](Ending steps) {
    steps.insert(steps.end(), roundings.begin(), roundings.end());
    if (std::ranges::find(endings, steps) == endings.end()) endings.push_back(std::move(steps));
  };
  for (const Ending& division : divisions_of(contract, shape.mean, held)) {
    end(division);
    if (declared == nullptr) continue;
    Ending behind = division;
    behind.emplace_back(Hold{*declared});
    end(std::move(behind));
  }
  if (declared == nullptr) return endings;
  for (const Ending& division : divisions_of(contract, shape.mean, *declared)) {
    Ending before{Hold{*declared, lift == Lift::None}};
    before.insert(before.end(), division.begin(), division.end());
    end(std::move(before));
  }
  // Of a sum whose additions were in several formats, the finished one may be in any.
  for (const FormatId format : route.held_formats()) {
    const bool is_other = format != held.format().id && format != declared->format().id;
    if (!is_other || !shape.mean) continue;
    const Arithmetic between = held.in(format);
    for (const Ending& division : divisions_of(contract, shape.mean, between)) {
      Ending in{Hold{between, lift == Lift::None}};
      in.insert(in.end(), division.begin(), division.end());
      Ending behind = in;
      behind.emplace_back(Hold{*declared});
      end(std::move(in));
      end(std::move(behind));
    }
  }
  return endings;
}

/// What the terms of a mean are made of, where each is divided by itself; else they are the elements.
std::vector<TermsOf> terms_along(const Declared& contract, const SumShape& shape, const Route& route,
                                 const TermsOf& elements) {
  if (!shape.mean || contract.means.form != MeanForm::Terms) return {elements};
  std::vector<TermsOf> terms;
  std::vector<Arithmetic> averaging;
  for (const FormatId format : route.formats()) {
    for (const Arithmetic& each : behind_sum(route.inside(contract).in(format))) averaging.push_back(each);
  }
  for (const Arithmetic& before : averaging) {
    for (const std::int64_t count : divisors(before.format(), shape.mean->count)) {
      for (const bool divides : {false, true}) {
        for (const bool loads : {false, true}) {
          if (loads && number::holds(before.format(), number::format(shape.input))) continue;
          terms.emplace_back(elements).scaled = Averaged{divides, loads, before, count};
        }
      }
    }
  }
  return terms;
}

}  // namespace

Paths paths_of(const Declared& contract, const SumShape& shape) {
  const std::vector<Route> routes = routes_of(contract, shape.accumulate);
  const Arithmetic declared = routes.front().held(contract);
  const TermsOf elements{.a = {.taken = flushing_of_terms(shape.input, routes, contract.subnormals.inputs)}};
  std::vector<Lift> lifts{Lift::None};
  if (shape.mean && contract.means.form != MeanForm::Terms) lifts.assign(1, Lift::Unbounded);
  if (lifts.front() == Lift::Unbounded && contract.means.may_overflow) lifts.push_back(Lift::None);
  Paths paths{.list = {}, .members = {Member{}}, .tells_zeros = contract.sums.tells_zeros};
  paths.list.reserve(routes.size());
  for (const Route& route : routes) {
    for (const TermsOf& terms : terms_along(contract, shape, route, elements)) {
      const auto* const averaged = std::get_if<Averaged>(&terms.scaled);
      const Arithmetic held = route.held(contract);
      // Of terms that are divided, each count and each way to divide by it has a path of its own.
      const bool is_declared = averaged == nullptr ? paths.list.empty() : route.format == shape.accumulate;
      const bool is_wide = averaged == nullptr ? !is_declared : held.format() != declared.format();
      Sum sum = sum_of(contract, route, averaged == nullptr || averaged->divides,
                       is_declared || route.narrowest ? shape.hull_terms : 0);
      sum.c = shape.c;
      for (const Lift lift : lifts) {
        sum.lift = lift;
        paths.list.push_back({0, terms, sum, endings_of(contract, shape, route, is_wide ? &declared : nullptr, lift)});
      }
    }
  }
  paths.touches_terms = std::ranges::any_of(routes, [&](const Route& route) {
    return std::ranges::any_of(route.formats(), [&](FormatId format) {
      return taken(shape.input, format, contract.subnormals.inputs) != Subnormals::Keep;
    });
  });
  return paths;
}

}  // namespace negzero::oracle
