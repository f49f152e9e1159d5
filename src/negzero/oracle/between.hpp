// Sums whose terms are known only to lie in intervals: folded operands with a choice of roundings, blocks of promoted
// sums.
//
// Every operation of a sum is monotone in each operand, whatever the rounding, flushing and saturation (IEEE 754-2019
// section 4), so each tree's result is monotone in each leaf. Over all choices of the terms a tree gives at least what
// it gives for their lower ends and at most what it gives for the upper ones: rules a to d for the two lists of ends
// bound every combination of features, at no width of their own.

#pragma once

#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/sum.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// Terms with a choice: the list of lower ends, that of upper ends, and what some term may be besides these numbers.
struct TermIntervals {
  Terms low, high;
  bool no_number = false;  ///< some term is never finite: nor is the sum
  bool same = true;        ///< no term has a choice: `high` is not looked at
  bool plus_infinity = false, minus_infinity = false, nan = false;
};

/// The sum over every choice of the terms. An infinity that a term may be gives that infinity; infinities that may be
/// of both signs, from terms or from overflow, give NaN too. The rule is the one that says less.
///
/// Compensated sums are no monotone trees, but lie within rule c's bound for the sum chosen, whose P and N are at most
/// the larger of the two lists'.
[[nodiscard]] SumResult evaluate_between(const Sum& sum, const TermIntervals& terms, std::string_view exact_method);

/// A sum in Blocks of any order: each block's set is a term of the outer sum. C belongs to no block.
/// Looks at every block: an element of a scan takes the time of a sum of its own.
/// Requires finite terms.
[[nodiscard]] SumResult evaluate_blocks(const Sum& sum, const Element& element);

}  // namespace negzero::oracle
