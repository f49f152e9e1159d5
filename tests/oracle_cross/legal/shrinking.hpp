// A refused result with as little around it as possible.

#pragma once

#include <string>

#include "known.hpp"

namespace negzero::oracle_legal {

/// A question and contract of which an evaluation in class `known` (of no class: nullptr) is refused.
struct Example {
  Question question;
  contract::Contract contract;
  Legal legal{};
  const KnownClass* known = nullptr;
};
/// The same with fewer terms and fields and plainer scalars, as long as some evaluation in that class is refused; in
/// one line, with what is permitted.
[[nodiscard]] std::string shrunk(Example example);

}  // namespace negzero::oracle_legal
