// alpha folded into an operand: what each element may become before it is multiplied.

#pragma once

#include <cstddef>
#include <optional>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/between.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/terms.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// fl(alpha * x) for every element x, rounded as `multiplicand` says afterwards: the result nearest to zero and the one
/// farthest from it. Both roundings are monotone, so what else x may become lies between.
struct Folded {
  Operand near;
  std::optional<Operand> away{};    ///< nothing: no element has a choice, and `near` is the result
  std::optional<Operand> beyond{};  ///< `away` with Inf (NaN without Inf) where an element may overflow, or may not
};

/// Folding is one operation in `arithmetic`: it rounds as declared, and under truncation, which is for additions, to
/// nearest as well, as multiplications outside of a tensor core do. `inputs` says what becomes of subnormal elements;
/// subnormal results are flushed as they are in `arithmetic`. A result that is subnormal is an operand of the next
/// operation, and may be flushed there.
[[nodiscard]] Folded fold(const tensor::Tensor& tensor, const Real& alpha, const Arithmetic& arithmetic,
                          contract::Subnormals inputs, contract::Multiplicand multiplicand);

/// Where the factors of one element's products stand.
struct Factors {
  std::size_t a_begin, b_begin, a_stride, b_stride, count;
};
/// The products of a folded operand with the other one. `into_b`: the folded one is b.
[[nodiscard]] TermIntervals folded_terms(const Folded& folded, const Operand& other, const Factors& factors,
                                         bool into_b);

}  // namespace negzero::oracle
