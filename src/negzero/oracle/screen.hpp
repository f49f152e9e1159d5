// Decides clear elements in hardware arithmetic, before the exact oracle is asked.
//
// Every argument (sum_screen.hpp lists them) is enough for a pass, none for a fail: the observed bits are what one
// evaluation gives that the contract allows, in hardware that rounds as IEEE 754-2019 says (host_arithmetic.hpp); or
// they lie inside an interval that is narrower than rule c's. An element that none settles goes to the exact oracle, so
// verdicts do not depend on the screen.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <negzero/operation/case.hpp>
#include <negzero/oracle/paths.hpp>

namespace negzero::oracle {

/// What is known of one element.
struct Settled {
  bool passes = false;  ///< certainly permitted
  double margin = 0;    ///< the margin from above, where rule c was used; 0 where a witness was enough
};

class Screen {
 public:
  virtual ~Screen() = default;
  /// Whether `word` is certainly permitted for output element `element`.
  [[nodiscard]] virtual Settled settle(std::int64_t element, std::uint64_t word) = 0;
  /// Whether the set of an element that settle() lets pass is certainly not vacuous.
  [[nodiscard]] virtual bool decides(std::int64_t element) = 0;
};

/// The screens of a case's elements, one for each member of `paths` that it could settle something of: sums of
/// floating-point values in an accumulator of F64, F32, F16 or BF16 rounded to nearest, or on tensor cores, without
/// compensation, promotion or intermediate roundings, on a host whose hardware rounds to nearest and keeps subnormals.
/// Where a path flushes, it settles elements in which no subnormal can appear. The case must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<Screen>> screens_of(const operation::Case& value, const Paths& paths);

}  // namespace negzero::oracle
