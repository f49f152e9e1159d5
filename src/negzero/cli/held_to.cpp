// Files of outputs, and the contract that they are held to.

#include <utility>

#include <fmt/format.h>

#include <negzero/cli/held_to.hpp>

namespace negzero::cli {

base::Error named(const std::string& path, const base::Error& error) {
  return {error.kind, fmt::format("{}: {}", path, error.message)};
}

base::Result<files::Archive> load_observed(const std::string& path) {
  auto file = files::InputFile::open(path);
  if (!file) {
    return base::Error{file.error().kind,
                       file.error().message + "; --observed names a safetensors file with the outputs by their names"};
  }
  auto archive = files::read_safetensors(*file);
  if (!archive) return named(path, archive.error());
  return archive;
}

base::Result<judgement::Assumed> contract_held_to(const std::string& flag, const std::string& path,
                                                  const operation::Case& value, const std::string& observed_path,
                                                  const files::Archive* observed) {
  if (flag == "default") return judgement::default_contract(value.operation);
  std::string text = flag, where = "--contract";
  std::uint64_t version = contract::kVersion;
  if (text.empty()) {
    text = value.contract;
    version = value.contract_version;
    where = path;
  }
  if (text.empty() && observed != nullptr && observed->metadata.contains("contract")) {
    text = observed->metadata.at("contract");
    version = contract::kVersion;
    where = observed_path;
  }
  if (text.empty()) {
    return base::usage_error(
        fmt::format("{}: the case names no contract; say what its results are held to with --contract, a preset of "
                    "`negzero list contracts`, JSON, or default",
                    path));
  }
  auto contract = contract::parse(text, version);
  if (!contract) return named(where, contract.error());
  return judgement::Assumed{*std::move(contract)};
}

}  // namespace negzero::cli
