// What a contract that leaves a conversion open may mean.

#include <negzero/contract/contract.hpp>

namespace negzero::contract {

std::vector<Multiplicand> conversions(Multiplicand multiplicand) {
  using enum Multiplicand;
  if (multiplicand == Tf32Any) return {Tf32NearestEven, Tf32NearestAway, Tf32Truncate};
  if (multiplicand == Tf32OrExact) return {Exact, Tf32NearestEven, Tf32NearestAway, Tf32Truncate};
  return {multiplicand};
}

std::vector<Contract> members(const Contract& contract) {
  std::vector<Contract> result;
  for (const Multiplicand each : conversions(contract.multiplicand)) result.emplace_back(contract).multiplicand = each;
  return result;
}

}  // namespace negzero::contract
