// What a contract that leaves a conversion open may mean.

#include <negzero/contract/contract.hpp>

namespace negzero::contract {

std::vector<Contract> members(const Contract& contract) {
  const bool or_exact = contract.multiplicand == Multiplicand::Tf32OrExact;
  if (contract.multiplicand != Multiplicand::Tf32Any && !or_exact) return {contract};
  std::vector<Contract> result;
  const auto add = [&](Multiplicand multiplicand) { result.emplace_back(contract).multiplicand = multiplicand; };
  if (or_exact) add(Multiplicand::Exact);
  add(Multiplicand::Tf32NearestEven);
  add(Multiplicand::Tf32NearestAway);
  add(Multiplicand::Tf32Truncate);
  return result;
}

}  // namespace negzero::contract
