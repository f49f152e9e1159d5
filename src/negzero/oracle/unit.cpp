// The table of matrix units.

#include <algorithm>
#include <utility>

#include <negzero/oracle/unit.hpp>

namespace negzero::oracle {
namespace {

using number::FormatId;

/// What kind of factors an instruction takes.
enum class FactorFormat : std::uint8_t { F16, Bf16, Tf32, F8 };

struct Row {
  contract::Unit unit;
  FactorFormat factors;
  int kept_bits, result_bits, shortest;
  bool converts_to_f16 = false;
};

// Measured on an H200: Hopper, all of it (mma.sync, and wgmma, which has no shorter steps; mma.sync of FP8 is emulated
// by two steps of F16 and an addition of C, and loses less than the native unit of wgmma). From the literature: Fasi,
// Higham, Mikaitis & Pranesh, PeerJ CS 7:e330, 2021 (Volta, Turing, Ampere); Khattak & Mikaitis, arXiv:2512.07004,
// 2025; Xie et al., arXiv:2511.10909, 2025. The shortest steps are those of m8n8k4 (Volta, Turing), m16n8k8 of F16 and
// BF16, m16n8k4 of TF32, m16n8k16 of FP8.
constexpr Row kRows[] = {
    {contract::Unit::Volta, FactorFormat::F16, 23, 24, 4},
    {contract::Unit::Turing, FactorFormat::F16, 24, 24, 4},
    {contract::Unit::Ampere, FactorFormat::F16, 24, 24, 8},
    {contract::Unit::Ampere, FactorFormat::Bf16, 24, 24, 8},
    {contract::Unit::Ampere, FactorFormat::Tf32, 24, 24, 4},
    {contract::Unit::Ada, FactorFormat::F16, 24, 24, 8},
    {contract::Unit::Ada, FactorFormat::Bf16, 24, 24, 8},
    {contract::Unit::Ada, FactorFormat::Tf32, 24, 24, 4},
    {contract::Unit::Ada, FactorFormat::F8, 13, 14, 8},
    {contract::Unit::Hopper, FactorFormat::F16, 25, 24, 8},
    {contract::Unit::Hopper, FactorFormat::Bf16, 25, 24, 8},
    {contract::Unit::Hopper, FactorFormat::Tf32, 25, 24, 4},
    {contract::Unit::Hopper, FactorFormat::F8, 13, 14, 8},
    {contract::Unit::Hopper, FactorFormat::F8, 25, 24, 8, true},
    {contract::Unit::Blackwell, FactorFormat::F16, 25, 24, 8},
    {contract::Unit::Blackwell, FactorFormat::Bf16, 25, 24, 8},
    {contract::Unit::Blackwell, FactorFormat::Tf32, 25, 24, 4},
    {contract::Unit::Blackwell, FactorFormat::F8, 25, 24, 8},
};

std::optional<FactorFormat> factors_of(FormatId a, FormatId b) noexcept {
  const auto is_f8 = [](FormatId id) { return id == FormatId::F8_E4M3 || id == FormatId::F8_E5M2; };
  if (is_f8(a) && is_f8(b)) return FactorFormat::F8;
  if (a != b) return std::nullopt;
  switch (a) {
    case FormatId::F16:
      return FactorFormat::F16;
    case FormatId::BF16:
      return FactorFormat::Bf16;
    case FormatId::TF32:
      return FactorFormat::Tf32;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::vector<Unit> units_of(contract::Unit unit, FormatId a, FormatId b, FormatId accumulate) {
  std::vector<Unit> units;
  const auto factors = factors_of(a, b);
  // F16 accumulators take F16 alone; those of FP8 were never measured.
  const bool into_f16 = accumulate == FormatId::F16 && factors == FactorFormat::F16;
  if (!factors || (accumulate != FormatId::F32 && !into_f16)) return units;
  for (const Row& row : kRows) {
    if (row.factors != *factors || (unit != contract::Unit::Any && row.unit != unit)) continue;
    const int result_bits = into_f16 ? number::format(accumulate).precision() : row.result_bits;
    const Unit each{row.kept_bits, result_bits, into_f16, row.shortest, row.converts_to_f16};
    if (std::ranges::find(units, each) == units.end()) units.push_back(each);
  }
  return units;
}

Unit worst_of(const std::vector<Unit>& units) noexcept {
  Unit worst = units.front();
  for (const Unit& each : units) {
    worst.kept_bits = std::min(worst.kept_bits, each.kept_bits);
    worst.result_bits = std::min(worst.result_bits, each.result_bits);
    worst.shortest = std::min(worst.shortest, each.shortest);
  }
  return worst;
}

}  // namespace negzero::oracle
