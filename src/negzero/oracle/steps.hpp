// What becomes of a finished sum on its way to memory, one operation after the other.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

// Each is one operation in `arithmetic`, whose format is that of its result.

/// A declared rounding, by a conversion from a format.
struct Round {
  Arithmetic arithmetic;
  number::FormatId from;
  number::Rounding rounding = number::Rounding::NearestEven;
  contract::OverflowPolicy overflow = contract::OverflowPolicy::Ieee;
  friend bool operator==(const Round&, const Round&) = default;
};
/// The way back into the accumulator from a rounding of the sum.
struct Load {
  Arithmetic arithmetic;
  friend bool operator==(const Load&, const Load&) = default;
};
/// A store of a wider result to the declared accumulator.
struct Hold {
  Arithmetic arithmetic;
  bool may_overflow = true;
  friend bool operator==(const Hold&, const Hold&) = default;
};
/// Times alpha.
struct Scale {
  Arithmetic arithmetic;
  Real alpha;
  friend bool operator==(const Scale&, const Scale&) = default;
};
/// Plus beta * C, fused or not, behind alpha where it acts here. The fused operation may then be the one that
/// multiplies by alpha, although that is 1: kernels do not look.
struct AddC {
  Arithmetic arithmetic;
  contract::Contraction contraction;
  std::optional<Real> alpha;
  Real beta;
  bool ends_chain = false;  ///< C is the last term of a chain: as memory has it, or as it is loaded
  friend bool operator==(const AddC&, const AddC&) = default;
};
/// beta * C alone, where nothing is summed.
struct TakeC {
  Arithmetic arithmetic;
  Real beta;
  friend bool operator==(const TakeC&, const TakeC&) = default;
};
/// C as memory has it.
struct CopyC {
  friend bool operator==(const CopyC&, const CopyC&) = default;
};
struct Divide {
  Arithmetic arithmetic;
  std::int64_t count = 1;
  friend bool operator==(const Divide&, const Divide&) = default;
};
/// Times fl(1 / count).
struct TimesReciprocal {
  Arithmetic arithmetic;
  std::int64_t count = 1;
  friend bool operator==(const TimesReciprocal&, const TimesReciprocal&) = default;
};

using Step = std::variant<Round, Load, Hold, Scale, AddC, TakeC, CopyC, Divide, TimesReciprocal>;
/// The way of a sum to memory.
using Ending = std::vector<Step>;
/// "/ 3 in F32", "to F16 toward_zero".
[[nodiscard]] std::string to_string(const Step& step);
/// The same for each, with ", then " between them; "as it is" for none.
[[nodiscard]] std::string to_string(const Ending& ending);

/// C's element: as memory has it, and as arithmetic reads it (read_c()).
struct Addend {
  Real stored, read;
};

/// What a sum may be after these operations.
[[nodiscard]] Set finish(std::span<const Step> steps, const Set& sum, const Addend& c = {});

}  // namespace negzero::oracle
