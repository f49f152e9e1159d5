// The metadata of a case file: everything of a case but its tensors, as strings by key.

#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/tensor/safetensors.hpp>

namespace negzero::operation {

/// The keys that this version knows; every other one is kept in Case::unknown.
inline constexpr std::array<std::string_view, 14> kKnownKeys{"contract", "expect",  "found",   "history",   "index",
                                                             "kernel",   "layout",  "negzero", "operation", "poison",
                                                             "schedule", "scalars", "seed",    "strategy"};

using Metadata = std::map<std::string, std::string>;

/// The metadata of a valid case, in the form that write_case() documents.
[[nodiscard]] Metadata metadata_of(const Case& value);

/// A case without tensors from metadata of any content. What it returns is well formed, not yet valid.
[[nodiscard]] base::Result<Case> case_of(Metadata metadata);

/// The part of validate(Case) that needs no element: all but elements that share an address and indices. `tensors` are
/// those that a file announces; value.tensors are not looked at. Requires an operation that validate() accepts.
[[nodiscard]] base::Status validate_described(const Case& value,
                                              const std::map<std::string, tensor::Declared>& tensors);
/// The rest of validate(Case). Requires tensors as they were announced to validate_described().
[[nodiscard]] base::Status validate_elements(const Case& value);

}  // namespace negzero::operation
