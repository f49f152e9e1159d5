// What GEMMs with a split K declare.

#pragma once

#include <negzero/kernel/kernel.hpp>

namespace negzero::kernels {
namespace {  // Anonymous for the reason given in numbers.cuh.

/// Slices of K, each a chain of fused steps from +0, and their sum, in F32. The order is fixed by K but is none that a
/// contract can name.
inline contract::Contract split_contract() {
  return {.wider = false,
          .contraction = contract::Contraction::Fused,
          .start = contract::Start::PlusZero,
          .alpha = contract::AlphaPlace::Epilogue,
          .beta = contract::BetaPlace::Epilogue,
          .scalar_format = number::FormatId::F32,
          .zero_sign = contract::ZeroSign::Ieee,
          .determinism = contract::Determinism::GpuToGpu,
          .position_invariant = true};
}

}  // namespace
}  // namespace negzero::kernels
