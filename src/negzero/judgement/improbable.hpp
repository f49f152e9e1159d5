// Errors of long sums that random rounding errors do not explain: a reason for a warning, never for a failure.
//
// The permitted set of a long sum is as wide as the worst rounding errors are. Rounding errors whose conditional mean
// is 0 add up like a random walk (Higham & Mary, SIAM J. Sci. Comput. 41, 2019; Connolly, Higham & Mary, SIAM J. Sci.
// Comput. 43, 2021). With e the error of an element, the model bounds E e^2 by
//
//     V = u^2/3 (Q + products) + (r u' S)^2 + the rounding of each format behind the sum.
//
// * A rounding to nearest has variance ulp^2/12 at most u^2 x^2/3, x being what is rounded.
// * Q bounds the sum of squares of the magnitudes below each addition, for every tree: the j-th addition from the
//   smallest has j + 1 terms at most, so none exceeds the chain from the largest term on. With a declared depth of h
//   additions Q is h S^2 at most: the additions as far from the root as each other share the terms.
// * Products, loads into a narrower accumulator and a folded alpha round each term: the sum of its squares.
// * The r roundings behind the sum (alpha, C, a mean's division; u' is that of the coarsest format on the way) count as
//   if all were the worst: what all elements share, as fl(1/n), is no random error.
//
// e^2 / V of one element is 36 at six standard deviations. Azuma's inequality gives E exp(t e^2/V) <= (1 - 6 t)^(-1/2),
// and by convexity the same for the mean over elements of a case, however they depend on each other. So a case of a
// right kernel exceeds 36 with probability 0.015 at most.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/tensor/tensor.hpp>
#include <negzero/verdict/verdict.hpp>

namespace negzero::judgement {

/// Elements of a case that are looked at, and terms of them together: of longer sums fewer are looked at, but four.
inline constexpr std::int64_t kMostRandomElements = 64, kMostRandomTerms = std::int64_t{1} << 16;
/// Of fewer terms the worst errors are about as large as six standard deviations.
inline constexpr std::int64_t kFewestRandomTerms = 64;

/// The mean of e^2 / V over some elements of the first output, evenly spread. The terms must have been drawn
/// independently of each other; the result of a case that fails means nothing.
///
/// Nothing where rounding errors are not like random ones, or are not all known:
/// * contracts of another rounding than to nearest, of another order than any, of a model, tensor cores, stored slices,
///   converted factors or scalars; integers;
/// * sums of fewer than kFewestRandomTerms terms, and those of which more than half have the magnitude of another;
/// * stagnation: with n = S over the median term, n u > 2^-4, or n^3 u^2 > 1. Terms below half an ulp of the sum are
///   lost one like another, and what rounding to nearest favours adds up to about n^(3/2) u standard deviations.
///   Measured on F32 chains of products of uniform numbers, means of 60 sums: e^2 / V is 0.3 up to n^3 u^2 = 2, 0.9 at
///   155 and 31 at 10^4, where n u is still 2^-3.6;
/// * results and sums that may overflow, subnormal results, and sums whose terms may underflow by more than sqrt(V) in
///   all; what they may underflow by joins V.
[[nodiscard]] std::optional<verdict::RandomErrors> random_errors(const operation::Case& value,
                                                                 const contract::Contract& contract,
                                                                 const tensor::Tensor& observed);

}  // namespace negzero::judgement
