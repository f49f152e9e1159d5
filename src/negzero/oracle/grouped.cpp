// Grouped GEMM: each group is a batch of the GEMM of its padded buffers.

#include <utility>

#include <negzero/operation/counted.hpp>
#include <negzero/operation/operands.hpp>
#include <negzero/oracle/declared.hpp>
#include <negzero/oracle/families.hpp>

namespace negzero::oracle {

using contract::Contract;

base::Result<Rewritten> grouped_as_gemm(const operation::Case& value, const Contract& contract) {
  const Declared::Sums sums = declared(contract).sums;
  if (sums.start == contract::Start::C) {
    return base::usage_error("contract: start \"c\" does not fit a gemm.grouped: there is no C");
  }
  operation::Gemm gemm = *operation::gemm_of_groups(value.operation);
  // alpha = 1 and beta = 0 in the accumulator's own format.
  gemm.alpha = {sums.accumulate, number::one(number::format(sums.accumulate))};
  gemm.beta = {sums.accumulate, number::zero(number::format(sums.accumulate))};
  Rewritten result{.value = {}, .contract = without_scalars(contract)};
  result.value.operation = gemm;
  tensor::Tensor a = operation::factor(value, 0);
  operation::set_padding(value, operation::factor_name(value.operation.signature(), 0), a, 0);
  const notation::Signature& answered = result.value.operation.signature();
  result.value.tensors.emplace(operation::factor_name(answered, 0), std::move(a));
  result.value.tensors.emplace(operation::factor_name(answered, 1), operation::factor(value, 1));
  result.value.tensors.emplace(answered.tensors[*answered.addend].name,
                               tensor::Tensor(gemm.d, {gemm.batch, gemm.m, gemm.n}));
  return result;
}

}  // namespace negzero::oracle
