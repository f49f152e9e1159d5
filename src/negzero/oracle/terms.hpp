// The terms of one sum: products of decoded operands, after multiplicand rounding and flushing of inputs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/exact/dyadic.hpp>
#include <negzero/exact/sum.hpp>
#include <negzero/oracle/operations.hpp>
#include <negzero/tensor/tensor.hpp>

namespace negzero::oracle {

/// What an operand, or a term, is besides its significand.
enum ElementFlag : std::uint8_t {
  kNegative = 1,  ///< the sign bit, of zeros too
  kInfinite = 2,
  kNan = 4,
  kOptional = 8,      ///< a subnormal that may be taken for zero, or may not
  kLoaded = 16,       ///< a term that is a value in memory: no operation makes it
  kCutNan = 32,       ///< a NaN whose payload a truncation drops: hardware reads it as NaN or as an infinity
  kMaybeNan = 64,     ///< a term that is an infinity, or NaN: Inf times what may be flushed
  kCertainNan = 128,  ///< a term that is a NaN which no truncation of multiplicands turns into an infinity
};

/// Which kinds of terms some have among them.
class TermKinds {
 public:
  /// One term more. `flags` are ElementFlag.
  void add(std::uint8_t flags) noexcept { of_sign_[flags & kNegative] |= flags | kAny; }
  /// Turns every term around.
  void negate() noexcept { std::swap(of_sign_[0], of_sign_[1]); }

  [[nodiscard]] bool nan() const noexcept { return has(kNan); }
  [[nodiscard]] bool maybe_nan() const noexcept { return has(kMaybeNan); }
  /// Whether every NaN is one that a truncation of multiplicands may turn into an infinity: wgmma of sm_90 does,
  /// mma.sync does not (numerics.md section 6).
  [[nodiscard]] bool nan_may_be_infinity() const noexcept { return nan() && !has(kCertainNan); }
  /// The same, and only infinities of that sign beside it, so that all of them may be one.
  [[nodiscard]] bool nan_may_be_infinity(bool negative) const noexcept {
    return nan_may_be_infinity() && (of_sign_[negative ? 0 : 1] & (kNan | kInfinite)) == 0;
  }
  [[nodiscard]] bool infinity(bool negative) const noexcept { return (of_sign_[negative ? 1 : 0] & kInfinite) != 0; }
  [[nodiscard]] bool any_infinity() const noexcept { return has(kInfinite); }
  [[nodiscard]] bool optional() const noexcept { return has(kOptional); }
  /// Whether there is a term of that sign, a zero too.
  [[nodiscard]] bool any(bool negative) const noexcept { return of_sign_[negative ? 1 : 0] != 0; }

 private:
  static constexpr std::uint16_t kAny = 256;
  [[nodiscard]] bool has(std::uint16_t flag) const noexcept { return ((of_sign_[0] | of_sign_[1]) & flag) != 0; }

  std::uint16_t of_sign_[2] = {0, 0};  ///< the flags of the positive and of the negative terms
};

/// A tensor taken apart: value i is significand[i] * 2^exponent[i]; zero and specials have significand 0.
struct Operand {
  std::vector<std::int64_t> significand;
  std::vector<std::int32_t> exponent;
  std::vector<std::uint8_t> flags;
  exact::Window window;
  bool any_special = false, any_optional = false;

