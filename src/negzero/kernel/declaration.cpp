// What kernels declare, as text: so that a process without their code knows them.

#include <algorithm>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

#include <negzero/contract/contract.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::kernel {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;
constexpr Executor kExecutors[] = {Executor::Host, Executor::Cuda, Executor::Watched};

base::Error unreadable(const std::string& why) {
  return base::infrastructure_error("a program's declaration of its kernels cannot be read: " + why +
                                    "; build or install all of negzero");
}

}  // namespace

std::string declarations(const Registry& registry) {
  Json kernels = Json::array();
  const std::string all = "*";
  for (const Executor executor : kExecutors) {
    for (const Kernel* kernel : registry.match(std::span(&all, 1), executor)) {
      kernels.push_back({{"name", kernel->name},
                         {"operation", kernel->operation},
                         {"about", kernel->about},
                         {"executor", name(executor)},
                         {"contract", Json::parse(contract::to_json(kernel->contract))},
                         {"limits", operation::limits_json(kernel->limits)},
                         {"file", kernel->file},
                         {"line", kernel->line}});
    }
  }
  return Json{{"version", kVersion}, {"kernels", kernels}, {"errors", registry.errors()}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

base::Status declare(std::string_view document, Registry& registry) {
  const auto parsed = tensor::parse_strict_json(document, "it");
  if (!parsed) return unreadable(parsed.error().message);
  try {
    const nlohmann::json json = tensor::to_nlohmann(parsed->root());
    if (json.at("version") != kVersion) return unreadable("it is of another version");
    for (const auto& each : json.at("kernels")) {
      const std::string word = each.at("executor");
      const auto executor = std::ranges::find(kExecutors, word, [](Executor e) { return std::string(name(e)); });
      if (executor == std::end(kExecutors)) return unreadable("executor " + word);
      auto contract = contract::parse(each.at("contract").dump());
      if (!contract) return unreadable(contract.error().message);
      registry.declare({.name = each.at("name"),
                        .operation = each.at("operation"),
                        .about = each.at("about"),
                        .contract = *std::move(contract),
                        .limits = operation::limits_of(each.at("limits")),
                        .executor = *executor,
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
