// What GEMMs with a split K declare.

#pragma once

#include "gemm_chain.cuh"

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Slices of K, each such a chain, and their sum: the order is fixed by K but is none that a contract can name.
inline contract::Contract split_contract(const char* depth = "") {
  contract::Contract contract = chain_contract();
  contract.order = contract::Order::Any;
  contract.depth = {depth};
  return contract;
}

}  // namespace
}  // namespace negzero::kernels
