// Decimal values as codes, and small scenarios written out by hand.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <negzero/oracle/oracle.hpp>

#include "compare.hpp"
#include "scenario.hpp"

namespace negzero::oracle_cross {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNanValue = std::numeric_limits<double>::quiet_NaN();

/// The code of a value that the format holds (it is rounded to nearest where it does not).
[[nodiscard]] inline Code code_of(number::FormatId id, double x) {
  const auto word = std::bit_cast<std::uint64_t>(x);
  const Number number = small_format(number::FormatId::F64).decode(to_code(number::FormatId::F64, word));
  return Rounder{small_format(id)}.round(number);
}

[[nodiscard]] inline Codes codes_of(number::FormatId id, std::initializer_list<double> values) {
  Codes codes;
  for (const double x : values) codes.push_back(code_of(id, x));
  return codes;
}

[[nodiscard]] inline operation::Scalar scalar_of(double x, number::FormatId id = number::FormatId::F32) {
  return {id, to_word(id, code_of(id, x))};
}

/// All formats the same, the accumulator exactly as declared, IEEE signs of zero.
[[nodiscard]] inline Scenario plain_scenario(number::FormatId id, Scenario::Shape shape) {
  Scenario scenario;
  scenario.shape = shape;
  scenario.a = scenario.b = scenario.d = scenario.contract.accumulate = id;
  scenario.contract.wider = false;
  scenario.contract.zero_sign = contract::ZeroSign::Ieee;
  return scenario;
}
[[nodiscard]] inline Scenario plain_sum(number::FormatId id) { return plain_scenario(id, Scenario::Shape::Reduce); }
[[nodiscard]] inline Scenario plain_gemm(number::FormatId id) { return plain_scenario(id, Scenario::Shape::Gemm); }

/// The oracle's set for one operand set; a test failure where the oracle refuses.
[[nodiscard]] inline oracle::Permitted permitted_set(const Scenario& scenario, const OperandSet& set) {
  const operation::Case value = make_case(scenario, std::span(&set, 1));
  const auto oracle = oracle::Oracle::make(value, scenario.contract);
  if (!oracle) {
    ADD_FAILURE() << oracle.error().message;
    return {};
  }
  return oracle->permitted(0);
}

[[nodiscard]] inline bool permits(const oracle::Permitted& permitted, double x) {
  return permitted.contains(to_word(permitted.format, code_of(permitted.format, x)));
}

[[nodiscard]] inline bool reaches(const Scenario& scenario, const OperandSet& set, double x) {
  const Codes codes = reach(scenario, set);
  return std::find(codes.begin(), codes.end(), code_of(scenario.d, x)) != codes.end();
}

/// Both sides agree that `x` is possible.
inline void expect_legal(const Scenario& scenario, const OperandSet& set, double x) {
  EXPECT_TRUE(reaches(scenario, set, x)) << x << " is not reachable: " << describe(scenario, set);
  const oracle::Permitted permitted = permitted_set(scenario, set);
  EXPECT_TRUE(permits(permitted, x)) << x << " is not in " << permitted.to_string() << " by " << permitted.rule << ": "
                                     << describe(scenario, set);
}

/// Both sides agree that `x` is impossible.
inline void expect_illegal(const Scenario& scenario, const OperandSet& set, double x) {
  EXPECT_FALSE(reaches(scenario, set, x)) << x << " is reachable: " << describe(scenario, set);
  const oracle::Permitted permitted = permitted_set(scenario, set);
  EXPECT_FALSE(permits(permitted, x)) << x << " is in " << permitted.to_string() << " by " << permitted.rule << ": "
                                      << describe(scenario, set);
}

/// The comparison of sums_test on one operand set.
inline void expect_agreement(const Scenario& scenario, const OperandSet& set) {
  Tally tally;
  const auto disagreement = compare_all(scenario, std::span(&set, 1), tally);
  EXPECT_FALSE(disagreement) << *disagreement;
}

}  // namespace negzero::oracle_cross
