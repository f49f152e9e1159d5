// The named contracts. Their sums are ordinary additions: none has tensor cores, whose steps truncate and permit far
// more (numerics.md 2e), so that a preset with them would pass wrong sums of kernels that add in F32. A kernel on
// tensor cores declares `tensor_core` beside a preset.

#include <array>

#include <negzero/contract/contract.hpp>

namespace negzero::contract {
namespace {

using number::FormatId;

Contract accumulating_in(FormatId format) {
  Contract contract;
  contract.accumulate = format;
  return contract;
}

/// cuBLAS and its kind under their default compute type: any order, F32, alpha and beta anywhere, the BLAS reading
/// rules; the same call twice on one machine gives the same bits.
Contract blas() {
  Contract contract;
  contract.determinism = Determinism::RunToRun;
  return contract;
}

Contract tf32() {
  Contract contract;
  contract.multiplicand = Multiplicand::Tf32NearestAway;  // cvt.rna.tf32.f32, the only conversion before sm_90
  return contract;
}

/// Sums of FP8 products by additions of F32. FP8 outputs saturate (cvt.satfinite) or turn NaN (PyTorch's cast): both
/// designs exist (numerics.md section 6). Not `tensor_core` "may", although most FP8 kernels are on tensor cores: case
/// files name this preset, also with fields that contradict that one, such as "order" and "promote".
Contract f8() {
  Contract contract;
  contract.overflow = OverflowPolicy::Either;
  return contract;
}

struct Preset {
  std::string_view name;
  Contract contract;
};

const std::array<Preset, 8>& presets() {
  static const std::array<Preset, 8> table{{
      {"f32", accumulating_in(FormatId::F32)},
      {"f64", accumulating_in(FormatId::F64)},
      {"f16_acc_f32", accumulating_in(FormatId::F32)},
      {"f16_acc_f16", accumulating_in(FormatId::F16)},
      {"tf32", tf32()},
      {"bf16_acc_f32", accumulating_in(FormatId::F32)},
      {"f8_acc_f32", f8()},
      {"blas", blas()},
  }};
  return table;
}

}  // namespace

std::optional<Contract> preset(std::string_view name) {
  for (const Preset& entry : presets()) {
    if (entry.name == name) return entry.contract;
  }
  return std::nullopt;
}

const std::vector<std::string_view>& preset_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> list;
    for (const Preset& entry : presets()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

}  // namespace negzero::contract
