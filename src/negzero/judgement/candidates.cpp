// Contracts beside a declared one, out of the table of fields.

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/contract/fields.hpp>
#include <negzero/judgement/candidates.hpp>
#include <negzero/number/holds.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/depth.hpp>
#include <negzero/oracle/terms.hpp>

namespace negzero::judgement {
namespace {

using Json = nlohmann::ordered_json;
using contract::Contract;
using contract::Field;
using notation::Combine;
using notation::Signature;
using number::FormatId;

bool has(const Signature& signature, bool (*is_it)(Combine)) {
  return std::ranges::any_of(signature.outputs,
                             [&](const auto& output) { return output.combine && is_it(*output.combine); });
}
bool multiplies_terms(const Signature& signature) { return signature.factors.size() > 1; }
bool adds_terms(const Signature& signature) {
  return has(signature, [](Combine combine) { return !selects(combine); });
}
bool selects_one(const Signature& signature) { return has(signature, notation::selects); }
bool gives_place(const Signature& signature) { return has(signature, notation::gives_index); }
bool is_mean(const Signature& signature) {
  return has(signature, [](Combine combine) { return combine == Combine::Mean; });
}
bool scales(const Signature& signature) { return !signature.scalars.empty(); }
bool reduces(const Signature& signature) { return signature.combine.has_value() && !signature.is_update; }
bool always(const Signature&) { return true; }

/// Whether a factor or the output has that format.
bool has_format(const operation::Operation& operation, FormatId format) {
  const auto is_it = [&](std::size_t factor) { return operation.format_of(factor) == format; };
  return std::ranges::any_of(operation.signature().factors, is_it) ||
         operation::output_specs(operation).front().format == format;
}

/// Whether a contract's conversion of factors rounds some number of their formats. TF32 holds every number of 16 and 8
/// bits.
bool rounds_factors(const operation::Operation& operation, const Contract& contract) {
  return std::ranges::any_of(contract::members(contract), [&](const Contract& member) {
    const contract::Multiplicands conversion = contract::conversions(member).front();
    const auto rounds = [&](std::size_t factor, contract::Multiplicand by) {
      const auto converted = oracle::multiplicand_rounding(by);
      const FormatId given = operation.format_of(operation.signature().factors[factor]);
      return converted && !number::holds(number::format(converted->format), number::format(given));
    };
    return rounds(0, conversion.a) || rounds(1, conversion.b);
  });
}

enum class Nature : std::uint8_t {
  Usual,       ///< the same operations in another place, order or unit, and what becomes of special values
  Unusual,     ///< other arithmetic
  Everywhere,  ///< other arithmetic that shows in most elements
};

/// A field whose values a kernel may have without saying so. What is not here says nothing of one result (determinism),
/// or narrows another field (unit, slices).
struct Tried {
  std::string_view field;
  bool (*concerns)(const Signature&);
  std::vector<Json> values{};  ///< empty: every word of the field, or the other truth
  Nature nature = Nature::Usual;
};

/// Terms from which on partial sums are not moved one by one.
constexpr std::int64_t kMostPromoted = 512;

/// Formats that sums are held in, and scalars.
const std::vector<Json> kHeld{"F64", "F32", "BF16", "F16"};

const std::vector<Tried>& tried() {
  using enum Nature;
  static const std::vector<Tried> table{
      {"multiplicand", multiplies_terms, {}, Everywhere},
      {"accumulate", adds_terms, kHeld, Everywhere},
      {"accumulate_rounding", adds_terms, {}, Unusual},
      {"wider", adds_terms, {}, Unusual},
      {"compensated", adds_terms, {}, Unusual},
      {"order", adds_terms},
      {"tensor_core", multiplies_terms, {"may"}},
      {"contraction", adds_terms},
      {"start", adds_terms},
      {"alpha", scales},
      {"beta", scales},
      {"scalar_format", scales, kHeld, Unusual},
      {"output_rounding", always, {}, Everywhere},
      {"subnormal_inputs", always},
      {"subnormal_results", always},
      {"nan", selects_one},
      {"all_nan", selects_one},
      {"zero_sign", always},
      {"overflow", always, {"ieee", "saturate", "nan", "either"}},
      {"integer_overflow", adds_terms},
      {"ties", gives_place},
      {"mean", is_mean},
      {"mean_may_overflow", is_mean},
      {"scalars", scales},
      {"reads_a_b_at_alpha_zero", scales},
      {"reads_c_at_beta_zero", scales},
  };
  return table;
}

const Field& field_named(std::string_view name) { return *std::ranges::find(contract::fields(), name, &Field::name); }

class Listing {
 public:
  Listing(const operation::Operation& operation, const Contract& contract)
      : operation_(operation), contract_(contract) {}

