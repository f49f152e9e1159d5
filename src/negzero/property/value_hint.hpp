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

/// "the square of x = 3.8e+22 overflows F32; if |x| never exceeds 1e18 (or less), declare it: values x -1e18..1e18", of
/// a special value that is wrong, or a value that is not the reference's, of a case with such inputs. Without such
/// inputs "the exponential of x = 512 overflows F32; ...", of an infinity or a NaN that is not the reference's. Nothing
/// for any other case. A range that the limits have is narrowed to that: values x 0..1e18.
[[nodiscard]] std::optional<std::string> value_hint(const operation::Case& value, const verdict::Failure& failure,
                                                    const operation::Limits& limits, DeclaredBy by);

}  // namespace negzero::property
