// One element of a float GEMM along one route: every place where alpha and C may act.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <negzero/oracle/gemm_context.hpp>
#include <negzero/oracle/scaling.hpp>
#include <negzero/oracle/sum_bound.hpp>

namespace negzero::oracle {

/// Its arguments must outlive it. `terms` are those of `element` without C; `c` is C's element, read where beta is;
/// `index` is that of the route. What is reached joins `answer`; facts come from the first route alone.
class GemmWalk {
 public:
  GemmWalk(const GemmContext& gemm, const Terms& terms, const Real& c, std::int64_t element, std::size_t index,
           Answer& answer);
  /// Adds everything this route reaches. True: nothing rounds, so no wider accumulator differs.
  [[nodiscard]] bool settles();
  /// Adds what this route reaches with C as a leaf, and nothing else: for a C that is not as it stands in memory.
  void join_leaf();

 private:
  [[nodiscard]] bool reads_c() const { return gemm_.epilogue.reads_c(); }
  [[nodiscard]] bool infinite_terms() const;
  [[nodiscard]] bool finite_c() const { return c_.is_finite() && gemm_.epilogue.beta().is_finite(); }
  /// The sum after the roundings that stand between it and C: back in the accumulator, which the epilogue works in;
  /// or as it left the last of them, where nothing takes part any more.
  [[nodiscard]] Set rounded(const Set& sum) const { return rounded(sum, held_); }
  [[nodiscard]] Set rounded(const Set& sum, const Arithmetic& held) const;
  /// A sum in a wider accumulator, stored to the declared one after those roundings, or before them.
  [[nodiscard]] Set narrowed(const Set& sum) const;
  /// The epilogue of kernels that sum in a wider accumulator and finish in the declared one: (float)sum, then alpha and
  /// beta * c in F32. It need not lie between what either accumulator gives alone.
  void narrow_last(const Set& sum, bool alpha, verdict::Rule rule);
  /// A sum that C is part of, or that nothing is added to.
  void offer_sum(const Set& sum, verdict::Rule rule);
  void offer(const Set& set, verdict::Rule sum_rule);
  /// The facts behind the first set: of alpha * sum + addend.
  void note(const SumResult& sum, const Set& set, const exact::Dyadic& alpha, const exact::Dyadic& addend);
  [[nodiscard]] exact::Dyadic addend() const {
    return reads_c() ? c_.value * gemm_.epilogue.beta().value : exact::Dyadic();
  }
  /// The sum of the products alone.
  [[nodiscard]] SumResult sum_alone(const Terms& terms) const;
  [[nodiscard]] SumResult with_leaf(TermIntervals intervals) const;
  /// Whether alpha = -1 may be folded into an operand and may then give something else than in the epilogue: in signs
  /// of zero, in what the scaling flushes or cannot hold, in roundings of the sum that are directed.
  [[nodiscard]] bool folds_sign() const;
  /// The sum with every term turned around.
  [[nodiscard]] SumResult turned_sum() const;
  /// The sum alone, then alpha and C in the epilogue. True where nothing rounds.
  bool scale_last();
  /// C as the last term of a chain whose other terms give `sum`.
  void end_chain(const SumResult& sum, bool alpha);
  /// alpha = +-1.
  [[nodiscard]] bool unscaled();
  /// alpha folded into a or into b.
  void scale_operands();
  /// Slices scaled before they meet, and C among them or after what stands between the sum and the epilogue.
  void scale_partial_sums();
  /// beta * C, where it comes after what stands behind the sum; alpha is in `sum` already.
  void add_c(const Set& sum, verdict::Rule rule);

  const GemmContext& gemm_;
  Places places_;
  const contract::Contract& contract_;
  const Real& alpha_;
  const Real& c_;
  std::int64_t element_;
  std::size_t index_;
  const Route& route_;
  Arithmetic arithmetic_, held_, declared_;
  bool wide_;                  ///< held in a wider format than declared
  bool last_narrows_ = false;  ///< the epilogue's format lacks numbers of the sum's: F16 scalars on a BF16 sum
  std::vector<Arithmetic> lasts_;
  bool stores_;  ///< a result may be stored to the declared format before what follows
  Answer& answer_;
  bool first_;
  bool only_folded_ = false, turned_ = false, one_arithmetic_ = false, leaf_covers_ = false, epilogue_covers_ = false;
  const Terms* terms_;
  Terms turned_terms_;
  std::optional<SumResult> plain_;
};

}  // namespace negzero::oracle
