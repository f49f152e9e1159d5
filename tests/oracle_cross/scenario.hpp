// One way to compute a sum, with its operands: what the enumerator reaches and the case that the oracle sees.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <negzero/contract/contract.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/operation/operation.hpp>

#include "enumerator.hpp"
#include "formats.hpp"

namespace negzero::oracle_cross {

/// The operands of one output element, as codes of their formats.
struct OperandSet {
  Codes a{};   ///< Gemm: the row of A; Reduce: the row of X; Scatter: the updates
  Codes b{};   ///< Gemm: the column of B
  Code c = 0;  ///< Gemm: C; Scatter: the initial value
};

struct Scenario {
  enum class Shape : std::uint8_t { Gemm, Reduce, Scatter };
  Shape shape = Shape::Gemm;
  number::FormatId a = number::FormatId::F8_E5M2;
  number::FormatId b = number::FormatId::F8_E5M2;
  number::FormatId d = number::FormatId::F8_E5M2;              ///< output; the initial value too
  std::optional<number::FormatId> c{};                         ///< Gemm: C, where it has another format than D
  operation::Scalar alpha{number::FormatId::F32, 0x3f800000};  ///< 1
  operation::Scalar beta{number::FormatId::F32, 0};
  contract::Contract contract{};
  bool mean = false;  ///< Reduce: the mean, not the sum

  [[nodiscard]] const SmallFormat output() const { return small_format(d); }
  [[nodiscard]] number::FormatId addend_id() const { return c.value_or(d); }
  [[nodiscard]] const SmallFormat addend() const { return small_format(addend_id()); }
  [[nodiscard]] Number alpha_value() const { return value_of(alpha); }
  [[nodiscard]] bool has_unit_alpha() const {
    const Code one = Rounder{small_format(alpha.format)}.round(make_number(1));
    return (to_code(alpha.format, alpha.bits) & ~kSignBit) == one;
  }
  [[nodiscard]] Number beta_value() const { return value_of(beta); }
  [[nodiscard]] static Number value_of(const operation::Scalar& scalar) {
    return small_format(scalar.format).decode(to_code(scalar.format, scalar.bits));
  }
};

[[nodiscard]] Mode mode_of(number::Rounding rounding);
/// What a value in memory may be in the machine's format once arithmetic there takes it.
[[nodiscard]] std::vector<Number> loaded(const contract::Contract& contract, number::FormatId id, Code code,
                                         const Machine& machine);
[[nodiscard]] bool is_zero(const operation::Scalar& scalar);
[[nodiscard]] bool is_one(const operation::Scalar& scalar);
[[nodiscard]] bool is_minus_one(const operation::Scalar& scalar);

/// A scalar that is subnormal: arithmetic may take it for zero.
[[nodiscard]] bool is_subnormal_scalar(const operation::Scalar& scalar);
/// A value as the sum of nothing else: kept or, where anything is flushed, zero.
[[nodiscard]] std::vector<Number> alone(const Scenario& scenario, number::FormatId id, Code code,
                                        const SmallFormat& format);

/// The accumulator that the contract declares.
[[nodiscard]] Machine declared_machine(const contract::Contract& contract);
/// What the finished sum is held in: the promoted format, rounding to nearest, where the contract promotes.
[[nodiscard]] Machine outer_machine(const contract::Contract& contract, const Machine& machine);
/// What alpha and beta act in after the sum: the same, or the scalars' own format where the contract allows wider ones.
/// Whether additions of one sum may be in formats of their own, and then the machines of all of these, the declared one
/// first.
[[nodiscard]] bool mixes(const contract::Contract& contract);
[[nodiscard]] std::vector<Machine> mixed_machines(const contract::Contract& contract);
[[nodiscard]] Machine last_machine(const contract::Contract& contract, const Machine& machine);
/// The declared accumulator and, where the contract allows wider ones, each wider format; each with every format that
/// blocks may be promoted to and that the epilogue may run in, after a store to the declared format or without.
[[nodiscard]] std::vector<Machine> machines(const Scenario& scenario);
[[nodiscard]] Starts starts(const contract::Contract& contract);

/// The terms of the sum as the machine takes them, after multiplicand rounding; `fold` scales a (1) or b (2) by alpha
/// first, as a rounding in the accumulator's format.
[[nodiscard]] std::vector<Term> terms_of(const Scenario& scenario, const OperandSet& set, const Machine& machine,
                                         int fold = 0);

/// Whether intermediate roundings stand between the sum and what follows it.
[[nodiscard]] bool rounds_the_sum(const Scenario& scenario);
/// The roundings from the accumulator to memory, in order; the last is the output's.
[[nodiscard]] std::vector<Rounder> output_steps(const Scenario& scenario);

/// Every result that an implementation of the contract can reach, in the output's format.
[[nodiscard]] Codes reach(const Scenario& scenario, const OperandSet& set);

/// One case with an output element for each operand set (all of one size): a batch of 1 x 1 Gemms, rows, destinations.
[[nodiscard]] operation::Case make_case(const Scenario& scenario, std::span<const OperandSet> sets);

/// Everything needed to try the operand set again, in one line.
[[nodiscard]] std::string describe(const Scenario& scenario, const OperandSet& set);

/// What a float that is too large becomes.
[[nodiscard]] OnOverflow overflow_of(contract::OverflowPolicy policy);

}  // namespace negzero::oracle_cross
