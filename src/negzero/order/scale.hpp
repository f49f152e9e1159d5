// The large number M and the one that a search places, in the formats of a sum.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <negzero/base/result.hpp>
#include <negzero/number/format.hpp>

namespace negzero::order {

/// M = 2^large, and what counts as one: 2^one; of terms, which are products where the sum has those.
struct Scale {
  int large = 0, one = 0;
  friend bool operator==(const Scale&, const Scale&) = default;
};

/// Where the terms of a sum go, as far as it is known.
struct Formats {
  number::FormatId terms = number::FormatId::F32;        ///< of the inputs that hold M and the ones
  number::FormatId factors = number::FormatId::F32;      ///< of what they are multiplied by, where they are
  number::FormatId accumulator = number::FormatId::F32;  ///< of the sum; wider ones are thought of, too
  number::FormatId output = number::FormatId::F32;
  std::vector<number::FormatId> stored{};  ///< formats that a part of the sum may go through
  bool has_products = false;
};

/// Scales to try for a sum of so many terms: M + terms * one is M in F64, or else in the accumulator;
/// others keep M finite in the formats that the sum goes through. Those come first that need not both factors. Usage
/// errors: integers, whose sums are exact in every order; formats too narrow for such an M.
[[nodiscard]] base::Result<std::vector<Scale>> scales_of(const Formats& formats, std::int64_t terms);

/// How a scale is made of the two factors of products: 2^a * 2^b. With `both` M and the ones need both of them: the
/// second factor is large where M lies, and small elsewhere.
struct Factors {
  int large_a = 0, large_b = 0, one_a = 0, one_b = 0;
  bool both = false;
};
[[nodiscard]] Factors factors_of(const Formats& formats, const Scale& scale);

/// As many ones as the accumulator, the output and all that lies between count exactly.
[[nodiscard]] std::int64_t most_ones(const Formats& formats);

}  // namespace negzero::order
