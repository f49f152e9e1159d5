// A contract as JSON: its fields where they differ from the defaults, and whatever a stranger wrote instead.

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include <negzero/base/nearest.hpp>
#include <negzero/contract/fields.hpp>
#include <negzero/files/json_watch.hpp>

namespace negzero::contract {
namespace {

using Json = nlohmann::ordered_json;
using base::Status;
using base::usage_error;

std::vector<std::string_view> known_fields() {
  std::vector<std::string_view> names{"preset"};
  for (const Field& row : fields()) names.push_back(row.name);
  return names;
}

/// The JSON of a contract, or why it is none in `error`.
Json parse_json(std::string_view text, std::string& error) {
  constexpr int kDeepest = 8;
  files::JsonWatch watch(kDeepest);
  try {
    Json json = Json::parse(text, std::ref(watch));
    if (watch.is_deep()) error = "contract: nested deeper than any contract";
    if (watch.duplicate()) error = "contract: the key \"" + *watch.duplicate() + "\" stands there twice";
    return json;
  } catch (const Json::exception& problem) {
    constexpr std::size_t kMost = 60;
    const std::string shown = text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
    // The library's number of the exception says nothing to the reader of a file.
    const std::string what = problem.what();
    const std::size_t bracket = what.find("] ");
    error = "contract: '" + shown + "' is no preset (" + in_commas(preset_names()) +
            ") and not JSON: " + what.substr(bracket == std::string::npos ? 0 : bracket + 2);
    return nullptr;
  }
}

/// What a contract of that version means that says no more than `base` does.
Contract of_version(std::uint64_t version, Contract base) {
  if (version == 1 && base.overflow == OverflowPolicy::Default) base.overflow = OverflowPolicy::Ieee;
  return base;
}

/// What a contract that says `scalars` "formula" must not say besides. (A field that is not there is false too.)
Status validate_formula(const Json& json, const Contract& contract) {
  if (contract.scalars != Scalars::Formula) return base::Ok{};
  for (const char* reads : {"reads_a_b_at_alpha_zero", "reads_c_at_beta_zero"}) {
    if (json.value(reads, true)) continue;
    return usage_error("contract: scalars \"formula\" contradicts " + std::string(reads) +
                       " false (the formula multiplies whatever the scalar is)");
  }
  return base::Ok{};
}

}  // namespace

std::string to_json(const Contract& contract) {
  const Contract defaults;
  Json json = Json::object();
  for (const Field& row : fields()) {
    if (!row.same(contract, defaults)) json[std::string(row.name)] = row.write(contract);
  }
  return json.dump();
}

base::Result<Contract> parse(std::string_view text, std::uint64_t version) {
  if (version < 1 || version > kVersion) {
    return usage_error("contract: its defaults are those of version " + std::to_string(version) +
                       ", and this negzero knows versions 1 to " + std::to_string(kVersion) +
                       ": use the newer negzero that wrote it");
  }
  if (const auto named = preset(text)) return of_version(version, *named);
  constexpr std::size_t kMaxBytes = 1 << 16;
  if (text.size() > kMaxBytes) return usage_error("contract: longer than 65536 bytes");
  if (text.find('{') == std::string_view::npos) {
    return usage_error("contract \"" + std::string(text) + "\": no such preset; " +
                       base::did_you_mean(text, preset_names()) + "known: " + in_commas(preset_names()));
  }
  std::string error;
  const Json json = parse_json(text, error);
  if (!error.empty()) return usage_error(error);
  if (!json.is_object()) return usage_error("contract: " + json.dump() + " is neither an object nor a preset");
  Contract start;
  if (json.contains("preset")) {
    const Json& name = json["preset"];
    const auto base = name.is_string() ? preset(name.get_ref<const std::string&>()) : std::nullopt;
    if (!base) return none_of("preset", name, preset_names());
    start = *base;
  }
  Contract contract = of_version(version, std::move(start));
  for (const auto& [key, value] : json.items()) {
    if (key == "preset") continue;
    const Field* found = nullptr;
    for (const Field& row : fields()) {
      if (row.name == key) found = &row;
    }
    if (found == nullptr) {
      const auto known = known_fields();
      return usage_error("contract field \"" + key + "\" is unknown; " + base::did_you_mean(key, known) +
                         "known: " + in_commas(known));
    }
    if (Status status = found->read(key, value, contract); !status) return status.error();
  }
  if (Status status = validate_formula(json, contract); !status) return status.error();
  if (Status status = validate(contract); !status) return status.error();
  return contract;
}

}  // namespace negzero::contract
