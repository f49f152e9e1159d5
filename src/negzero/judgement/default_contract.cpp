// The contract that a case names, and the one that is assumed of results of which nothing was declared.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/judgement/default_contract.hpp>
#include <negzero/operation/kind.hpp>
#include <negzero/oracle/unit.hpp>

namespace negzero::judgement {
namespace {

using number::FormatId;

/// The format that sums are assumed to be held in.
FormatId accumulator_of(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  const FormatId input = operation.format_of(signature.factors.empty() ? 0 : signature.factors.front());
  if (input == FormatId::F64) return input;
  // Integers are added in I32, whatever holds the factors of a product.
  if (number::format(input).is_integer()) return FormatId::I32;
  return signature.is_update ? input : FormatId::F32;
}

/// Whether the operation's products are such as tensor cores take.
bool takes_tensor_cores(const operation::Operation& operation) {
  const std::vector<std::size_t>& factors = operation.signature().factors;
  if (factors.size() != 2) return false;
  const FormatId a = operation.format_of(factors[0]), b = operation.format_of(factors[1]);
  return !oracle::units_of(contract::Unit::Any, a, b, FormatId::F32).empty();
}

/// Whether numbers are converted to integers, which `overflow` is about.
bool gives_integers(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  return operation::kind_of(signature) == operation::Kind::Elements &&
         number::format(operation.format_of(signature.outputs.front().tensor)).is_integer();
}

}  // namespace

base::Result<contract::Contract> named_contract(std::string_view text, std::uint64_t version,
                                                const operation::Operation& operation) {
  using contract::OverflowPolicy;
  auto contract = contract::parse(text, version);
  // One meaning, one contract: it is compared with others, and described.
  if (version == 1 && contract && contract->overflow == OverflowPolicy::Ieee && !gives_integers(operation)) {
    contract->overflow = OverflowPolicy::Default;
  }
  return contract;
}

base::Result<contract::Contract> named_contract(const operation::Case& value) {
  return named_contract(value.contract, value.contract_version, value.operation);
}

Assumed default_contract(const operation::Operation& operation) {
  const notation::Signature& signature = operation.signature();
  if (signature.is_declared) return {};
  const FormatId output = operation.format_of(signature.outputs.front().tensor);
  const auto is_f8 = [](FormatId id) { return number::format(id).bits == 8; };
  std::string fields = fmt::format(R"("accumulate":"{}")", number::format(accumulator_of(operation)).name);
  if (is_f8(output)) fields += R"(,"overflow":"either")";
  if (takes_tensor_cores(operation)) fields += R"(,"tensor_core":"may")";
  Assumed assumed;
  // Every field is one that the contract knows, and they contradict each other in no operation.
  assumed.contract = *contract::parse("{" + fields + "}");
  assumed.text = fmt::format("no contract was given; assumed of this {}: {}", signature.name,
                             contract::describe(assumed.contract));
  return assumed;
}

}  // namespace negzero::judgement
