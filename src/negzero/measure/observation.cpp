// Contents that a formula of the place gives: they are the same in every run.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <negzero/base/random.hpp>
#include <negzero/measure/observation.hpp>
#include <negzero/number/format.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

enum class Contents : unsigned char { Integers, Distinct, Fractions };

std::vector<double> contents_of(Contents kind, std::size_t place, std::int64_t length, number::FormatId id) {
  // Of 16 bits, sums and products of what is distinct would overflow or be rounded: it is less than 1.
  const number::Format& format = number::format(id);
  const std::int64_t kinds = std::int64_t{1} << std::min(format.precision(), 13);
  const std::int64_t unit = format.is_integer() ? 1 : format.precision() < 13 ? kinds : 32;
  const std::int64_t parts = format.is_integer() ? 1 : kinds / 16;
  base::Random random = base::Random(0).split(place);
  std::vector<double> result;
  for (std::int64_t i = 0; i < length; ++i) {
    switch (kind) {
      case Contents::Integers:
        result.push_back(static_cast<double>(random.between(-4, 4)));
        break;
      case Contents::Distinct:  // 2741 is odd: as many as there are kinds are distinct, in an order of their own.
        result.push_back(static_cast<double>(1 + (i * 2741 + 5 * static_cast<std::int64_t>(place)) % kinds) /
                         static_cast<double>(unit));
        break;
      case Contents::Fractions:
        result.push_back(static_cast<double>(random.between(-kinds / 6, kinds / 6)) / static_cast<double>(parts));
        break;
    }
  }
  return result;
}

/// One run on contents of that kind.
Observation observed(Prober& prober, const Probe& probe, const Callee& callee, Given given, Contents kind) {
  for (const std::size_t place : probe.read()) {
    const auto format = *number::parse_format(callee.parameters[place].format);
    given.contents[place] = contents_of(kind, place, given.lengths[place], format);
  }
  double number = 0.25;
  for (const std::size_t place : callee.places_of(Role::Number)) given.numbers[place] = (number += 0.25);
  Seen seen = prober.run(probe, given, false);
  return {std::move(given), std::move(seen)};
}

}  // namespace

std::vector<std::size_t> Measured::extents() const {
  std::vector<std::size_t> result;
  for (const std::size_t place : callee->places_of(Role::Size)) {
    const auto use = lengths.uses.find(place);
    if (use == lengths.uses.end() || !use->second.fixed) result.push_back(place);
  }
  return result;
}

std::vector<Observation> observe(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths) {
  std::vector<Observation> result;
  for (std::size_t set = 0; set < kSets; ++set) {
    for (const Contents kind : {Contents::Integers, Contents::Distinct, Contents::Fractions}) {
      result.push_back(observed(prober, probe, callee, given_of_set(callee, set, lengths), kind));
    }
  }
  return result;
}

bool flushes_subnormals(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths) {
  if (probe.inputs.empty() || callee.parameters[probe.inputs.front()].format != "F32") return false;
  Given given = given_of_set(callee, 0, lengths);
  for (const std::size_t place : probe.read()) given.everywhere[place] = 1;
  given.everywhere[probe.inputs.front()] = 1e-42;
  const Seen seen = prober.run(probe, given, false);
  return seen.kind == Seen::Kind::Ran && seen.outputs.at(probe.outputs.front()).front() == 0;
}

bool only_adds(Prober& prober, const Probe& zeroed, const Probe& in_place, const Callee& callee,
               const Lengths& lengths) {
  Given given = given_of_set(callee, 0, lengths);
  for (const std::size_t place : zeroed.inputs) given.everywhere[place] = 1;
  const Seen before = prober.run(zeroed, given, false);
  constexpr double kHeld = 5;
  given.everywhere[in_place.outputs.front()] = kHeld;
  const Seen after = prober.run(in_place, given, false);
  if (before.kind != Seen::Kind::Ran || after.kind != Seen::Kind::Ran) return false;
  const std::vector<double>&with_zeros = before.outputs.at(zeroed.outputs.front()),
        &with_more = after.outputs.at(in_place.outputs.front());
  for (std::size_t i = 0; i < with_zeros.size(); ++i) {
    if (std::abs(with_more[i] - with_zeros[i] - kHeld) > 1e-3 * (std::abs(with_zeros[i]) + kHeld)) return false;
  }
  return true;
}

std::vector<Observation> observe_large(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths,
                                       const std::map<std::size_t, Range>& ranges) {
  constexpr std::int64_t kLarge = 1100, kSmall = 7, kMostElements = 1 << 21;
  std::vector<Observation> result;
  for (const auto& [place, range] : ranges) {
    Extents extents = extents_of_set(callee, 0);
    for (auto& [at, extent] : extents) {
      const auto own = ranges.find(at);
      if (own == ranges.end()) continue;
      extent = std::max(at == place ? kLarge : std::min(extent, kSmall), own->second.least);
      if (own->second.greatest) extent = std::min(extent, *own->second.greatest);
    }
    Given given = given_at(extents, lengths);
    std::int64_t elements = 0;
    for (const auto& [at, length] : given.lengths) elements += length;
    if (elements > kMostElements) continue;
    result.push_back(observed(prober, probe, callee, std::move(given), Contents::Integers));
  }
  return result;
}

ReadsAtZero reads_at_zero(Prober& prober, const Probe& probe, const Callee& callee, const Lengths& lengths) {
  const Places numbers = callee.places_of(Role::Number);
  if (probe.treatment != Treatment::InPlace || numbers.size() != 2) return {};
  const auto passes = [&](std::size_t number, const Places& pointers) {
    Given given = given_of_set(callee, 0, lengths);
    given.numbers = {{numbers[0], number == 0 ? 0 : 1}, {numbers[1], number == 1 ? 0 : 1}};
    for (const std::size_t place : probe.read()) given.everywhere[place] = 1;
    for (const std::size_t place : pointers) given.everywhere[place] = std::numeric_limits<double>::quiet_NaN();
    const Seen seen = prober.run(probe, given, false);
    return seen.kind == Seen::Kind::Ran && std::isnan(seen.outputs.at(probe.outputs.front()).front());
  };
  return {.inputs = passes(0, probe.inputs), .addend = passes(1, probe.outputs)};
}

}  // namespace negzero::measure
