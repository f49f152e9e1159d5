// `negzero list`.

#include <functional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/list_cases.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/operation/operation.hpp>
#include <negzero/oracle/permitted.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

using Json = nlohmann::ordered_json;

/// A name and what there is to say about it, in order.
struct Entry {
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;
  Json details{};  ///< in the place of facts that programs want in parts
};

/// "x[updates]", "index[updates] < destinations"; in parts {"name", "role", "shape", "format"} and "below" of indices,
/// "at_most" of counts.
/// A format is the name of the tensor whose format it is, or I32.
struct Tensors {
  std::string text;
  Json parts = Json::array();

  void add(const operation::Signature& signature, const operation::TensorSignature& tensor) {
    constexpr const char* kRoles[] = {"input", "index", "initial", "output"};
    Json part{{"name", tensor.name}, {"role", kRoles[static_cast<int>(tensor.role)]}, {"shape", Json::array()}};
    std::string extents;
    for (const std::size_t extent : tensor.extents) {
      const std::string& name = signature.extents[extent];
      part["shape"].push_back(name);
      extents += (extents.empty() ? "" : ", ") + name;
    }
    const bool is_index = tensor.format == operation::TensorSignature::kIndices;
    part["format"] = is_index ? "I32" : signature.formats[tensor.format];
    text += fmt::format("{}{}[{}]", text.empty() ? "" : ", ", tensor.name, extents);
    if (tensor.index_below) {
      part["below"] = signature.extents[*tensor.index_below];
      text += " < " + signature.extents[*tensor.index_below];
    }
    if (tensor.counts_of) {
      part["at_most"] = signature.extents[*tensor.counts_of];
      text += " <= " + signature.extents[*tensor.counts_of];
    }
    parts.push_back(std::move(part));
  }
};

std::vector<Entry> operations() {
  std::vector<Entry> result;
  for (const operation::Signature& signature : operation::signatures()) {
    Tensors inputs, outputs;
    for (const operation::TensorSignature& tensor : signature.tensors) {
      (tensor.role == operation::Role::Output ? outputs : inputs).add(signature, tensor);
    }
    Entry entry{signature.name,
                {{"definition", signature.definition}, {"inputs", inputs.text}, {"outputs", outputs.text}}};
    Json scalars = Json::array();
    for (const operation::ScalarSignature& scalar : signature.scalars) scalars.push_back(scalar.name);
    entry.details = {{"definition", signature.definition},
                     {"extents", signature.extents},
                     {"scalars", scalars},
                     {"inputs", inputs.parts},
                     {"outputs", outputs.parts}};
    result.push_back(std::move(entry));
  }
  return result;
}

base::Result<std::vector<Entry>> kernels(std::vector<std::string> globs) {
  if (globs.empty()) globs.emplace_back("*");
  const auto matching = campaign::kernels_matching(globs);
  if (!matching) return matching.error();
  std::vector<Entry> result;
  for (const kernel::Kernel* kernel : *matching) {
    result.push_back({kernel->name,
                      {{"operation", kernel->operation},
                       {"about", kernel->about},
                       {"limits", operation::describe(kernel->limits, kernel->operation)},
                       {"contract", contract::describe(kernel->contract)}}});
  }
  return result;
}

/// Presets are named by the formats they are meant for; where two are one contract, that is said.
std::vector<Entry> contracts() {
  std::vector<Entry> result;
  for (const std::string_view name : contract::preset_names()) {
    Entry entry{std::string(name), {{"numerics", contract::describe(*contract::preset(name))}}};
    for (const std::string_view earlier : contract::preset_names()) {
      if (earlier == name) break;
      if (*contract::preset(earlier) != *contract::preset(name)) continue;
      entry.facts.emplace_back("same_as", std::string(earlier));
      break;
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<Entry> entries(const std::string& what) {
  std::vector<Entry> result;
  if (what == "operations") {
    result = operations();
  } else if (what == "contracts") {
    result = contracts();
  } else if (what == "strategies") {
    for (const generate::Strategy& strategy : generate::strategies()) {
      result.push_back({std::string(strategy.name),
                        {{"makes", std::string(strategy.makes)},
                         {"catches", std::string(strategy.catches)},
                         {"weight", fmt::format("{:g}", strategy.weight)}}});
    }
  } else if (what == "properties") {
    result.push_back({"conformance", {{"claim", "every output is one that the kernel's contract permits"}}});
    for (const property::Metamorphic& property : property::metamorphic_properties()) {
      result.push_back(
          {std::string(property.name),
           {{"claim", std::string(property.claim)}, {"bitwise_when", std::string(property.precondition)}}});
    }
  } else if (what == "rules") {
    for (const oracle::Rule& rule : oracle::rules()) {
      result.push_back(
          {std::string(rule.id), {{"claim", std::string(rule.claim)}, {"source", std::string(rule.source)}}});
    }
  } else {
    const auto kernels_of = [](kernel::Executor executor) {
      const std::string all = "*";
      return kernel::registry().match(std::span(&all, 1), executor).size();
    };
    result.push_back({"host",
                      {{"about", fmt::format("{} cores, {} kernels", std::thread::hardware_concurrency(),
                                             kernels_of(kernel::Executor::Host))}}});
    for (const device::Gpu& gpu : device::probe().gpus) {
      result.push_back(
          {fmt::format("cuda:{}", gpu.number),
           {{"about", fmt::format("{}, compute capability {}.{}, {:.1f} GiB, {} kernels", gpu.name, gpu.major,
                                  gpu.minor, double(gpu.memory_bytes) / (1 << 30), kernels_of(kernel::Executor::Cuda))},
            {"trouble", gpu.trouble}}});
    }
  }
  return result;
}

}  // namespace

int list(const ListFlags& flags, const Common& common) {
  if (flags.what == "cases") return list_cases(flags, common);
  const ListFlags plain;
  const bool makes =
      flags.cases != plain.cases || flags.seed != plain.seed || !flags.weights.empty() || !flags.extents.empty();
  if (makes) {
    return fail(base::usage_error(fmt::format(
                    "list {}: --cases, --seed, --weight and --extents are of `negzero list cases KERNEL`", flags.what)),
                common);
  }
  if (!flags.globs.empty() && flags.what != "kernels") {
    return fail(base::usage_error(fmt::format("'{}': only kernels are listed by name; `negzero list {}` shows all {}",
                                              flags.globs.front(), flags.what, flags.what)),
                common);
  }
  const auto listed = flags.what == "kernels" ? kernels(flags.globs) : entries(flags.what);
  if (!listed) return fail(listed.error(), common);
  const std::vector<Entry>& all = *listed;
  std::string text;
  if (common.json) {
    Json items = Json::array();
    for (const Entry& entry : all) {
      Json item{{"name", entry.name}};
      if (entry.details.is_null()) {
        for (const auto& [key, value] : entry.facts) item[key] = value;
      } else {
        item.update(entry.details);
      }
      items.push_back(std::move(item));
    }
    text = Json{{"version", report::kJsonVersion}, {flags.what, items}}.dump(2) + "\n";
  } else {
    for (const Entry& entry : all) {
      text += entry.name + "\n";
      for (const auto& [key, value] : entry.facts) {
        if (!value.empty()) text += fmt::format("    {}: {}\n", key, value);
      }
    }
  }
  if (!(common.json ? print_document(text) : print_text(text))) return kInfrastructure;
  return all.empty() ? kUndecided : kClean;
}

}  // namespace negzero::cli
