// What kernels gave for given cases, as files.

#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include <negzero/campaign/executors.hpp>
#include <negzero/campaign/outputs.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/property/statefulness.hpp>

namespace negzero::campaign {

base::Result<run::Outcome> outcome_of(const operation::Case& value, const kernel::Kernel& kernel,
                                      const contract::Contract& contract, const EvaluationOptions& options) {
  Executors executors(options.gpus.empty() ? 0 : options.gpus.front(), options.in_process);
  executors.set_timeout(options.timeout_ms);
  const auto executor = executors.of(kernel);
  if (!executor) return executor.error();
  return property::outcome_after(value, kernel, contract, **executor);
}

std::string why_nothing(const run::Outcome& outcome) {
  switch (outcome.status) {
    case run::Outcome::Status::Completed:
      return "";
    case run::Outcome::Status::Failed:
      return outcome.failure ? outcome.failure->message : outcome.reason;
    case run::Outcome::Status::Refused:
      return "the kernel refused: " + outcome.reason;
    case run::Outcome::Status::Error:
      return outcome.reason;
  }
  return outcome.reason;
}

base::Result<std::string> OutputFiles::save(const std::string& path, const operation::Case& value,
                                            const kernel::Kernel& kernel, const EvaluationOptions& options) {
  const auto contract = property::contract_of(value, kernel);
  if (!contract) return contract.error();
  const auto outcome = outcome_of(value, kernel, *contract, options);
  if (!outcome) return outcome.error();
  if (!why_nothing(*outcome).empty()) return std::string();
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".safetensors", ".case"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  const std::string file =
      (std::filesystem::path(directory_) / fmt::format("{}.{}.outputs.safetensors", name, kernel.name)).string();
  const auto [earlier, is_new] = written_.try_emplace(file, path);
  // A case that expects something of the same kernel plainly and watched has one file.
  if (!is_new && earlier->second == path) return file;
  if (!is_new) {
    return base::usage_error(
        fmt::format("{}: a case of this name is there already, and {} would overwrite its outputs; "
                    "rename one of the cases",
                    file, path));
  }
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) {
    return base::infrastructure_error(
        fmt::format("{}: the folder cannot be made: {}; name another one", directory_, error.message()));
  }
  files::Archive archive;
  const auto specs = operation::output_specs(value.operation);
  for (std::size_t o = 0; o < specs.size(); ++o) archive.tensors.emplace(specs[o].name, outcome->outputs[o]);
  archive.metadata = {{"kernel", kernel.name},
                      {"contract", contract::to_json(*contract)},
                      {"contract_version", std::to_string(contract::kVersion)}};
  if (const auto written = files::write_file_atomically(file, files::write_safetensors(archive)); !written) {
    return written.error();
  }
  return file;
}

}  // namespace negzero::campaign
