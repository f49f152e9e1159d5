// alpha on partial sums: one bound that composes every rounding, underflow and saturation on the way.

#pragma once

#include <negzero/exact/dyadic.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// Whether multiplying any partial sum of such terms by `alpha` is exact: a power of two, and nothing near either end
/// of the exponents. Then it does not matter where alpha acts. Requires alpha not zero.
[[nodiscard]] bool scales_exactly(const Arithmetic& arithmetic, const Facts& facts, const exact::Dyadic& alpha);

/// A sum whose parts are scaled before they meet.
struct ScaledSum {
  const Arithmetic& arithmetic;        ///< of the accumulator, which rounds the most
  const Arithmetic& held;              ///< that the result is held in: another one where sums are promoted
  std::span<const Arithmetic> widths;  ///< of the operations: each errs by a rounding of each at most
  const Facts& facts;                  ///< of the unscaled terms
  bool inexact = false;                ///< some product is not a number of the accumulator
  std::size_t terms = 0;               ///< zeros included
  std::uint64_t additions = 0;         ///< the most that a term meets, that of c apart
  bool compensated = false;
  bool real_ends = false;            ///< see Ends
  exact::Dyadic alpha{};             ///< not zero
  const exact::Dyadic* c = nullptr;  ///< the exact beta * c, where C is read
};

/// The set of alpha * sum + c where each partial sum, down to a single product, may be scaled at any one point on its
/// way to the root, and c enters above.
///
/// By induction over the tree: an operation gives x (1 + d) + e, |d| <= delta (u to nearest, 2u otherwise: Higham,
/// Accuracy and Stability of Numerical Algorithms, 2nd ed., (2.4) and 2.2), |e| at most eta where a product or a
/// scaling underflows, or the smallest normal number where something is flushed. A term meets at most D of them: its
/// product, m - 1 additions or as many as are declared, its scaling, the addition of c, and one more where the
/// compensation of a step may be wrong. So with G = (1 + delta)^D - 1 the result is within G (|alpha| S + |beta c|) +
/// (1 + G) (the sum of all e, those before the scaling times |alpha|). A flushed value is a value that is lost once: m
/// products and m - 1 sums before and after. A partial sum that saturates loses what (1 + G) P, or N, exceeds the
/// largest number by, before and after scaling; overflow is judged on the same magnitudes.
[[nodiscard]] Set scaled_anywhere(const ScaledSum& sum);

}  // namespace negzero::oracle
