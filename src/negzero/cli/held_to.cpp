// Files of outputs, and the contract that they are held to.

#include <utility>

#include <fmt/format.h>

#include <negzero/base/printable.hpp>
#include <negzero/cli/held_to.hpp>
#include <negzero/files/field_reader.hpp>

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

base::Result<std::optional<contract::Contract>> contract_of_outputs(const files::Archive& observed,
                                                                    const operation::Operation& operation) {
  const auto text = observed.metadata.find("contract"), said = observed.metadata.find("contract_version");
  if (text == observed.metadata.end() || text->second.empty()) return std::optional<contract::Contract>();
  const auto version = said == observed.metadata.end() ? std::uint64_t{1} : files::parse_decimal(said->second);
  if (!version) {
    return base::usage_error(fmt::format("metadata contract_version = \"{}\" is not a decimal number of 64 bits",
                                         base::one_line(said->second)));
  }
  auto contract = judgement::named_contract(text->second, *version, operation);
  if (!contract) return contract.error();
  return std::optional(*std::move(contract));
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
  if (text.empty() && observed != nullptr) {
    auto of_outputs = contract_of_outputs(*observed, value.operation);
    if (!of_outputs) return named(observed_path, of_outputs.error());
    if (*of_outputs) return judgement::Assumed{**std::move(of_outputs)};
  }
  if (text.empty()) {
    return base::usage_error(
        fmt::format("{}: the case names no contract; say what its results are held to with --contract, a preset of "
                    "`negzero list contracts`, JSON, or default",
                    path));
  }
  auto contract = judgement::named_contract(text, version, value.operation);
  if (!contract) return named(where, contract.error());
  return judgement::Assumed{*std::move(contract)};
}

}  // namespace negzero::cli
