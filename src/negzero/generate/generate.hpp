// Strategies that make cases: deterministic from (seed, index) on every platform.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::generate {

/// What cases are wanted for: the operation a kernel implements, its limits and its contract.
struct Request {
  std::string operation;  ///< operation::name()
  operation::Limits limits{};
  contract::Contract contract{};
  std::map<std::string, double> weights{};  ///< strategy -> weight; empty: the default mix
};

/// The drawn choices behind a case, before any element exists: small, and what RapidCheck shrinks.
struct Plan {
  std::string strategy;
  operation::Operation operation;
  std::map<std::string, tensor::Layout> layouts;
  operation::Poison poison = operation::Poison::Nan;
  operation::Schedule schedule;
  std::uint64_t element_seed = 0;
};

/// One strategy of numerics.md section 7.
struct Strategy {
  std::string_view name;
  std::string_view makes;    ///< what it makes
  std::string_view catches;  ///< what it catches
  double weight;             ///< share of the default mix
};
[[nodiscard]] const std::vector<Strategy>& strategies();

/// Checks weights (unknown strategy, negative, all zero) and the operation name.
[[nodiscard]] base::Status validate(const Request& request);

/// Plan number `index` of the stream `seed`. Requires a valid request.
[[nodiscard]] Plan draw(const Request& request, std::uint64_t seed, std::uint64_t index);
/// Expands a plan's elements in bulk. The case is valid (operation::validate) and inside the request's limits.
[[nodiscard]] operation::Case expand(const Request& request, const Plan& plan);
/// draw + expand, with strategy, seed and index recorded in the case.
[[nodiscard]] operation::Case make_case(const Request& request, std::uint64_t seed, std::uint64_t index);

}  // namespace negzero::generate
