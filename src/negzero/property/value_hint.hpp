// What a finding says of inputs that are so large that most kernels overflow on them.

#pragma once

#include <optional>
#include <string>

#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::property {

/// How a kernel declares its values.
enum class DeclaredBy : unsigned char {
  Line,          ///< values x -1e18..1e18
  Registration,  ///< .values = {{"x", {-1e18, 1e18}}}
  Python,        ///< values={"x": (-1e18, 1e18)}
};
[[nodiscard]] DeclaredBy declared_by(const kernel::Kernel& kernel);

/// "the square of x = 3.8e+22 overflows F32; if |x| never exceeds 1e18 (or less), declare it: values x -1e18..1e18",
/// for a wrong value of a case with such inputs; nothing for any other. What is proposed is the power of ten whose
/// square leaves a tenth to a thousandth of the format's range for sums.
[[nodiscard]] std::optional<std::string> value_hint(const operation::Case& value, const verdict::Failure& failure,
                                                    DeclaredBy by);

}  // namespace negzero::property
