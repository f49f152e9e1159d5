// Where alpha may act: folded into an operand, or on partial sums anywhere between the products and the result.

#pragma once

#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/terms.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// The operand fl(alpha * x) for every element, rounded to nearest in `format` (or `away` from zero, which overflows if
/// any rounding does), then as multiplicands are. An element that overflows becomes Inf (NaN without Inf) and a product
/// with it is special.
[[nodiscard]] Operand fold(const tensor::Tensor& tensor, const Real& alpha, number::FormatId format,
                           const contract::Contract& contract, bool away);

/// Whether multiplying any partial sum of such terms by `alpha` is exact: a power of two, and nothing near either end
/// of the exponents. Then it does not matter where alpha acts. Requires alpha not zero.
[[nodiscard]] bool scales_exactly(const Arithmetic& arithmetic, const Facts& facts, const exact::Dyadic& alpha);

/// The range of alpha * sum + c where each partial sum, down to a single product, may be scaled at any one point on its
/// way to the root, and c, if any, enters above. `sum` is the unscaled sum's result and `c` the exact beta * c.
///
/// With r slices of m_j terms the unscaled sums err by at most (m - r + 1) u S together ((m - r) u S where no product
/// rounds), the scalings by u |alpha| (S + that) + r eta/2, the outer sum by (r - 1 + [c]) u of all of it: no more than
/// (k + 1 + [c]) u (1 + (m + 2) u)^2 (|alpha| S + |beta c|) with k = m or m - 1; twice u under truncation, and
/// ((1 + 2u)^(k + 1 + [c]) - 1) under faithful rounding. Where alpha is folded before multiplicands are rounded, alpha
/// times the rounded operand and the rounded product with alpha differ by less than four units of `multiplicand`.
/// Saturation loses what S and |alpha| S exceed the largest number by. Requires finite terms, alpha finite and not
/// zero.
/// Where sums are promoted, `arithmetic` is the accumulator's, which rounds the most, and `held` that of the format
/// that the blocks are added in; elsewhere they are the same.
[[nodiscard]] Range scaled_anywhere(const Arithmetic& arithmetic, const Arithmetic& held, const SumResult& sum,
                                    const Leaves& leaves, const exact::Dyadic& alpha, const exact::Dyadic* c,
                                    contract::Multiplicand multiplicand);

}  // namespace negzero::oracle
