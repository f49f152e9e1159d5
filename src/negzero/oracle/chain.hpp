// One chain in ascending k, followed exactly.

#pragma once

#include <cstdint>
#include <optional>

#include <negzero/contract/contract.hpp>
#include <negzero/oracle/arithmetic.hpp>
#include <negzero/oracle/one_number.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/oracle/set.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::oracle {

/// What a chain over the terms may begin with. At least one is set, or nothing is permitted.
struct ChainStarts {
  bool plus_zero = true;
  bool first_term = true;
};

/// A chain acc = fl(acc + term), terms in order: every value that it can end with behind the terms it has met, one
/// value where contraction and start are known, otherwise what the choices of each step give: their results while few
/// terms are not zero, then the hull, with infinities and NaN as they arise.
///
/// With `start` the chain begins at that value instead. With `promote` the accumulator is emptied into one of the wider
/// format every so many terms (a block starts as ChainStarts says) and at the end. Terms may be infinite;
/// a NaN among them is the caller's.
class Chain {
 public:
  Chain(const Arithmetic& arithmetic, contract::Contraction contraction, ChainStarts starts,
        const std::optional<Set>& start, const std::optional<contract::Promote>& promote);

  /// The first block of `promote` begins at this value. Requires that no term was added.
  void begin_block(const Set& first) {
    state_ = first;
    one_.reset();
  }
  void add(const Terms& terms, std::size_t i);
  [[nodiscard]] Set value() const;

 private:
  [[nodiscard]] Set step(const Set& state, const Terms& terms, std::size_t i) const;
  /// The first step of a chain, or of a block.
  [[nodiscard]] Set begun(const Terms& terms, std::size_t i) const;
  /// step() of a state that is one number; nothing where a term or a result needs a set.
  [[nodiscard]] std::optional<OneNumber> plain_step(const OneNumber& state, const Terms& terms, std::size_t i) const;
  /// begun() where that is one number; nothing where it is not, and of a loaded value.
  [[nodiscard]] std::optional<OneNumber> plainly_begun(const Terms& terms, std::size_t i) const;
  /// What one_ is as a set.
  [[nodiscard]] Set one_as_set() const;
  /// Adds one choice of a step.
  void offer(Set& into, const Set& choice) const;
  /// The wider accumulator behind the block that has begun.
  [[nodiscard]] Set emptied() const;

  Arithmetic arithmetic_, outer_arithmetic_;
  contract::Contraction contraction_;
  ChainStarts starts_;
  std::int64_t block_;         ///< terms to a block; 0: no promotion
  std::int64_t in_block_ = 0;  ///< of them those that the block which has begun has met
  std::size_t nonzero_ = 0;    ///< terms met that are not zero
  bool is_plain_;              ///< rounds_plainly(arithmetic_)
  std::optional<Set> outer_, state_;
  std::optional<OneNumber> one_;  ///< where it is set, it is the state and state_ is out of date
  bool one_plus_zero_ = false;    ///< the flag of the set {one_}
};

/// What term `i` becomes alone: a rounded product, or a loaded value rounded only where it does not fit.
[[nodiscard]] Set leaf_set(const Arithmetic& arithmetic, const Terms& terms, std::size_t i);

}  // namespace negzero::oracle
