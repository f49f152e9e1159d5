// Cases of every operation, contracts that fit them, and outputs around what is permitted: for tests that compare
// judgements.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/oracle/oracle.hpp>

namespace negzero::judgement {

/// A case with extents up to `most`, of formats that are drawn; index `i` of a stream.
inline operation::Case drawn_case(std::string_view name, std::int64_t most, std::uint64_t i) {
  generate::Request request;
  request.operation = name;
  for (const std::string& extent : operation::find_signature(name)->extents) {
    request.limits.extents[extent].max =
        extent == "batch" || extent == "groups" ? std::min<std::int64_t>(most, 3) : most;
  }
  return generate::make_case(request, 1, i);
}

/// A contract that an oracle knows for the case: the default one with fields of a draw.
inline std::optional<contract::Contract> drawn_contract(const operation::Case& value, base::Random& random) {
  using namespace contract;
  Contract contract = default_contract(value.operation).contract;
  const bool is_integer = number::format(contract.accumulate).is_integer();
  if (random.one_in(2)) contract.wider = false;
  if (random.one_in(3)) contract.order = Order::Ascending;
  if (random.one_in(3)) contract.contraction = random.one_in(2) ? Contraction::Fused : Contraction::Separate;
  if (random.one_in(4)) contract.start = random.one_in(2) ? Start::PlusZero : Start::FirstTerm;
  if (random.one_in(4)) contract.zero_sign = random.one_in(2) ? ZeroSign::Ieee : ZeroSign::Any;
  if (random.one_in(4)) contract.nan = NanPolicy::Ignore;
  if (random.one_in(4)) contract.ties = random.one_in(2) ? Ties::First : Ties::Last;
  if (random.one_in(4)) contract.output_rounding = number::Rounding::TowardZero;
  if (random.one_in(5)) contract.overflow = OverflowPolicy::Either;
  if (!is_integer && random.one_in(4)) contract.subnormal_results = Subnormals::Either;
  if (!is_integer && random.one_in(4)) contract.subnormal_inputs = Subnormals::Flush;
  if (!is_integer && random.one_in(6)) contract.compensated = true;
  if (is_integer && random.one_in(2)) contract.integer_overflow = IntegerOverflow::Saturate;
  if (!is_integer && random.one_in(5)) contract.accumulate = number::FormatId::F16;
  if (random.one_in(3)) contract.tensor_core = random.one_in(2) ? TensorCore::Only : TensorCore::No;
  if (contract.tensor_core != TensorCore::No) {
    if (random.one_in(3)) contract.unit = Unit::Hopper;
    if (random.one_in(3)) contract.slices = 2;
  }
  const bool is_wide = !is_integer && contract.accumulate != number::FormatId::F16;
  const bool has_slices = is_wide && !value.operation.signature().is_update;
  if (has_slices && contract.order == Order::Any && !contract.compensated && random.one_in(6)) {
    contract.slice_format = random.one_in(2) ? number::FormatId::F16 : number::FormatId::BF16;
  }
  if (is_wide && contract.tensor_core != TensorCore::Only && random.one_in(12)) {
    contract.multiplicand = random.one_in(2) ? Multiplicand::Tf32Any : Multiplicand::Tf32OrExact;
  }
  if (!oracle::Oracle::make(value, contract)) return std::nullopt;
  return contract;
}

/// An encoding near the ends of a set, inside it, or anywhere.
inline std::uint64_t drawn_word(const oracle::Permitted& permitted, base::Random& random) {
  const number::Format& format = number::format(permitted.format);
  std::uint64_t word = random.next() & format.word_mask();
  if (!permitted.only.empty()) {
    word = permitted.only[random.below(permitted.only.size())];
  } else if (permitted.finite) {
    word = number::from_ordinal(format, random.one_in(2) ? permitted.hull().low : permitted.hull().high);
  } else if (permitted.nan) {
    word = number::canonical_nan(format);
  } else if (permitted.plus_infinity || permitted.minus_infinity) {
    word = number::infinity(format, !permitted.plus_infinity);
  }
  switch (random.below(16)) {
    case 0:
      return number::next_up(format, word);
    case 1:
      return number::next_down(format, word);
    case 2:
      return word ^ format.sign_mask();
    case 3:
      return random.next() & format.word_mask();
    case 4:
      return format.is_integer() ? word : number::canonical_nan(format);
    default:
      return word;
  }
}

/// Outputs of the case: nearly all elements permitted where `gentle`, else as drawn_word() has them.
inline std::vector<tensor::Tensor> drawn_outputs(const operation::Case& value,
                                                 const std::vector<std::vector<oracle::Permitted>>& sets, bool gentle,
                                                 base::Random& random) {
  std::vector<tensor::Tensor> outputs;
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    const auto& of_output = sets[outputs.size()];
    tensor::Tensor& output = outputs.emplace_back(spec.format, spec.shape);
    for (std::int64_t i = 0; i < output.element_count(); ++i) {
      const oracle::Permitted& permitted = of_output[static_cast<std::size_t>(i)];
      std::uint64_t word = drawn_word(permitted, random);
      for (int tries = 0; gentle && tries < 20 && !permitted.contains(word); ++tries) {
        word = drawn_word(permitted, random);
      }
      output.set(i, word);
    }
  }
  return outputs;
}

/// The permitted sets of every element of each output.
inline std::vector<std::vector<oracle::Permitted>> sets_of(const operation::Case& value, const oracle::Oracle& oracle) {
  std::vector<std::vector<oracle::Permitted>> sets;
  for (const operation::TensorSpec& spec : operation::output_specs(value.operation)) {
    auto& of_output = sets.emplace_back();
    for (std::int64_t i = 0; i < tensor::count_elements(spec.shape); ++i) {
      of_output.push_back(oracle.permitted(i, sets.size() - 1));
    }
  }
  return sets;
}

}  // namespace negzero::judgement
