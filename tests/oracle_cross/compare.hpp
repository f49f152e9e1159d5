// What the oracle permits against what is reachable and against what is stated.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <negzero/oracle/oracle.hpp>

#include "scenario.hpp"

namespace negzero::oracle_cross {

/// How many operand sets each rule decided, and how many of them were held to equality.
struct Tally {
  struct Row {
    std::uint64_t sets = 0;
    std::uint64_t exactly_the_hull = 0;
    std::uint64_t within_the_stated = 0;
  };
  std::map<std::string, Row> rows{};

  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::string to_string() const;
};

/// Judges one permitted set; a disagreement comes back as text.
///
/// Always: every reachable result is permitted. Rules sum.exact and sum.hull, and an ascending chain: the finite ends
/// are the least and the greatest reachable number and the special results are exactly the reachable ones. Elsewhere
/// the finite ends lie within the stated set.
[[nodiscard]] std::optional<std::string> compare(const Scenario& scenario, const OperandSet& set,
                                                 const oracle::Permitted& permitted, Tally& tally);

/// Makes the case, asks the oracle for every element and compares; stops at the first disagreement.
[[nodiscard]] std::optional<std::string> compare_all(const Scenario& scenario, std::span<const OperandSet> sets,
                                                     Tally& tally);

}  // namespace negzero::oracle_cross
