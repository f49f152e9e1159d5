// What the values of a declared operation are held to: another kernel, and how far from it they may be.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>
#include <negzero/notation/signature.hpp>
#include <negzero/operation/by_name.hpp>

namespace negzero::kernel {

/// How far an output may be from what its reference gives.
struct ErrorBound {
  bool any = false;        ///< its values are not looked at
  std::uint64_t ulps = 0;  ///< steps of the output's format
  /// Times the scale that the reference gives beside the output, in an output called NAME_scale; 0: it gives none.
  double relative = 0;

  friend bool operator==(const ErrorBound&, const ErrorBound&) = default;
};

/// The reference of a kernel.
///
/// It takes the same inputs and scalars by the same names, numbers in F64 as far as they are no integers, and gives the
/// same outputs in F64, integers in the output's own format.
struct Reference {
  std::string kernel{};                    ///< its name; empty: there is none
  operation::ByName<ErrorBound> errors{};  ///< by output; one that is missing has the default
  bool nan = true;  ///< an element is NaN exactly where the reference's is; false: where that is, it may be anything
  bool zero_signs = false;  ///< a zero has the sign of the reference's

  [[nodiscard]] bool exists() const noexcept { return !kernel.empty(); }
  friend bool operator==(const Reference&, const Reference&) = default;
};

/// The scale of an output, as the reference's line calls it.
[[nodiscard]] std::string scale_name(std::string_view output);

/// {"kernel": "softmax.reference", "errors": {"y": {"ulps": 4, "relative": 1e-6}, "at": "any"}, "nan": "same" | "any",
/// "zero_signs": true}, what has its default left out.
[[nodiscard]] nlohmann::ordered_json reference_json(const Reference& reference);
/// Its inverse. Throws std::invalid_argument or nlohmann's exceptions, which say what is wrong.
[[nodiscard]] Reference reference_of(const nlohmann::json& json);

/// What is wrong with a reference of an operation by itself: an operation that ships, outputs that it does not have, an
/// error that is negative or no number.
[[nodiscard]] base::Status validate(const Reference& reference, const notation::Signature& signature);
/// What keeps a line from being that of a reference: inputs, scalars, extents or outputs of other names or shapes, a
/// scale that is missing or that no error is relative to.
[[nodiscard]] base::Status validate_line(const Reference& reference, const notation::Signature& signature,
                                         const notation::Signature& line);

/// The line of a reference of that operation: its own, and the scales that errors are relative to.
[[nodiscard]] std::string line_for(const Reference& reference, const notation::Signature& signature);

/// "within 4 ulp of softmax.reference", "y within 1e-06 of its scale, at any": for people.
[[nodiscard]] std::string describe(const Reference& reference, const notation::Signature& signature);

}  // namespace negzero::kernel
