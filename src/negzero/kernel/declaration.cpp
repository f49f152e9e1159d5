// What kernels declare, as text: so that a process without their code knows them.

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <negzero/base/nearest.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/declared.hpp>
#include <negzero/operation/limits_json.hpp>

namespace negzero::kernel {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kShowsAll = "all", kShowsValues = "values", kOfInterpreter = "interpreter";
constexpr std::size_t kMostInterpreter = 32;
constexpr std::array<std::string_view, 14> kFields = {
    "name", "operation", "formats",     "contract",    "limits", "executor",  "shows",
    "file", "line",      "interpreter", "contract_of", "about",  "reference", "guessed"};

base::Error unreadable(const KernelSource& source, const std::string& why) {
  const std::string whose = source.program.empty() ? "a program" : source.program.front();
  return base::infrastructure_error(
      whose + "'s declaration of its kernels cannot be read: " + why +
      "; build or install all of negzero, or see docs/reference/worker_protocol.md for a worker "
      "of your own");
}

/// What the library says, without the number of its exception.
std::string words_of(const std::exception& exception) {
  const std::string what = exception.what();
  const std::size_t bracket = what.starts_with('[') ? what.find("] ") : std::string::npos;
  return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

std::string text_at(const nlohmann::json& json, const char* field, const std::string& otherwise) {
  return json.contains(field) ? json.at(field).get<std::string>() : otherwise;
}

/// The kernel that an entry declares. Throws what it is not.
Kernel kernel_of(const nlohmann::json& json, const KernelSource& source) {
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(kFields, key) != kFields.end()) continue;
    throw std::invalid_argument("no field is called \"" + key + "\"; " + base::did_you_mean(key, kFields));
  }
  Kernel kernel{.name = json.at("name"), .operation = json.at("operation")};
  if (kernel.name.size() > kMostKernelName) throw std::invalid_argument("its name is longer than 256 bytes");
  const std::string executor = text_at(json, "executor", "host"),
                    shows = text_at(json, "shows", std::string(kShowsValues));
  const auto where = where_named(executor);
  if (!where) throw std::invalid_argument("no executor is called \"" + executor + "\"");
  if (shows != kShowsAll && shows != kShowsValues) {
    throw std::invalid_argument("shows \"" + shows + "\" is none of all, values");
  }
  kernel.place = where->place;
  kernel.build = {.program = source.program,
                  .named = source.named,
                  .watched = where->watched,
                  .coverage = where->watched,
                  .values_only = shows == kShowsValues,
                  .interpreter = text_at(json, "interpreter", "")};
  const std::string contract_of = text_at(json, "contract_of", "gpu");
  kernel.build.has_interpreters_contract = contract_of == kOfInterpreter;
  if (contract_of != "gpu" && contract_of != kOfInterpreter) {
    throw std::invalid_argument("contract_of \"" + contract_of + "\" is none of gpu, interpreter");
  }
  if (kernel.build.interpreter.size() > kMostInterpreter) {
    throw std::invalid_argument("its interpreter's name is longer than 32 bytes");
  }
  if (kernel.build.values_only && where->watched) {
    throw std::invalid_argument("what shows values only has no watched build");
  }
  if (json.contains("contract")) {
    const nlohmann::json& said = json.at("contract");
    auto contract = contract::parse(said.is_string() ? said.get<std::string>() : said.dump());
    if (!contract) throw std::invalid_argument(contract.error().message);
    kernel.contract = *std::move(contract);
  }
  if (json.contains("limits")) kernel.limits = operation::limits_of(json.at("limits"));
  kernel.limits.distant = !kernel.build.values_only;
  if (json.contains("reference")) kernel.reference = reference_of(json.at("reference"));
  const notation::Signature* const signature = operation::find_signature(kernel.operation);
  if (signature != nullptr && json.contains("formats")) {
    kernel.limits.formats = operation::formats_of(json.at("formats"), *signature);
  }
  if (json.contains("guessed")) {
    for (const std::string word : json.at("guessed")) {
      if (std::ranges::find(kMayBeGuessed, word) == kMayBeGuessed.end()) {
        throw std::invalid_argument("guessed: nothing is called \"" + word + "\"; " +
                                    base::did_you_mean(word, kMayBeGuessed));
      }
      kernel.guessed.push_back(word);
    }
  }
  kernel.about = text_at(json, "about", "");
  if (kernel.about.size() > kMostAbout) throw std::invalid_argument("about is longer than 1024 bytes");
  kernel.file = text_at(json, "file", "");
  if (json.contains("line")) kernel.line = json.at("line");
  return kernel;
}

}  // namespace

