// What kernels declare, as text: so that a process without their code knows them.

#include <utility>

#include <nlohmann/json.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/operation/limits_json.hpp>

namespace negzero::kernel {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;

base::Error unreadable(const std::string& why) {
  return base::infrastructure_error("a program's declaration of its kernels cannot be read: " + why +
                                    "; build or install all of negzero");
}

}  // namespace

std::string declarations(const Registry& registry, const std::vector<std::string>& program) {
  Json kernels = Json::array();
  const std::string all = "*";
  for (const Where where : kWheres) {
    for (const Kernel* kernel : registry.match(std::span(&all, 1), where)) {
      if (kernel->build.program != program) continue;
      kernels.push_back({{"name", kernel->name},
                         {"operation", kernel->operation},
                         {"about", kernel->about},
                         {"executor", name(where)},
                         {"contract", Json::parse(contract::to_json(kernel->contract))},
                         {"limits", operation::limits_json(kernel->limits)},
                         {"file", kernel->file},
                         {"line", kernel->line}});
    }
  }
  return Json{{"version", kVersion}, {"kernels", kernels}, {"errors", registry.errors()}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
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
  const auto parsed = files::parse_strict_json(source.declarations, "it");
  if (!parsed) return unreadable(parsed.error().message);
  try {
    const nlohmann::json json = files::to_nlohmann(parsed->root());
    if (json.at("version") != kVersion) return unreadable("it is of another version");
    for (const auto& each : json.at("kernels")) {
      const std::string word = each.at("executor");
      const auto where = where_named(word);
      if (!where) return unreadable("executor " + word);
      auto contract = contract::parse(each.at("contract").dump());
      if (!contract) return unreadable(contract.error().message);
      registry.declare({.name = each.at("name"),
                        .operation = each.at("operation"),
                        .about = each.at("about"),
                        .contract = *std::move(contract),
                        .limits = operation::limits_of(each.at("limits")),
                        .place = where->place,
                        .build = {.program = source.program,
                                  .is_named = source.is_named,
                                  .watched = where->watched,
                                  .coverage = where->watched},
                        .file = each.at("file"),
                        .line = each.at("line")});
    }
    for (const auto& error : json.at("errors")) registry.note_error(error);
  } catch (const std::exception& exception) {
    return unreadable(exception.what());
  }
  return base::Ok{};
}

}  // namespace negzero::kernel
