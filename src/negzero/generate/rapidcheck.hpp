// Plans as RapidCheck values: its randomness draws them, and its shrink tree offers smaller ones.

#pragma once

#include <ostream>
#include <utility>

#include <rapidcheck.h>

#include <negzero/generate/generate.hpp>

namespace negzero::generate {

/// How RapidCheck prints a plan.
inline void showValue(const Plan& plan, std::ostream& os) { os << to_string(plan); }

/// Plans for `request`, all strategies by their weights, independent of RapidCheck's size. A shrunk plan differs from
/// the drawn one as smaller_plans() says; expand() makes the case. Requires a valid request.
[[nodiscard]] inline rc::Gen<Plan> plans(Request request) {
  return [request = std::move(request)](const rc::Random& random, int) {
    rc::Random words = random;
    const std::uint64_t seed = words.next();
    return rc::shrinkable::shrinkRecur(draw(request, seed, 0), [request](const Plan& plan) {
      return rc::seq::fromContainer(smaller_plans(request, plan));
    });
  };
}

}  // namespace negzero::generate
