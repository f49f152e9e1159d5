// A judgement as text and as JSON.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::judgement {

/// What was judged, and under what.
struct Subjects {
  const operation::Case& value;
  const contract::Contract& contract;
  std::string assumed{};  ///< Assumed::text where the contract was not given
};

/// Several lines for people, each with its newline: the verdict with how many of how many, what could not be seen, the
/// contract, and the worst elements as a counterexample has them.
[[nodiscard]] std::string text_of(const Judgement& judgement, const Subjects& subjects);

/// What negzero_judge() gives (c/negzero.h), without "version".
[[nodiscard]] nlohmann::ordered_json json_of(const Judgement& judgement, const Subjects& subjects);

}  // namespace negzero::judgement
