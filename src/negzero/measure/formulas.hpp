// Formulas that a number of elements may follow.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include <negzero/measure/callee.hpp>
#include <negzero/measure/lengths.hpp>

namespace negzero::measure {

/// A formula of the extents, by place.
struct Formula {
  Length length{};
  std::function<std::int64_t(const Extents&)> value{};
};

/// All formulas of a callee's sizes, simplest first.
[[nodiscard]] std::vector<Formula> formulas_of(const Callee& callee);

}  // namespace negzero::measure
