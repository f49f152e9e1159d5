// What `negzero judge` and `negzero explain` hold a case to.

#pragma once

#include <optional>
#include <string>

#include <negzero/base/result.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/operation/case.hpp>

namespace negzero::cli {

/// The same error with the file that it is about.
[[nodiscard]] base::Error named(const std::string& path, const base::Error& error);

/// What was observed: tensors and the words about them.
[[nodiscard]] base::Result<files::Archive> load_observed(const std::string& path);

/// The contract that a file of that operation's outputs names, by the defaults of the version that it names beside it
/// (1 where it names none); nothing where it names no contract. A usage error where either is no such thing.
[[nodiscard]] base::Result<std::optional<contract::Contract>> contract_of_outputs(
    const files::Archive& observed, const operation::Operation& operation);

/// The contract of the flag --contract; without it (empty) that of the case at `path`, else the one that the file of
/// outputs names, `observed_path`, if there is one. A usage error where none of them says.
[[nodiscard]] base::Result<judgement::Assumed> contract_held_to(const std::string& flag, const std::string& path,
                                                                const operation::Case& value,
                                                                const std::string& observed_path,
                                                                const files::Archive* observed);

}  // namespace negzero::cli
