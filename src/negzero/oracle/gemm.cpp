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

using contract::Multiplicands;
using number::FormatId;

namespace {

/// Whether tensor cores that take the operands are known, where the contract has any. Of factors whose conversion is
/// left open, those that stay as they are may do without.
bool has_units(const Declared& contract, const operation::Gemm& gemm) {
  if (contract.units.use == contract::TensorCore::No) return true;
  const auto has_unit = [&](const Multiplicands& each) {
    return stepping_of(gemm.a, gemm.b, each, contract.units, contract.sums.accumulate).has_value();
  };
  const auto may_do_without = [&](const Multiplicands& each) {
    constexpr auto kExact = contract::Multiplicand::Exact;
    return contract.units.use == contract::TensorCore::May && (each.a == kExact || each.b == kExact);
  };
  const std::vector<Multiplicands>& conversions = contract.products.conversions;
  return std::ranges::any_of(conversions, has_unit) && std::ranges::all_of(conversions, [&](const Multiplicands& each) {
           return may_do_without(each) || has_unit(each);
         });
}

}  // namespace

base::Result<std::unique_ptr<Problem>> make_gemm(const operation::Case& value, const Declared& contract,
                                                 const Options& options, std::size_t /*output*/) {
  const auto& gemm = operation::view<operation::Gemm>(value.operation);
  const auto integer = [](FormatId id) { return number::format(id).is_integer(); };
  const int integers = integer(gemm.a) + integer(gemm.b) + integer(gemm.d) + integer(contract.sums.accumulate) +
                       integer(gemm.alpha.format) + integer(gemm.beta.format);
  if (integers == 6) return make_integer_gemm(value, contract);
  if (integers != 0) {
    return usage_error("contract: accumulate \"" + std::string(number::format(contract.sums.accumulate).name) +
                       "\" does not fit a gemm of " + std::string(number::format(gemm.a).name) + " and " +
                       std::string(number::format(gemm.b).name) + " into " + std::string(number::format(gemm.d).name) +
                       ": integers and floating point do not mix, scalars included");
  }
  if (!has_units(contract, gemm)) {
    return usage_error("contract: tensor_core \"" + std::string(contract::word(contract.units.use)) +
                       "\" does not fit a gemm of " + std::string(number::format(gemm.a).name) + " and " +
                       std::string(number::format(gemm.b).name) + " in " +
                       std::string(number::format(contract.sums.accumulate).name) + " on unit \"" +
                       std::string(contract::word(contract.units.unit)) +
                       "\": no arithmetic of such tensor cores is known (F32 operands need a multiplicand of TF32)");
  }
  return make_products(value, contract, options);
}

}  // namespace negzero::oracle
