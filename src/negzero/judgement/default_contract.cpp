// The contract that is assumed of results of which nothing was declared.

#include <algorithm>

#include <fmt/format.h>

#include <negzero/judgement/default_contract.hpp>

namespace negzero::judgement {
namespace {

using number::FormatId;

/// The format that sums are assumed to be held in.
FormatId accumulator_of(const operation::Operation& operation) {
  const operation::Signature& signature = operation.signature();
  const FormatId input = operation.format_of(signature.factors.empty() ? 0 : signature.factors.front());
  if (input == FormatId::F64 || input == FormatId::I32) return input;
  return signature.is_update ? input : FormatId::F32;
}

}  // namespace

Assumed default_contract(const operation::Operation& operation) {
  const operation::Signature& signature = operation.signature();
  const auto formats = operation.formats();
  const auto is_f8 = [](FormatId id) { return number::format(id).bits == 8; };
  std::string fields = fmt::format(R"("accumulate":"{}")", number::format(accumulator_of(operation)).name);
  if (is_f8(formats.back())) fields += R"(,"overflow":"either")";
  Assumed assumed;
  // Every field is one that the contract knows, and they contradict each other in no operation.
  assumed.contract = *contract::parse("{" + fields + "}");
  assumed.text = fmt::format("no contract was given; assumed of this {}: {}", signature.name,
                             contract::describe(assumed.contract));
  return assumed;
}

}  // namespace negzero::judgement
