// The metadata of a case file: everything of a case but its tensors, as strings by key.

#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include <negzero/base/result.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::case_file {

using Metadata = std::map<std::string, std::string>;

/// The metadata of a valid case, in the form that write() documents.
[[nodiscard]] Metadata metadata_of(const operation::Case& value);

/// A case without tensors from metadata of any content. What it returns is well formed, not yet valid.
[[nodiscard]] base::Result<operation::Case> case_of(Metadata metadata);

}  // namespace negzero::case_file