  /// Adds the contract with these fields changed, unless one of them has that value, it would be a contradiction, or
  /// it converts factors that are what they were.
  void add(std::vector<std::pair<std::string_view, Json>> fields, Nature nature, std::size_t words = 1) {
    Candidate candidate{.fields = {}, .words = words, .contract = contract_};
    candidate.is_usual = nature == Nature::Usual;
    candidate.is_everywhere = nature == Nature::Everywhere;
    for (const auto& [name, value] : fields) {
      const Field& field = field_named(name);
      if (!field.read(std::string(name), value, candidate.contract)) return;
      if (field.same(candidate.contract, contract_)) return;
      const bool converts = name == "multiplicand" && candidate.contract.multiplicand != contract::Multiplicand::Exact;
      if (converts && !rounds_factors(operation_, candidate.contract)) return;
    }
    candidate.fields = std::move(fields);
    // Of a chain, or of other arithmetic, no depth is declared.
    if (!contract_.depth.formula.empty() && !contract::validate(candidate.contract)) {
      candidate.fields.emplace_back("depth", nullptr);
      candidate.contract.depth = {};
    }
    if (contract::validate(candidate.contract)) all_.push_back(std::move(candidate));
  }

  void add(const Tried& each) {
    const Field& field = field_named(each.field);
    std::vector<Json> values = each.values;
    if (values.empty()) values.assign(field.takes.words.begin(), field.takes.words.end());
    if (values.empty()) values = {true, false};
    for (const Json& value : values) add({{each.field, value}}, each.nature);
  }

  [[nodiscard]] std::vector<Candidate> all() && { return std::move(all_); }

 private:
  const operation::Operation& operation_;
  const Contract& contract_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> candidates(const operation::Case& value, const Contract& contract, std::uint64_t observed) {
  const Signature& signature = value.operation.signature();
  Listing listing(value.operation, contract);
  for (const Tried& each : tried()) {
    if (each.concerns(signature)) listing.add(each);
  }
  // Libraries store slices in the format of what they are given or give.
  for (const FormatId format : {FormatId::F16, FormatId::BF16}) {
    if (adds_terms(signature) && has_format(value.operation, format)) {
      listing.add({{"slice_format", number::format(format).name}}, Nature::Everywhere);
    }
  }
  // One rounding on the way, behind the sum or behind what follows it.
  for (const char* format : {"F32", "BF16", "F16", "F8_E4M3", "F8_E5M2"}) {
    if (selects_one(signature) || !contract.intermediate.empty()) break;
    listing.add({{"intermediate", Json::array({format})}}, Nature::Everywhere);
    if (scales(signature))
      listing.add({{"intermediate", Json::array({format})}, {"intermediate_at", "sum"}}, Nature::Everywhere);
  }
  // Sums in any order may be as near as promoted ones, so that only a chain shows them.
  const bool is_chain = contract.order == contract::Order::Ascending;
  const std::int64_t terms = is_chain && signature.reduced ? value.operation.extents()[*signature.reduced] : 0;
  for (std::int64_t every = 2; adds_terms(signature) && !contract.promote && every < std::min(terms, kMostPromoted);
       every *= 2) {
    for (const FormatId wide : {FormatId::F32, FormatId::F64}) {
      const Json promotion{{"every", every}, {"format", number::format(wide).name}};
      if (wide != contract.accumulate) listing.add({{"promote", promotion}}, Nature::Everywhere);
    }
  }
  if (reduces(signature)) listing.add({{"empty", fmt::format("{:#x}", observed)}}, Nature::Usual);
  // Who rounds factors to TF32 does so for tensor cores; and what flushes operands mostly flushes results.
  for (const char* tf32 : {"tf32_truncate", "tf32_nearest_away", "tf32_nearest_even", "tf32_any", "tf32_or_exact"}) {
    if (multiplies_terms(signature))
      listing.add({{"multiplicand", tf32}, {"tensor_core", "may"}}, Nature::Everywhere, 2);
  }
  for (const char* policy : {"flush", "either"}) {
    listing.add({{"subnormal_inputs", policy}, {"subnormal_results", policy}}, Nature::Usual, 2);
  }
  return std::move(listing).all();
}

std::optional<Candidate> deeper(const operation::Case& value, const Contract& contract,
                                const std::function<bool(const Contract&)>& permits) {
  const auto additions = oracle::additions_of(value, contract);
  if (!additions || !*additions) return std::nullopt;
  const Signature& signature = value.operation.signature();
  const std::int64_t product = multiplies_terms(signature) ? 1 : 0,
                     terms = value.operation.extents()[*signature.reduced];
  const auto of_depth = [&](std::int64_t depth) {
    Candidate candidate{.fields = {{"depth", depth}}, .words = 1, .contract = contract, .is_usual = true};
    candidate.contract.depth.formula = std::to_string(depth);
    return candidate;
  };
  // A chain is the deepest tree.
  std::int64_t low = **additions + product, high = terms - 1 + product;
  if (low >= high || !permits(of_depth(high).contract)) return std::nullopt;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (permits(of_depth(middle).contract) ? high : low) = middle;
  }
  return of_depth(high);
}

std::string text_of(const Candidate& candidate) {
  std::string text;
  for (const auto& [name, value] : candidate.fields) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " and ", name, value.dump());
  }
  return text;
}

Candidate both(const Candidate& one, const Candidate& other) {
  Candidate result = one;
  result.words += other.words;
  for (const auto& [name, value] : other.fields) {
    (void)field_named(name).read(std::string(name), value, result.contract);
    result.fields.emplace_back(name, value);
  }
  return result;
}

}  // namespace negzero::judgement
