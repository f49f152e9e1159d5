// The list.

#include "known.hpp"

namespace negzero::oracle_legal {

namespace {

using contract::Subnormals;

bool flushes(const Refused& refused) {
  return refused.contract.subnormal_inputs != Subnormals::Keep ||
         refused.contract.subnormal_results != Subnormals::Keep;
}

constexpr KnownClass kKnown[] = {
    {"F10", "sums in F8_E4M3, in which no unit adds",
     [](const Refused& refused) { return refused.contract.accumulate == number::FormatId::F8_E4M3; }},
    {"F13b", "alpha folded into a factor whose conversion then gives a subnormal that is flushed",
     [](const Refused& refused) {
       return has(refused.traits, Trait::Folded) &&
              contract::conversions(refused.contract) != std::vector{contract::Multiplicands{}} &&
              refused.contract.subnormal_inputs != Subnormals::Keep;
     }},
    {"F6", "a subnormal scalar that arithmetic, a test or a conversion takes for zero",
     [](const Refused& refused) { return flushes(refused) && has(refused.traits, Trait::SubnormalScalar); }},
    {"F1", "beta * C to nearest, a term of a sum that does not round so",
     [](const Refused& refused) {
       return refused.contract.accumulate_rounding != contract::AccumulateRounding::Nearest &&
              has(refused.traits, Trait::NearestBehind) && has(refused.traits, Trait::CLeaf);
     }},
};

}  // namespace

std::span<const KnownClass> known_classes() { return kKnown; }

const KnownClass* class_of(const Refused& refused) {
  for (const KnownClass& each : kKnown) {
    if (each.holds(refused)) return &each;
  }
  return nullptr;
}

}  // namespace negzero::oracle_legal
