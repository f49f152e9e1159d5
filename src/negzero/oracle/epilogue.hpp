// The end of a GEMM: alpha * sum + beta * c, in every arithmetic and contraction that the contract allows.

#pragma once

#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>

namespace negzero::oracle {

/// alpha and beta as the contract reads them, and what they do to a finished sum. The contract must outlive it.
class Epilogue {
 public:
  Epilogue(const operation::Gemm& gemm, const contract::Contract& contract);

  [[nodiscard]] const Real& alpha() const noexcept { return alpha_; }
  [[nodiscard]] const Real& beta() const noexcept { return beta_; }
  [[nodiscard]] bool reads_c() const noexcept { return reads_c_; }
  /// Whether alpha is neither 1 nor -1: its place matters for more than signs of zero.
  [[nodiscard]] bool scales() const noexcept { return scales_; }

  /// The arithmetics that alpha and beta may act in after a sum in `sum`. With a declared scalar format, the wider of
  /// it and the accumulator's; otherwise the accumulator's, or also the scalars' own where the contract allows wider
  /// ones.
  [[nodiscard]] std::vector<Arithmetic> arithmetics(const Arithmetic& sum) const;

  /// C as it is read: zero where it is a subnormal that is always flushed, as `flushing` says, and of the class
  /// Subnormal only where it may be.
  [[nodiscard]] static Real read(const number::Format& format, std::uint64_t word, contract::Subnormals flushing);
  /// Whether `c` may be flushed, or may not.
  [[nodiscard]] static bool optional(const Real& c) { return c.kind == number::Class::Subnormal; }
  /// Whether `c` is the same number once it is loaded into `arithmetic` and an operand there.
  [[nodiscard]] bool loads_exactly(const Arithmetic& arithmetic, const Real& c) const;
  /// C as it is loaded into `arithmetic`.
  [[nodiscard]] Set loaded(const Arithmetic& arithmetic, const Real& c) const;

  /// What else a leaf may be made of than C as it stands in memory: C as it is loaded into `arithmetic` and an operand
  /// there, where beta multiplies that and it is another number. Several values stand for all between them.
  [[nodiscard]] std::vector<Real> loaded_leaves(const Arithmetic& arithmetic, const Real& c) const;

  /// fl(beta * c), or C itself where beta is one.
  [[nodiscard]] Set addend(const Arithmetic& arithmetic, const Real& c) const;

  /// alpha * sum + beta * c, contracted as the contract allows. `alpha`: whether it acts here. The fused operation may
  /// then be the one that multiplies by it, although alpha is 1: kernels do not look.
  [[nodiscard]] Set finish(const Arithmetic& arithmetic, const Set& sum, bool alpha, const Real& c) const;

  /// The same where C is the last term of a chain: a leaf, of C as it stands in memory or as it is loaded.
  [[nodiscard]] Set finish_chain(const Arithmetic& arithmetic, const Set& sum, bool alpha, const Real& c) const;

 private:
  [[nodiscard]] Set scaled(const Arithmetic& arithmetic, const Set& sum, bool alpha) const;
  /// alpha * sum + added: an addition to `alpha_sum`, which is alpha * sum, or an fma with alpha; or `with_product`,
  /// the fma with beta.
  [[nodiscard]] Set contracted(const Arithmetic& arithmetic, const Set& sum, const Set& alpha_sum, bool alpha,
                               const Set& added, const Set& with_product) const;

  const contract::Contract& contract_;
  Real alpha_, beta_;
  number::FormatId scalar_format_;
  bool reads_c_, scales_;
};

}  // namespace negzero::oracle
