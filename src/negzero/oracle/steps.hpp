// What becomes of a finished sum on its way to memory, one operation after the other.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

enum class StepKind : std::uint8_t {
  Round,            ///< a declared rounding to a format, by a conversion
  Hold,             ///< a store of a wider sum to the declared accumulator
  Divide,           ///< by `count`
  TimesReciprocal,  ///< times fl(1 / count)
};

/// One operation, in `arithmetic`, whose format is that of its result.
struct Step {
  StepKind kind;
  Arithmetic arithmetic;
  number::FormatId from{};                                    ///< Round: the format of what it takes
  number::Rounding rounding = number::Rounding::NearestEven;  ///< Round
  std::int64_t count = 1;                                     ///< Divide, TimesReciprocal
  bool may_overflow = true;                                   ///< Hold
  friend bool operator==(const Step&, const Step&) = default;
};
/// "/ 3 in F32", "to F16 toward_zero".
[[nodiscard]] std::string to_string(const Step& step);

/// What a sum may be after these operations.
[[nodiscard]] Set finish(std::span<const Step> steps, const Set& sum);

/// The roundings that a contract declares between the accumulator and the output, `intermediate`.
[[nodiscard]] std::vector<Step> intermediate_steps(const contract::Contract& contract);

}  // namespace negzero::oracle
