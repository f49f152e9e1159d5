// Judges outputs of a declared operation by those of a reference, within a declared error.

#pragma once

#include <span>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/run/executor.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// The kernel that gives what is right, and what runs it.
struct Referee {
  const kernel::Kernel* kernel = nullptr;
  run::Executor* executor = nullptr;
};

/// What a contract leaves open of subnormal inputs that a case has.
struct OpenInputs {
  bool each = false;  ///< each may be flushed or not, as the kernel pleases: no reference is right
  bool all = false;   ///< all of a format may be, so that a reference in both ways says what is right
};
[[nodiscard]] OpenInputs open_inputs(const operation::Case& value, const contract::Contract& contract);

/// The same inputs for the reference: numbers in F64, which holds every other format, packed in memory of their own. A
/// NaN keeps its sign. Subnormal inputs are zeros where the contract says that they are flushed, and where it leaves
/// open (open_inputs()) whether they are, unless `keeps_open`. Requires a reference whose line kernel::validate_line()
/// accepts.
[[nodiscard]] operation::Case case_for_reference(const operation::Case& value, const contract::Contract& contract,
                                                 const kernel::Kernel& reference, bool keeps_open = false);

/// The verdict on outputs of a kernel under a contract, by its reference and values, and by what the reference gave for
/// case_for_reference(): Pass where each element that counts is within its error, else Fail by rule reference.error or
/// reference.special. An error is an interval around the reference's value r: [r - e S, r + e S] for the relative error
/// e and the scale S, rounded outward to the output's format (r alone is rounded to nearest), and so many ulps more on
/// either side. What flushed subnormal results may be includes zeros. Vacuous where no number can fail: e is 1 or more,
/// so that the error exceeds the scale; ulps are 2^(p-1) or more, so that it exceeds the number; or all elements may be
/// anything. Also where there are numbers and the scale of each is infinite; NaN and infinities decide where there are
/// none. Also vacuous: subnormal inputs each of which a contract flushes or not, as it pleases. Error: a scale that is
/// negative or NaN.
[[nodiscard]] verdict::Verdict judge_by_reference(const operation::Case& value, const contract::Contract& contract,
                                                  const kernel::Kernel& kernel, std::span<const tensor::Tensor> outputs,
                                                  const operation::Case& reference_case,
                                                  std::span<const tensor::Tensor> reference_outputs);

/// Runs the reference and judges by it. Error where the reference does not end well: that is ours, whatever it did.
///
/// Where the contract leaves open whether subnormal inputs are flushed, the reference runs with zeros and with them,
/// and an element fails that fails both. Where the verdict is a Fail, the reference runs twice more, with its
/// arithmetic rounded downward and upward; one in Python computes in a wider format then. An element at which one of
/// these is outside the declared error around the reference's value, or is no number where that is one, fails no
/// kernel: the reference's own roundings move it further than the declaration lets a kernel. Not judged where only such
/// elements failed, and warned of where others did, too, and where the reference ends well only once. Integers, and
/// outputs without any error, are never excused.
[[nodiscard]] verdict::Verdict judge_by_reference(const operation::Case& value, const contract::Contract& contract,
                                                  const kernel::Kernel& kernel, const Referee& referee,
                                                  std::span<const tensor::Tensor> outputs);

}  // namespace negzero::property
