// Strategies that make cases: deterministic from (seed, index) on every platform.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::generate {

using Weights = std::map<std::string, double>;  ///< strategy -> share of the mix; empty: the default mix

/// Values that an extent is to have: low, low + step, ... up to high.
struct ExtentRange {
  std::int64_t low = 0, high = 0, step = 1;
  friend bool operator==(const ExtentRange&, const ExtentRange&) = default;
};
/// Whether its values lie between 0 and tensor::kMaxElements, the low end first, and `step` goes up.
[[nodiscard]] bool is_range(const ExtentRange& range) noexcept;
using ExtentRanges =
    std::map<std::string, ExtentRange>;  ///< by the names of the operation's line; any other extent: as usual
/// "m=4096", "k=64:4096", "k=64:4096:64".
[[nodiscard]] std::string to_string(const std::string& extent, const ExtentRange& range);

/// What a person asks of all cases, whatever they are for.
struct Mix {
  Weights weights{};
  bool finite = false;  ///< no infinity and no NaN among the values of a case
  ExtentRanges extents{};
  friend bool operator==(const Mix&, const Mix&) = default;
};

/// What cases are wanted for: the operation a kernel implements, its limits and its contract.
struct Request {
  std::string operation;  ///< Signature::identity()
  operation::Limits limits{};
  contract::Contract contract{};
  Mix mix{};
};

/// The drawn choices behind a case, before any element exists: small, and what RapidCheck shrinks.
struct Plan {
  std::string strategy;
  operation::Operation operation;
  std::map<std::string, tensor::Layout> layouts;
  std::string in_place{};                    ///< Case::in_place
  operation::Configuration configuration{};  ///< Case::configuration
  operation::Poison poison = operation::Poison::Nan;
  operation::Schedule schedule;
  std::uint64_t element_seed = 0;
  friend bool operator==(const Plan&, const Plan&) = default;
};
/// One line: "exact gemm m=3 n=1 k=17, a 1x3x17 @2 (51, 17, 1), ..., poison nan, elements 0x...": for messages.
[[nodiscard]] std::string to_string(const Plan& plan);

/// One strategy of numerics.md section 7.
struct Strategy {
  std::string_view name;
  std::string_view makes;    ///< what it makes
  std::string_view catches;  ///< what it catches
  double weight;             ///< share of the default mix
};
[[nodiscard]] const std::vector<Strategy>& strategies();

/// An error that names an unknown strategy or what is no weight, or says that all are 0.
[[nodiscard]] base::Status validate(const Weights& weights);
/// An error that names an extent that the operation does not have, a range without values or without one that the
/// limits accept, or a tensor that has too many elements in all of them.
[[nodiscard]] base::Status validate(const ExtentRanges& ranges, const std::string& operation,
                                    const operation::Limits& limits);
/// Whether an operation's extents have such values.
[[nodiscard]] bool fits(const ExtentRanges& ranges, const operation::Operation& operation);
/// Checks the operation's name, the weights, the extents and that some case fits the limits.
[[nodiscard]] base::Status validate(const Request& request);

/// Plan number `index` of the stream `seed`: the same on every platform, whatever was drawn before. Requires a valid
/// request.
[[nodiscard]] Plan draw(const Request& request, std::uint64_t seed, std::uint64_t index);
/// Whether case `index` is made for a shape at which kernels err (wish.hpp), and is one of those that what looks closer
/// at a few cases looks at: the first of its kind in its thousand, or of a kind with two tiles in every direction.
/// Requires a valid request.
[[nodiscard]] bool is_risky(const Request& request, std::uint64_t seed, std::uint64_t index);
/// Expands a plan's elements in bulk. The case is valid (operation::validate) and lies where the plan does: inside the
/// request's limits if the plan came from draw() or smaller_plans(); its elements have the values that those limits
/// say, whatever the plan. Elements that share an address are equal. Layouts
/// that are missing become packed. An unknown strategy counts as the first one.
[[nodiscard]] operation::Case expand(const Request& request, const Plan& plan);
/// draw + expand (+ make_finite), with strategy, seed and index recorded in the case.
[[nodiscard]] operation::Case make_case(const Request& request, std::uint64_t seed, std::uint64_t index);

/// Whether an infinity or a NaN is to go.
using Goes = std::function<bool(const number::Format& format, std::uint64_t word)>;
/// Replaces infinities and NaN, those that `goes` names or else all but infinities that the limits' values hold, by
/// numbers from 1 to 2 of their sign, folded into those values. Elements that were equal stay so.
void make_finite(operation::Case& value, const operation::Limits& limits, const Goes& goes = {});

/// Plans that are simpler than `plan` in one respect and inside the limits, the boldest first: layouts packed, extents
/// towards the smallest that the limits allow, an optional input absent, scalars to 1 and 0, options to their defaults
/// or earlier values, schedule forward, poison NaN, element seed 0. The strategy stays. Empty when nothing is left to
/// simplify; a chain of such steps always ends.
[[nodiscard]] std::vector<Plan> smaller_plans(const Request& request, const Plan& plan);

}  // namespace negzero::generate
