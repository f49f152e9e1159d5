// Limits as JSON, so that a process without a kernel's code knows them.

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <negzero/notation/signature.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::operation {

/// What limits say besides formats, where it differs from the default:
///
///     {"extents": {"k": {"least": 0, "greatest": 4096, "multiple": 16, "power_of_two": true, "tiles": [64]}},
///      "alpha": "zero_or_one", "beta": "zero",
///      "scalars": {"epsilon": {"least": 1e-6, "greatest": 0.1}},
///      "values": {"x": {"least": -1e4, "greatest": 1e4, "inf": "negative", "nan": true}},
///      "inputs": {"order": "row_major", "broadcast": false, "greatest_offset": 0, "offset_multiple": 1,
///                 "stride_multiple": 8, "alignment": 16, "shared": ["batch"]},
///      "output": {"order": "packed"},
///      "tensors": {"b": {"order": "column_major"}},
///      "products": [{"of": ["m", "n"], "greatest": 1048576}],
///      "equal": [["m", "n", "k"]],
///      "in_place": {"input": "c", "always": true},
///      "configuration": {"algorithm": [0, 1, 2]}}
///
/// alpha and beta: any, zero_or_one, zero, one. inf: no, positive, negative, yes. order: any, row_or_column_major,
/// row_major, column_major, packed.
[[nodiscard]] nlohmann::ordered_json limits_json(const Limits& limits);

/// One entry of `values`.
[[nodiscard]] nlohmann::ordered_json values_json(const ValueRange& range);

/// Limits of such a document; what it leaves out has its default. Throws nlohmann's exceptions, or
/// std::invalid_argument, which names a field or a word that is not known.
[[nodiscard]] Limits limits_of(const nlohmann::json& json);

/// Combinations of formats, each slot of the signature by its name: [{"a": "F16", "b": "F16", "d": "F32"}]. A slot that
/// has its usual format is left out. Requires combinations that validate() accepts.
[[nodiscard]] nlohmann::ordered_json formats_json(const std::vector<std::vector<number::FormatId>>& formats,
                                                  const notation::Signature& signature);

/// What formats_json() is the inverse of. Throws as limits_of() does.
[[nodiscard]] std::vector<std::vector<number::FormatId>> formats_of(const nlohmann::json& json,
                                                                    const notation::Signature& signature);

}  // namespace negzero::operation