std::string declarations(const Registry& registry, const std::vector<std::string>& program) {
  Json kernels = Json::array();
  const std::string all = "*";
  for (const Where where : kWheres) {
    for (const Kernel* kernel : registry.match(std::span(&all, 1), where)) {
      if (kernel->build.program != program) continue;
      Json& entry = kernels.emplace_back(Json{{"name", kernel->name}, {"operation", kernel->operation}});
      if (!kernel->limits.formats.empty()) {
        const notation::Signature& signature = *operation::find_signature(kernel->operation);
        entry["formats"] = operation::formats_json(kernel->limits.formats, signature);
      }
      entry["contract"] = Json::parse(contract::to_json(kernel->contract));
      entry["limits"] = operation::limits_json(kernel->limits);
      if (kernel->reference.exists()) entry["reference"] = reference_json(kernel->reference);
      if (!kernel->guessed.empty()) entry["guessed"] = kernel->guessed;
      entry["executor"] = name(where);
      if (!kernel->build.values_only) entry["shows"] = kShowsAll;
      if (!kernel->build.interpreter.empty()) entry["interpreter"] = kernel->build.interpreter;
      if (kernel->build.has_interpreters_contract) entry["contract_of"] = kOfInterpreter;
      entry["about"] = kernel->about;
      entry["file"] = kernel->file;
      entry["line"] = kernel->line;
    }
  }
  Json result{{"version", kDeclarationVersion}, {"kernels", kernels}, {"errors", registry.errors()}};
  for (const AbsentFile& each : registry.absent()) {
    result["absent"].push_back(Json{{"file", each.file}, {"why", each.why}});
  }
  return result.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<KernelSource> sources(const Registry& registry) {
  std::vector<KernelSource> result;
  for (std::vector<std::string>& program : registry.programs()) {
    std::string text = declarations(registry, program);
    result.push_back({std::move(program), std::move(text)});
  }
  return result;
}

base::Status declare(const KernelSource& source, Registry& registry) {
  const auto parsed = files::parse_strict_json(source.declarations, "it", {.reals = true});
  if (!parsed) return unreadable(source, parsed.error().message);
  std::string at;
  try {
    const nlohmann::json json = files::to_nlohmann(parsed->root());
    if (json.at("version") != kDeclarationVersion) {
      return unreadable(source, "its version is " + json.at("version").dump() + ", and this negzero reads version " +
                                    std::to_string(kDeclarationVersion));
    }
    for (const auto& each : json.at("kernels")) {
      at = each.contains("name") && each.at("name").is_string()
               ? "kernel '" + each.at("name").get<std::string>().substr(0, kMostKernelName) + "': "
               : "a kernel without a name: ";
      registry.declare(kernel_of(each, source));
    }
    at.clear();
    if (json.contains("errors")) {
      for (const auto& error : json.at("errors")) registry.note_error(error);
    }
    if (json.contains("absent")) {
      for (const auto& each : json.at("absent")) registry.note_absent({each.at("file"), each.at("why")});
    }
  } catch (const std::exception& exception) {
    return unreadable(source, at + words_of(exception));
  }
  return base::Ok{};
}

bool add_declared(const std::string& declaration, LaunchFunction launch, const char* file, int line, Where where) {
  const auto parsed = files::parse_strict_json(declaration, "it", {.reals = true});
  try {
    if (!parsed) throw std::invalid_argument(parsed.error().message);
    Kernel kernel = kernel_of(files::to_nlohmann(parsed->root()), {});
    kernel.place = where.place;
    kernel.build = {.watched = where.watched, .coverage = where.watched};
    kernel.launch = std::move(launch);
    return registry().add(std::move(kernel), file, line);
  } catch (const std::exception& exception) {
    registry().note_error(std::string(file) + ":" + std::to_string(line) + ": " + words_of(exception));
  }
  return true;
}

}  // namespace negzero::kernel
