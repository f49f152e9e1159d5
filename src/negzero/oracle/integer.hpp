// Integer sums and GEMM: exact modulo 2^32, or clamped at every addition.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/answer.hpp>
#include <negzero/oracle/declared.hpp>

namespace negzero::oracle {

/// A sum in I32, which grows.
///
/// Wrapping is exact in any order. Clamping depends on the order: while P and N stay within I32 nothing clamps;
/// otherwise a clamp loses at most what P (or N) exceeds the range by, and in ascending order the chain is followed.
/// Requires |term| <= 2^93 and fewer than 2^32 terms.
class IntegerSum {
 public:
  void add(__int128 term) noexcept;
  /// What clamping makes of the terms in any order: a clamp of a sum, or of a term, loses at most what P, or N, exceeds
  /// the range by.
  [[nodiscard]] Interval in_any_order() const noexcept;
  [[nodiscard]] Answer answer(const Declared& contract, verdict::Rule rule) const;

 private:
  __int128 positive_ = 0, negative_ = 0, chain_ = 0;
};
/// The number itself.
[[nodiscard]] exact::Dyadic exact_value(__int128 value);
/// The answer for all of the terms.
[[nodiscard]] Answer integer_sum(std::span<const std::int64_t> terms, const Declared& contract, verdict::Rule rule);

/// GEMM of integers into I32, scalars in I32. Clamped, each of alpha * sum, beta * c and their sum is clamped too.
/// The case and the contract must outlive it.
[[nodiscard]] std::unique_ptr<Problem> make_integer_gemm(const operation::Case& value, const Declared& contract);

}  // namespace negzero::oracle
