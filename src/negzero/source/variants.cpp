// Names variants by the formats that tell them apart.

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/lower.hpp>
#include <negzero/number/format.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/source/variants.hpp>

namespace negzero::source {
namespace {

using Json = nlohmann::ordered_json;
using Combination = std::vector<number::FormatId>;

/// The formats of slots that differ between combinations; without neighbours that are equal where `is_short`.
std::string suffix_of(const Combination& combination, const std::vector<Combination>& all, bool is_short) {
  std::string result;
  const number::FormatId* last = nullptr;
  for (std::size_t slot = 0; slot < combination.size(); ++slot) {
    const auto is_same = [&](const Combination& each) { return each[slot] == combination[slot]; };
    if (std::ranges::all_of(all, is_same)) continue;
    const bool is_told = is_short && last != nullptr && *last == combination[slot];
    last = &combination[slot];
    if (is_told) continue;
    if (!result.empty()) result += '_';
    result += base::lower(std::string(number::format(combination[slot]).name));
  }
  return result;
}

}  // namespace

base::Result<std::vector<Declaration>> variants_of(Declaration declaration) {
  Json json = Json::parse(declaration.json);
  const Json said = json["formats"];
  if (said.size() == 1) return std::vector{std::move(declaration)};
  const notation::Signature& signature = *operation::find_signature(declaration.operation);
  std::vector<Combination> all = operation::formats_of(said, signature);
  for (Combination& each : all) {
    while (each.size() < signature.formats.size()) each.push_back(signature.usual_format(each.size(), each));
  }
  if (std::set(all.begin(), all.end()).size() < all.size()) {
    return base::usage_error(fmt::format("kernel '{}': two lines of formats are one combination; leave one of them out",
                                         declaration.kernel));
  }
  std::set<std::string> names;
  for (const Combination& each : all) names.insert(suffix_of(each, all, true));
  const bool is_short = names.size() == all.size();
  std::vector<Declaration> result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Declaration& variant = result.emplace_back(declaration);
    variant.kernel += "." + suffix_of(all[i], all, is_short);
    json["name"] = variant.kernel;
    json["formats"] = Json::array({said[i]});
    variant.json = json.dump();
    for (verdict::LedgerEntry& entry : variant.accepted) entry.kernel = variant.kernel;
  }
  return result;
}

}  // namespace negzero::source
