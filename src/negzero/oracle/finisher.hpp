// The end of a screened sum: alpha, C and the store to memory, in hardware arithmetic.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/number/encoding.hpp>

namespace negzero::oracle {

/// alpha, beta and C, as far as they are the contract's own way to finish a sum.
struct Finish {
  double alpha = 1, beta = 0;
  bool scales = false;         ///< alpha is not 1
  double count = 1;            ///< of a mean, which divides the sum
  bool by_reciprocal = false;  ///< which multiplies it by fl(1 / count) instead
  contract::Contraction contraction = contract::Contraction::Either;
  bool fuses_alpha = false;    ///< the product with alpha may be the fused one
  bool reads_product = true;   ///< false: K or alpha is zero, and the result is beta * c
  bool in_epilogue = true;     ///< alpha and C may act on the finished sum, in the accumulator's own format
  bool c_only_leaf = false;    ///< alpha is 1 and C may be a term of a sum in any order
  std::vector<double> c{};     ///< empty where C is not read
  bool flushes = false;        ///< subnormals may be taken or given as zeros; no operand is one where that matters
  bool witness_zeros = false;  ///< zeros of chains that start from +0 have permitted signs
};

/// One contraction of alpha * sum + beta * c.
enum class Form : std::uint8_t { Separate, FusedBeta, FusedAlpha };

/// Finishes sums of one accumulator in every contraction that is allowed.
template <class Arithmetic>
class Finisher {
 public:
  using Value = typename Arithmetic::Value;

  Finisher(const number::Format& output, number::EncodeOptions options, Finish finish_)
      : finish(std::move(finish_)),
        same_format(output == number::format(Arithmetic::kFormat)),
        output_(output),
        options_(options),
        plain_overflow_(options.overflow == number::Overflow::Ieee),
        is_plain_(!finish.scales && finish.count == 1 && finish.c.empty()) {}

  [[nodiscard]] bool fuses() const noexcept { return finish.contraction != contract::Contraction::Separate; }
  [[nodiscard]] bool separates() const noexcept { return finish.contraction != contract::Contraction::Fused; }

  /// Whether the output of `result` is `word`.
  [[nodiscard]] bool is(Value result, std::uint64_t word) const noexcept {
    if (result != result) return number::is_nan(output_, word);  // Payloads are never compared.
    if (same_format && plain_overflow_) {
      if constexpr (Arithmetic::kFormat == number::FormatId::F32) return std::bit_cast<std::uint32_t>(result) == word;
      if constexpr (Arithmetic::kFormat == number::FormatId::F64) return std::bit_cast<std::uint64_t>(result) == word;
    }
    return number::from_double(output_, static_cast<double>(result), options_) == word;
  }

  /// Whether fl(beta * c), or +0 where C is not read, is `word`.
  [[nodiscard]] bool scales_c_to(std::size_t i, std::uint64_t word) const noexcept {
    if (finish.c.empty()) return word == number::zero(output_);
    return is(Arithmetic::multiply(static_cast<Value>(finish.beta), static_cast<Value>(finish.c[i])), word);
  }

  /// alpha * sum + beta * c in one of its contractions. (Inlined, as the next: calls cost a tenth of a judgement.)
  [[nodiscard, gnu::always_inline]] inline Value finished(Form form, Value sum, std::size_t i) const noexcept {
    if (is_plain_) return sum;
    const auto alpha = static_cast<Value>(finish.alpha), beta = static_cast<Value>(finish.beta);
    if (finish.count != 1) {
      const auto count = static_cast<Value>(finish.count);
      return finish.by_reciprocal ? Arithmetic::multiply(sum, Arithmetic::divide(1, count))
                                  : Arithmetic::divide(sum, count);
    }
    const Value scaled = finish.scales ? Arithmetic::multiply(alpha, sum) : sum;
    if (finish.c.empty()) return scaled;
    const auto c = static_cast<Value>(finish.c[i]);
    if (form == Form::FusedBeta) return Arithmetic::multiply_add(beta, c, scaled);
    const Value addend = Arithmetic::multiply(beta, c);
    return form == Form::FusedAlpha ? Arithmetic::multiply_add(alpha, sum, addend) : Arithmetic::add(scaled, addend);
  }
  /// Whether `accepts` takes one of the contractions that the contract allows.
  template <class Accepts>
  [[nodiscard, gnu::always_inline]] inline bool any_form(const Accepts& accepts) const noexcept {
    if (finish.c.empty()) return accepts(Form::Separate);
    if (separates() && accepts(Form::Separate)) return true;
    if (!fuses()) return false;
    return accepts(Form::FusedBeta) || (finish.fuses_alpha && accepts(Form::FusedAlpha));
  }
  /// Whether one of them takes `sum` to `word`.
  [[nodiscard]] bool finishes_as(Value sum, std::size_t i, std::uint64_t word) const noexcept {
    return any_form([&](Form form) { return is(finished(form, sum, i), word); });
  }

  const Finish finish;
  const bool same_format;  ///< the output has the accumulator's format

 private:
  const number::Format& output_;
  number::EncodeOptions options_;
  bool plain_overflow_;
  bool is_plain_;  ///< nothing acts on a sum
};

}  // namespace negzero::oracle
