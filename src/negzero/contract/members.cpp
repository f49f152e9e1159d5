// What a contract that leaves a conversion open may mean.

#include <negzero/contract/contract.hpp>

namespace negzero::contract {
namespace {

std::vector<Multiplicand> meant_by(Multiplicand multiplicand) {
  using enum Multiplicand;
  if (multiplicand == Tf32Any) return {Tf32NearestEven, Tf32NearestAway, Tf32Truncate};
  if (multiplicand == Tf32OrExact) return {Exact, Tf32NearestEven, Tf32NearestAway, Tf32Truncate};
  return {multiplicand};
}

}  // namespace

std::vector<Multiplicands> conversions(const Contract& contract) {
  std::vector<Multiplicands> result;
  for (const Multiplicand a : meant_by(contract.multiplicand)) {
    if (!contract.multiplicand_b) {
      result.push_back({a, a});
      continue;
    }
    for (const Multiplicand b : meant_by(*contract.multiplicand_b)) result.push_back({a, b});
  }
  return result;
}

std::vector<Contract> members(const Contract& contract) {
  std::vector<Contract> result;
  for (const auto& [a, b] : conversions(contract)) {
    Contract& member = result.emplace_back(contract);
    member.multiplicand = a;
    member.multiplicand_b = a == b ? std::nullopt : std::optional(b);
  }
  return result;
}

}  // namespace negzero::contract
