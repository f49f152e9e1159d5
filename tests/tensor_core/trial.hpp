// Kernels on tensor cores, and GEMMs of one output with contracts that permit what they do.

#pragma once

#include <vector>

#include <negzero/base/random.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/case.hpp>

#include "stepper.hpp"

namespace negzero::tensor_core {

using base::Random;
using contract::Multiplicand;
using number::FormatId;

/// `value` rounded to nearest once.
[[nodiscard]] double fl(FormatId id, double value);

struct Kernel {
  const char* name;
  contract::Unit unit;
  FormatId factors;
  Multiplicand multiplicand;
  Shape shape;
  Machine machine;
  FormatId held, declared;  ///< the accumulator's format, and what the contract says it is
  bool emulated = false;    ///< mma.sync of FP8 on Hopper: two steps of F16, then an addition to nearest
};
inline constexpr Kernel kKernels[] = {{"f16",
                                       contract::Unit::Hopper,
                                       FormatId::F16,
                                       Multiplicand::F16,
                                       kF16,
                                       {25, 24, false, -133, 16},
                                       FormatId::F32,
                                       FormatId::F32},
                                      {"bf16",
                                       contract::Unit::Hopper,
                                       FormatId::BF16,
                                       Multiplicand::Bf16,
                                       kBf16,
                                       {25, 24, false, -133, 8},
                                       FormatId::F32,
                                       FormatId::F32},
                                      {"tf32",
                                       contract::Unit::Ampere,
                                       FormatId::F32,
                                       Multiplicand::Tf32NearestEven,
                                       kTf32,
                                       {24, 24, false, -133, 4},
                                       FormatId::F32,
                                       FormatId::F32},
                                      {"e4m3",
                                       contract::Unit::Hopper,
                                       FormatId::F8_E4M3,
                                       Multiplicand::Exact,
                                       kE4m3,
                                       {13, 14, false, -133, 32},
                                       FormatId::F32,
                                       FormatId::F32},
                                      {"e4m3_emulated",
                                       contract::Unit::Hopper,
                                       FormatId::F8_E4M3,
                                       Multiplicand::Exact,
                                       kE4m3,
                                       {25, 24, false, -133, 16},
                                       FormatId::F32,
                                       FormatId::F32,
                                       true},
                                      {"e5m2_emulated",
                                       contract::Unit::Hopper,
                                       FormatId::F8_E5M2,
                                       Multiplicand::Exact,
                                       kE5m2,
                                       {25, 24, false, -133, 16},
                                       FormatId::F32,
                                       FormatId::F32,
                                       true},
                                      {"f16_in_f16",
                                       contract::Unit::Hopper,
                                       FormatId::F16,
                                       Multiplicand::F16,
                                       kF16,
                                       {25, 11, true, -21, 16},
                                       FormatId::F16,
                                       FormatId::F16},
                                      {"f16_in_wider",
                                       contract::Unit::Hopper,
                                       FormatId::F16,
                                       Multiplicand::F16,
                                       kF16,
                                       {25, 24, false, -133, 16},
                                       FormatId::F32,
                                       FormatId::F16},
                                      {"volta_in_wider",
                                       contract::Unit::Volta,
                                       FormatId::F16,
                                       Multiplicand::F16,
                                       kF16,
                                       {23, 24, false, -133, 4},
                                       FormatId::F32,
                                       FormatId::F16}};

/// The format in which elements are multiplied.
[[nodiscard]] FormatId factor_format(const Kernel& kernel);

/// One dot product: its numbers, and a contract under which the kernel is right.
struct Trial {
  std::vector<double> a, b;
  double alpha = 1, beta = 0, c = 0;
  FormatId scalars = FormatId::F32, output = FormatId::F32;
  contract::Contract contract;
};
[[nodiscard]] Trial draw_trial(Random& random, const Kernel& kernel);
[[nodiscard]] operation::Case case_of_trial(const Kernel& kernel, const Trial& drawn);

}  // namespace negzero::tensor_core
