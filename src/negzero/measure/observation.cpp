// Contents that a formula of the place gives: they are the same in every run.

#include <negzero/base/random.hpp>
#include <negzero/measure/observation.hpp>

namespace negzero::measure {
namespace {

using Role = Parameter::Role;

enum class Contents : unsigned char { Integers, Distinct, Fractions };

std::vector<double> contents_of(Contents kind, std::size_t place, std::int64_t length) {
  base::Random random = base::Random(0).split(place);
  std::vector<double> result;
  for (std::int64_t i = 0; i < length; ++i) {
    switch (kind) {
      case Contents::Integers:
        result.push_back(static_cast<double>(random.between(-4, 4)));
        break;
      case Contents::Distinct:  // 5 and 8192 are coprime: 2^-5, ... in an order of their own.
        result.push_back(static_cast<double>(1 + (i * 2741 + 5 * static_cast<std::int64_t>(place)) % 8192) / 32);
        break;
      case Contents::Fractions:
        result.push_back(static_cast<double>(random.between(-1500, 1500)) / 512);
        break;
    }
  }
  return result;
}

}  // namespace

std::vector<Observation> observe(Prober& prober, const Probe& probe, const Callee& callee,
                                 const std::map<std::size_t, Length>& lengths) {
  std::vector<Observation> result;
  for (std::size_t set = 0; set < kSets; ++set) {
    for (const Contents kind : {Contents::Integers, Contents::Distinct, Contents::Fractions}) {
      Observation each{.given = {.sizes = sizes_of_set(callee, set)}};
      for (const auto& [place, length] : lengths) each.given.lengths[place] = value_of(length, each.given.sizes);
      for (const std::size_t place : probe.read()) {
        each.given.contents[place] = contents_of(kind, place, each.given.lengths[place]);
      }
      double number = 0.25;
      for (const std::size_t place : callee.places_of(Role::Number)) each.given.numbers[place] = (number += 0.25);
      each.seen = prober.run(probe, each.given, false);
      result.push_back(std::move(each));
    }
  }
  return result;
}

}  // namespace negzero::measure
