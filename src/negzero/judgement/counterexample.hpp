// A case and a failure as text that a person can read.

#pragma once

#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::judgement {

/// "gemm  batch 1, m 2, n 1, k 3  (F32, F32 -> F32)  alpha 1, beta 0": an operation on one line.
[[nodiscard]] std::string describe(const operation::Operation& operation);

/// The whole case over several lines, each starting with `indent`: operation, tensors with values in decimal and
/// hexadecimal bits (of long ones the first and the last), layouts that are not packed, options that are not
/// the default, poison, schedule, where it came
/// from. Behind operands stands what their values do not show: that the contract does not let them be read, and what a
/// kernel sees there, in the output and in padding. nullptr: the contract is not known, so nothing is said of reading.
[[nodiscard]] std::string describe(const operation::Case& value, const contract::Contract* contract,
                                   const std::string& indent);

/// The lines of a counterexample that are about one element: what was observed, what is permitted, and by which rule.
[[nodiscard]] std::string describe(const verdict::Failure& failure);

/// What gave a failing result.
struct Subject {
  std::string name{};                ///< of the kernel
  std::string about{};               ///< its own words; may be empty
  std::vector<std::string> hints{};  ///< that follow from what it declares
  std::string held{};                ///< what is declared of it, in the place of a contract; may be empty
};

/// The counterexample: kernel, claim, shrunk case in full, what was observed, what is permitted and by which rule, and
/// one line to paste that replays it. `replay` is that line; nothing is printed for it when empty. nullptr: the
/// contract is not known.
[[nodiscard]] std::string counterexample(const Subject& subject, const operation::Case& value,
                                         const contract::Contract* contract, const verdict::Failure& failure,
                                         const std::string& replay);

}  // namespace negzero::judgement
