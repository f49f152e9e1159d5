// Views of an operation through which code that knows no kind of operation changes it: extents, tensors, scalars,
// formats.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>

namespace negzero::operation {

/// An extent with what a kernel's limits say of it.
struct ExtentView {
  std::string_view name;
  std::int64_t* value;
  const ExtentLimit* limit;
};
/// The extents in the order of extents_of(). Both arguments must outlive the views.
[[nodiscard]] std::vector<ExtentView> extent_views(Operation& operation, const Limits& limits);

/// A tensor with what a kernel's limits say of where it lies.
struct TensorView {
  TensorSpec spec;
  LayoutRule limit;
  bool is_output;
};
/// The inputs in the order of input_specs(), then the outputs.
[[nodiscard]] std::vector<TensorView> tensor_views(const Operation& operation, const Limits& limits);

/// A scalar with what a kernel's limits say of it.
struct ScalarView {
  std::string_view name;
  Scalar* value;
  ScalarLimit limit;         ///< Any of a whole number or a truth value
  const ScalarRange* range;  ///< nullptr: every value
  bool is_addend;            ///< scales what is added to the result, so that 0 is its plain value; else 1 is
  notation::ScalarKind kind = notation::ScalarKind::Number;

  [[nodiscard]] bool is_whole() const { return kind != notation::ScalarKind::Number; }
};
/// The scalars in the signature's order. Both arguments must outlive the views.
[[nodiscard]] std::vector<ScalarView> scalar_views(Operation& operation, const Limits& limits);
}  // namespace negzero::operation
