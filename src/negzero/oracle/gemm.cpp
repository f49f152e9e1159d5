// Chooses the kind of GEMM: integers throughout, or floating point.

#include <algorithm>
#include <string>
#include <vector>

#include <negzero/contract/words.hpp>
#include <negzero/oracle/families.hpp>
#include <negzero/oracle/integer.hpp>
#include <negzero/oracle/products.hpp>

namespace negzero::oracle {

using base::usage_error;
using contract::Contract;
using number::FormatId;

namespace {

/// Whether tensor cores that take the operands are known, where the contract has any. Of factors whose conversion is
/// left open, those that stay as they are may do without.
bool has_units(const Contract& contract, const operation::Gemm& gemm) {
  if (contract.tensor_core == contract::TensorCore::No) return true;
  const std::vector<Contract> members = contract::members(contract);
  return std::ranges::all_of(members, [&](const Contract& member) {
    const bool may_do_without = members.size() > 1 && member.tensor_core == contract::TensorCore::May &&
                                member.multiplicand == contract::Multiplicand::Exact;
    return may_do_without || stepping_of(gemm.a, gemm.b, member, member.accumulate);
  });
}

}  // namespace

base::Result<std::unique_ptr<Problem>> make_gemm(const operation::Case& value, const Contract& contract,
                                                 const Options& options, std::size_t /*output*/) {
  const auto& gemm = operation::view<operation::Gemm>(value.operation);
  const auto integer = [](FormatId id) { return number::format(id).is_integer(); };
  const int integers = integer(gemm.a) + integer(gemm.b) + integer(gemm.d) + integer(contract.accumulate) +
                       integer(gemm.alpha.format) + integer(gemm.beta.format);
  if (integers == 6) return make_integer_gemm(value, contract);
  if (integers != 0) {
    return usage_error("contract: accumulate \"" + std::string(number::format(contract.accumulate).name) +
                       "\" does not fit a gemm of " + std::string(number::format(gemm.a).name) + " and " +
                       std::string(number::format(gemm.b).name) + " into " + std::string(number::format(gemm.d).name) +
                       ": integers and floating point do not mix, scalars included");
  }
  if (!has_units(contract, gemm)) {
    return usage_error("contract: tensor_core \"" + std::string(contract::word(contract.tensor_core)) +
                       "\" does not fit a gemm of " + std::string(number::format(gemm.a).name) + " and " +
                       std::string(number::format(gemm.b).name) + " in " +
                       std::string(number::format(contract.accumulate).name) + " on unit \"" +
                       std::string(contract::word(contract.unit)) +
                       "\": no arithmetic of such tensor cores is known (F32 operands need a multiplicand of TF32)");
  }
  return make_products(value, contract, options);
}

}  // namespace negzero::oracle
