// Decides clear elements in hardware arithmetic, before the exact oracle is asked.
//
// Two arguments, each enough for a pass, neither for a fail:
//   witness  the observed bits are what one evaluation gives that the contract allows (the chain in ascending k from
//   +0,
//            then alpha and C), run in F32 hardware, which rounds as IEEE 754-2019 says;
//   bound    order any, many terms: the observed value lies inside an interval that is narrower than rule c's.
// An element that neither settles goes to the exact oracle, so verdicts do not depend on the screen.

#pragma once

#include <cstdint>
#include <memory>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::oracle {

class Screen {
 public:
  virtual ~Screen() = default;
  /// Whether `word` is certainly permitted for output element `element`, which then is certainly not vacuous.
  [[nodiscard]] virtual bool passes(std::int64_t element, std::uint64_t word) const noexcept = 0;
};

/// The screen of a case, or nullptr where it could settle nothing: it knows sums of F32, F16, BF16 and F8 values in an
/// F32 accumulator rounded to nearest, without flushing, compensation, promotion or intermediate roundings.
[[nodiscard]] std::unique_ptr<Screen> make_screen(const operation::Case& value, const contract::Contract& contract);

}  // namespace negzero::oracle