  [[nodiscard]] std::size_t size() const noexcept { return flags.size(); }
};

/// The rounding of a multiplicand, or nothing for `exact`. Those that leave the conversion open are of no contract that
/// gets here: each of contract::members() is asked by itself.
struct MultiplicandRounding {
  number::FormatId format;
  number::Rounding rounding;
};
[[nodiscard]] std::optional<MultiplicandRounding> multiplicand_rounding(contract::Multiplicand multiplicand);

/// What becomes of subnormal factors.
struct FactorFlushing {
  contract::Subnormals before = contract::Subnormals::Keep;  ///< that a rounding of multiplicands takes
  contract::Subnormals taken = contract::Subnormals::Keep;   ///< that are multiplied, or added
  friend bool operator==(const FactorFlushing&, const FactorFlushing&) = default;
};

/// Takes a tensor apart. `multiplicand` rounds (overflow gives Inf: the largest F32 becomes a TF32 Inf), then what is
/// subnormal is flushed.
[[nodiscard]] Operand take_apart(const tensor::Tensor& tensor, contract::Multiplicand multiplicand,
                                 FactorFlushing flushing);
/// The same for encodings of any format.
[[nodiscard]] Operand take_apart(const number::Format& format, std::vector<std::uint64_t> words,
                                 contract::Multiplicand multiplicand, FactorFlushing flushing);

/// The terms of one sum in the order of k. Term i is the product (a[i] 2^ea[i]) * (b[i] 2^eb[i]).
class Terms {
 public:
  void reserve(std::size_t count);
  /// Appends x[i] * y[j].
  void push_product(const Operand& x, std::size_t i, const Operand& y, std::size_t j);
  /// Appends x[i] itself.
  void push_value(const Operand& x, std::size_t i);
  /// Appends the product of two known numbers. `optional`: y may be flushed. A factor x of one makes it a value, unless
  /// `multiplies` says that the kernel does not look; whether y is one no kernel asks.
  void push_product(const Real& x, const Real& y, bool optional, bool multiplies = false);
  /// Appends term `i` of others.
  void push_term(const Terms& others, std::size_t i);
  /// Terms [begin, end).
  [[nodiscard]] Terms slice(std::size_t begin, std::size_t end) const;
  /// Every term times 2^shift.
  [[nodiscard]] Terms scaled(int shift) const;
  /// Turns every term around: alpha = -1.
  void negate();

  [[nodiscard]] std::size_t size() const noexcept { return flags_.size(); }
  [[nodiscard]] std::uint8_t flags(std::size_t i) const noexcept { return flags_[i]; }
  [[nodiscard]] bool is_zero(std::size_t i) const noexcept { return a_[i] == 0 || b_[i] == 0; }
  [[nodiscard]] exact::Dyadic value(std::size_t i) const;
  /// Term i with its sign, infinite ones included; a NaN reads as a zero (nan() tells).
  [[nodiscard]] Real real(std::size_t i) const;
  [[nodiscard]] exact::Factors a() const noexcept { return {a_.data(), ea_.data(), a_.size()}; }
  [[nodiscard]] exact::Factors b() const noexcept { return {b_.data(), eb_.data(), b_.size()}; }
  /// Whether a NaN is certain: a NaN operand, Inf * 0.
  [[nodiscard]] bool nan() const noexcept { return kinds_.nan(); }
  [[nodiscard]] bool infinity(bool negative) const noexcept { return kinds_.infinity(negative); }
  [[nodiscard]] bool any_optional() const noexcept { return kinds_.optional(); }
  [[nodiscard]] const TermKinds& kinds() const noexcept { return kinds_; }

 private:
  void push(std::int64_t a, std::int32_t ea, std::uint8_t a_flags, std::int64_t b, std::int32_t eb,
            std::uint8_t b_flags);

  std::vector<std::int64_t> a_, b_;
  std::vector<std::int32_t> ea_, eb_;
  std::vector<std::uint8_t> flags_;  ///< ElementFlag; kNegative is the sign of the product
  TermKinds kinds_;
};

/// The exact facts about the terms that no accumulator enters: numerics.md section 2. Optional terms count in P, N, m
/// and g, and widen the sum to [sum_low, sum_high].
struct Facts {
  exact::Dyadic positive, negative;  ///< P, N
  exact::Dyadic sum_low, sum_high;   ///< s, with the optional terms dropped or kept
  std::uint64_t nonzero = 0;         ///< m
  int lowest_bit = 0;                ///< g = 2^lowest_bit; 0 when m = 0

  [[nodiscard]] exact::Dyadic magnitude() const { return positive + negative; }  ///< S
  /// One nonzero term more, of this value.
  void add(const exact::Dyadic& value, bool optional);
  /// More terms, of which these are the facts.
  Facts& operator+=(const Facts& more);
};

/// Sums terms [begin, end) exactly by the method called `forced`, else by the cheapest that accepts them.
[[nodiscard]] Facts facts_of(const Terms& terms, std::size_t begin, std::size_t end, std::string_view forced);
/// Sums all of them.
[[nodiscard]] Facts facts_of(const Terms& terms, std::string_view forced);

}  // namespace negzero::oracle
