// Two kernels on one case: the same bits, bits that both contracts permit, or which of the two is wrong.

#pragma once

#include <string_view>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// What `rule` of a difference says. The class of the failure is the one of the side that is wrong, and
/// not_deterministic where neither is.
inline constexpr verdict::Rule kBothPermitted("compare.both_permitted");
inline constexpr verdict::Rule kNotJudged("compare.not_judged");
inline constexpr verdict::Rule kFirstWrong("compare.first_wrong");
inline constexpr verdict::Rule kSecondWrong("compare.second_wrong");
inline constexpr verdict::Rule kBothWrong("compare.both_wrong");
/// Verdict::reason of a case that compares nothing.
inline constexpr std::string_view kNoResults = "no output has an element, so that nothing was compared";

/// A kernel and where it runs.
struct Side {
  const kernel::Kernel* kernel = nullptr;
  run::Executor* executor = nullptr;
};

/// "gemm.tiled.f32@cuda".
[[nodiscard]] std::string to_string(const kernel::Kernel& kernel);

/// Runs the case on both sides, in this process. Pass: both outputs have the same bits, a NaN being like every other;
/// whether they are right is not asked. Fail: they differ, or a side has no output to compare; each side is then judged
/// by its own kernel's contract, or by the case's where it has one, and `rule` says what came out. Refused: the case
/// lies outside the limits of one side. Error: ours. Vacuous, for
/// kNoResults: no output has an element. Requires kernels of one operation and output format.
[[nodiscard]] verdict::Verdict compare(const operation::Case& value, const Side& first, const Side& second,
                                       const oracle::Options& options = {});

}  // namespace negzero::property
