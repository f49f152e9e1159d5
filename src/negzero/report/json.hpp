// A document as versioned JSON.

#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <negzero/base/result.hpp>
#include <negzero/report/document.hpp>

namespace negzero::report {

/// Version of every JSON document that the program prints.
inline constexpr int kJsonVersion = 2;

/// {"version", the facts that have a key, the lists of the document}, indented. docs/schema/negzero.schema.json has the
/// keys of each command's document and what they mean; tests/ci finds every key that it does not name.
[[nodiscard]] std::string json_text(const Document& document);

/// {"version", "error": {"kind", "message"}}: what a command prints instead of its document when it could not start.
[[nodiscard]] std::string error_json(const base::Error& error);

/// JSON as text, indented. Paths and a kernel's own words may hold bytes that are not UTF-8: they are replaced, so that
/// the document parses.
[[nodiscard]] std::string dump(const nlohmann::ordered_json& json);

/// The share of runs that fail, or null where no time was left for one.
[[nodiscard]] nlohmann::ordered_json hit_rate_json(const std::optional<double>& rate);

}  // namespace negzero::report
