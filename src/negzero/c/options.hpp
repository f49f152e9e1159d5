// The options of the functions as JSON.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <negzero/base/result.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/judgement/judgement.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::c {

using Json = nlohmann::ordered_json;

/// The word of options for the contract that is assumed of an operation of which nothing was declared.
inline constexpr std::string_view kDefaultContract = "default";

/// Reads a JSON object; no bytes are {}. Usage errors name what is no object, nests deeply, or is a key that stands
/// twice or is not among `known`.
[[nodiscard]] base::Result<Json> parse_options(std::string_view text, std::span<const std::string_view> known);

/// "options: KEY is VALUE; give VALID".
[[nodiscard]] base::Error wrong_option(const std::string& key, const Json& value, std::string_view valid);

/// An integer option from 0 to 2^64 - 1.
[[nodiscard]] base::Result<std::uint64_t> large_number(const std::string& key, const Json& value);

/// What an integer option may be.
struct IntegerRange {
  std::int64_t least, most;
};
[[nodiscard]] base::Result<std::int64_t> integer(const std::string& key, const Json& value, IntegerRange range);

/// A preset's name or an object of fields.
[[nodiscard]] base::Result<contract::Contract> contract_of(const Json& given);

/// What a caller asks for.
struct Asked {
  judgement::Options options{};
  contract::Contract contract{};
  std::string assumed{};  ///< judgement::Assumed::text where the contract was to be the default one
  std::optional<std::string> element{};
};

/// Which keys an entry knows.
enum class Keys : unsigned char { OfJudge, OfPermitted, OfExplain };

/// Reads options (negzero.h); no bytes are {}. Usage errors name the key, the value and what is valid, a case without a
/// contract where none is given, and a contract that cannot be read.
[[nodiscard]] base::Result<Asked> asked(std::string_view json, Keys keys, const operation::Case& value);

}  // namespace negzero::c
