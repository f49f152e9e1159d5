// The words that stand for each enumerator of a contract in JSON and messages.

#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <negzero/contract/contract.hpp>

namespace negzero::contract {

template <typename Enum, std::size_t N>
using WordTable = std::array<std::pair<Enum, std::string_view>, N>;

/// words(Enum{}) is the table of an enumeration: each enumerator once, in order of declaration.
constexpr auto words(Multiplicand) {
  return WordTable<Multiplicand, 8>{{{Multiplicand::Exact, "exact"},
                                     {Multiplicand::Tf32Truncate, "tf32_truncate"},
                                     {Multiplicand::Tf32NearestAway, "tf32_nearest_away"},
                                     {Multiplicand::Tf32NearestEven, "tf32_nearest_even"},
                                     {Multiplicand::Bf16, "bf16"},
                                     {Multiplicand::F16, "f16"},
                                     {Multiplicand::Tf32Any, "tf32_any"},
                                     {Multiplicand::Tf32OrExact, "tf32_or_exact"}}};
}
constexpr auto words(AccumulateRounding) {
  return WordTable<AccumulateRounding, 3>{{{AccumulateRounding::Nearest, "nearest"},
                                           {AccumulateRounding::TowardZero, "toward_zero"},
                                           {AccumulateRounding::Faithful, "faithful"}}};
}
constexpr auto words(Order) {
  return WordTable<Order, 3>{{{Order::Any, "any"}, {Order::Ascending, "ascending"}, {Order::Model, "model"}}};
}
constexpr auto words(TensorCore) {
  return WordTable<TensorCore, 3>{{{TensorCore::No, "no"}, {TensorCore::May, "may"}, {TensorCore::Only, "only"}}};
}
constexpr auto words(Unit) {
  return WordTable<Unit, 7>{{{Unit::Any, "any"},
                             {Unit::Volta, "volta"},
                             {Unit::Turing, "turing"},
                             {Unit::Ampere, "ampere"},
                             {Unit::Ada, "ada"},
                             {Unit::Hopper, "hopper"},
                             {Unit::Blackwell, "blackwell"}}};
}
constexpr auto words(Contraction) {
  return WordTable<Contraction, 3>{
      {{Contraction::Fused, "fused"}, {Contraction::Separate, "separate"}, {Contraction::Either, "either"}}};
}
constexpr auto words(Start) {
  return WordTable<Start, 4>{
      {{Start::PlusZero, "plus_zero"}, {Start::FirstTerm, "first_term"}, {Start::C, "c"}, {Start::Any, "any"}}};
}
constexpr auto words(AlphaPlace) {
  return WordTable<AlphaPlace, 4>{{{AlphaPlace::Epilogue, "epilogue"},
                                   {AlphaPlace::Operand, "operand"},
                                   {AlphaPlace::Any, "any"},
                                   {AlphaPlace::Partial, "partial"}}};
}
constexpr auto words(BetaPlace) {
  return WordTable<BetaPlace, 3>{
      {{BetaPlace::Epilogue, "epilogue"}, {BetaPlace::Leaf, "leaf"}, {BetaPlace::Any, "any"}}};
}
constexpr auto words(Subnormals) {
  return WordTable<Subnormals, 3>{
      {{Subnormals::Keep, "keep"}, {Subnormals::Flush, "flush"}, {Subnormals::Either, "either"}}};
}
constexpr auto words(NanPolicy) {
  return WordTable<NanPolicy, 2>{{{NanPolicy::Propagate, "propagate"}, {NanPolicy::Ignore, "ignore"}}};
}
constexpr auto words(AllNan) {
  return WordTable<AllNan, 3>{{{AllNan::Nan, "nan"}, {AllNan::Identity, "identity"}, {AllNan::Any, "any"}}};
}
constexpr auto words(ZeroSign) {
  return WordTable<ZeroSign, 3>{{{ZeroSign::Default, "default"}, {ZeroSign::Ieee, "ieee"}, {ZeroSign::Any, "any"}}};
}
constexpr auto words(OverflowPolicy) {
  return WordTable<OverflowPolicy, 5>{{{OverflowPolicy::Default, "default"},
                                       {OverflowPolicy::Ieee, "ieee"},
                                       {OverflowPolicy::Saturate, "saturate"},
                                       {OverflowPolicy::Nan, "nan"},
                                       {OverflowPolicy::Either, "either"}}};
}
constexpr auto words(IntegerOverflow) {
  return WordTable<IntegerOverflow, 2>{{{IntegerOverflow::Wrap, "wrap"}, {IntegerOverflow::Saturate, "saturate"}}};
}
constexpr auto words(Ties) {
  return WordTable<Ties, 3>{{{Ties::First, "first"}, {Ties::Last, "last"}, {Ties::Any, "any"}}};
}
constexpr auto words(MeanForm) {
  return WordTable<MeanForm, 4>{{{MeanForm::Divide, "divide"},
                                 {MeanForm::Reciprocal, "reciprocal"},
                                 {MeanForm::Any, "any"},
                                 {MeanForm::Terms, "terms"}}};
}
constexpr auto words(IntermediateAt) {
  return WordTable<IntermediateAt, 2>{{{IntermediateAt::Result, "result"}, {IntermediateAt::Sum, "sum"}}};
}
constexpr auto words(Scalars) {
  return WordTable<Scalars, 2>{{{Scalars::Blas, "blas"}, {Scalars::Formula, "formula"}}};
}
constexpr auto words(Determinism) {
  return WordTable<Determinism, 3>{{{Determinism::NotGuaranteed, "not_guaranteed"},
                                    {Determinism::RunToRun, "run_to_run"},
                                    {Determinism::GpuToGpu, "gpu_to_gpu"}}};
}
constexpr auto words(number::Rounding) {
  return WordTable<number::Rounding, 5>{{{number::Rounding::NearestEven, "nearest_even"},
                                         {number::Rounding::NearestAway, "nearest_away"},
                                         {number::Rounding::TowardZero, "toward_zero"},
                                         {number::Rounding::Down, "down"},
                                         {number::Rounding::Up, "up"}}};
}

template <typename Enum>
constexpr std::string_view word(Enum value) {
  for (const auto& [enumerator, text] : words(value)) {
    if (enumerator == value) return text;
  }
  return "?";
}

template <typename Enum>
constexpr std::optional<Enum> from_word(std::string_view text) {
  for (const auto& [enumerator, word_text] : words(Enum{})) {
    if (word_text == text) return enumerator;
  }
  return std::nullopt;
}

/// Every word of an enumeration, in order of declaration.
template <typename Enum>
std::vector<std::string_view> known_words() {
  std::vector<std::string_view> list;
  for (const auto& entry : words(Enum{})) list.push_back(entry.second);
  return list;
}

}  // namespace negzero::contract
