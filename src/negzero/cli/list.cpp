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
#include <negzero/judgement/catalogue.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/operation/limits.hpp>
#include <negzero/property/metamorphic.hpp>
#include <negzero/report/json.hpp>
#include <negzero/source/declaration_words.hpp>

namespace negzero::cli {

namespace {

using Json = nlohmann::ordered_json;
using judgement::Entry;

base::Result<std::vector<Entry>> kernels(std::vector<std::string> globs) {
  if (globs.empty()) globs.emplace_back("*");
  const auto matching = campaign::kernels_anywhere(globs);
  if (!matching) return matching.error();
  std::vector<Entry> result;
  for (const kernel::Kernel* kernel : *matching) {
    result.push_back({kernel->name,
                      {{"operation", kernel->operation},
                       {"about", kernel->about},
                       {"limits", operation::describe(kernel->limits, kernel->operation)},
                       {"contract", kernel::declared_text(*kernel)}}});
    // Most kernels have a build for the host, which needs no word.
    if (kernel::registry().find(kernel->name, {}) == nullptr) {
      result.back().facts.emplace_back("executor", std::string(kernel::name(kernel->place)));
    }
    if (kernel->build.values_only) result.back().facts.emplace_back("shows", "values");
    if (const std::string text = kernel::interpreter_text(kernel->build); !text.empty()) {
      result.back().facts.emplace_back("interpreter", text);
    }
  }
  return result;
}

std::vector<Entry> entries(const std::string& what) {
  std::vector<Entry> result;
  if (what == "operations") {
    result = judgement::operation_entries();
  } else if (what == "contracts") {
    result = judgement::contract_entries();
  } else if (what == "fields") {
    result = judgement::field_entries();
  } else if (what == "formats") {
    result = judgement::format_entries();
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
          {std::string(property.name()),
           {{"claim", std::string(property.claim())}, {"bitwise_when", std::string(property.precondition())}}});
    }
  } else if (what == "rules") {
    result = judgement::rule_entries();
  } else if (what == "declaration") {
    for (const source::DeclarationWord& each : source::declaration_words()) {
      result.push_back({std::string(each.word),
                        {{"says", std::string(each.says)},
                         {"example", fmt::format("{} {}", each.word, each.form)},
                         {"without_it", std::string(each.usually.empty() ? "an error" : each.usually)},
                         {"repeats", each.repeats ? "yes" : ""}}});
    }
    for (const source::LaunchName& each : source::launch_names()) {
      result.push_back({fmt::format("{} (in launch)", each.name), {{"is", std::string(each.is)}}});
    }
  } else {
    const auto kernels_of = [](kernel::Place place) {
      const std::string all = "*";
      return kernel::registry().match(std::span(&all, 1), place).size();
    };
    result.push_back({"host",
                      {{"about", fmt::format("{} cores, {} kernels", std::thread::hardware_concurrency(),
                                             kernels_of(kernel::Place::Host))}}});
    for (const device::Gpu& gpu : device::probe().gpus) {
      result.push_back(
          {fmt::format("cuda:{}", gpu.number),
           {{"about", fmt::format("{}, compute capability {}.{}, {:.1f} GiB, {} kernels", gpu.name, gpu.major,
                                  gpu.minor, double(gpu.memory_bytes) / (1 << 30), kernels_of(kernel::Place::Device))},
            {"trouble", gpu.trouble}}});
    }
  }
  return result;
}

}  // namespace

int list(const ListFlags& flags, const Common& common) {
  if (flags.what == "cases") return list_cases(flags, common);
  const ListFlags plain;
  const bool makes = flags.cases != plain.cases || flags.executor != plain.executor || flags.making != plain.making;
  if (makes) {
    return fail(
        base::usage_error(fmt::format(
            "list {}: --cases, --executor, --seed, --weight, --extents and --finite are of `negzero list cases KERNEL`",
            flags.what)),
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
    Json document{{"version", report::kJsonVersion}, {flags.what, judgement::json_of(all)}};
    if (flags.what == "kernels") {
      for (const auto& [file, why] : kernel::registry().absent()) {
        document["absent"].push_back(Json{{"file", file}, {"why", why}});
      }
    }
    text = document.dump(2) + "\n";
  } else {
    for (const Entry& entry : all) {
      text += entry.name + "\n";
      for (const auto& [key, value] : entry.facts) {
        if (!value.empty()) text += fmt::format("    {}: {}\n", key, value);
      }
    }
  }
  if (!(common.json ? print_document(text) : print_text(text))) return kInfrastructure;
  const std::string absent = campaign::absent_kernels();
  if (flags.what == "kernels" && flags.globs.empty() && !common.json && !absent.empty()) tell_line(absent);
  return all.empty() ? kUndecided : kClean;
}

}  // namespace negzero::cli
