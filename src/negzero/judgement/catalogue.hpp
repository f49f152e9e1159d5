// What there is to choose from (operations, contracts, formats, rules), as rows for people and for programs.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <negzero/notation/signature.hpp>

namespace negzero::judgement {

/// A name and what there is to say about it, in order.
struct Entry {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
  nlohmann::ordered_json details{};  ///< in the place of facts that programs want in parts
};

[[nodiscard]] std::vector<Entry> operation_entries();
/// The row of one of them, or of a declared operation: with "declared", and "each", its extents that are each by
/// itself.
[[nodiscard]] Entry operation_entry(const notation::Signature& signature);
/// Presets are named by the formats they are meant for; where two are one contract, that is said.
[[nodiscard]] std::vector<Entry> contract_entries();
/// The fields of a contract: what each takes (words, null among them, or the name of a kind), its default, its meaning.
[[nodiscard]] std::vector<Entry> field_entries();
/// The formats of number::all_formats(), with their widths in bits, bias, least and greatest finite values, smallest
/// positive ones and encodings of infinities and NaN. In details a value is [decimal, hexadecimal bits], and an integer
/// has no bias and no normal numbers.
[[nodiscard]] std::vector<Entry> format_entries();
/// The rules that a judgement of one case names: claim, source, and the class of failure where a rule has one.
[[nodiscard]] std::vector<Entry> rule_entries();

/// {"name": ..., each fact or detail: ...}, one each.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Entry>& entries);

}  // namespace negzero::judgement
