// Limits as JSON, so that a process without a kernel's code knows them.

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// {"formats": [["F16", "F16", "F32"]], "extents": {"k": [min, max, multiple, tiles]}, "alpha": 0, "beta": 0,
/// "inputs": [order, broadcast, max_offset, offset_multiple, stride_multiple], "output": ...}, enumerators as numbers;
/// without "formats" where every combination is accepted.
[[nodiscard]] nlohmann::ordered_json limits_json(const Limits& limits);

/// What limits_json() wrote. Throws nlohmann's exceptions, or std::invalid_argument.
[[nodiscard]] Limits limits_of(const nlohmann::json& json);

}  // namespace negzero::operation
