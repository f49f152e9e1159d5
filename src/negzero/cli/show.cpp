// `negzero show`.

#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/printable.hpp>
#include <negzero/campaign/case_files.hpp>
#include <negzero/campaign/known_failure.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/judgement/counterexample.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/number/encoding.hpp>
#include <negzero/operation/case.hpp>
#include <negzero/property/conformance.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// A value as [decimal, hexadecimal bits].
nlohmann::ordered_json value_json(const number::Format& format, std::uint64_t word) {
  return {number::to_decimal(format, word), number::to_hex(format, word)};
}

nlohmann::ordered_json scalar_json(const operation::Scalar& scalar) {
  const number::Format& format = number::format(scalar.format);
  return {{"format", format.name}, {"value", value_json(format, scalar.bits)}};
}

/// Where the values of a tensor go in a document; print_values() puts them there. No text inside a document holds this,
/// as quotes inside a text are escaped.
constexpr std::string_view kNoValues = "\"values\": null";

/// A tensor without its values: a document of all of them would take a hundred times the memory of the case.
nlohmann::ordered_json tensor_json(const tensor::Tensor& tensor) {
  return {{"dtype", tensor.format().name}, {"shape", tensor.shape()}, {"values", nullptr}};
}

/// Prints "values" of a tensor, a line an element, a part at a time. False where that fails.
bool print_values(const tensor::Tensor& tensor) {
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::string text = "\"values\": [";
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const std::uint64_t word = tensor.get(i);
    text += fmt::format("{}\n        [\"{}\", \"{}\"]", i == 0 ? "" : ",", number::to_decimal(tensor.format(), word),
                        number::to_hex(tensor.format(), word));
    if (text.size() < kPart) continue;
    if (!print_document(text)) return false;
    text.clear();
  }
  return print_document(text + "]");
}

nlohmann::ordered_json expectation_json(const operation::Expectation& what) {
  nlohmann::ordered_json item{
      {"kernel", what.kernel}, {"executor", what.executor}, {"verdict", verdict::name(what.verdict)}};
  if (what.failure_class) item["class"] = verdict::name(*what.failure_class);
  if (!what.rule.empty()) item["rule"] = what.rule;
  if (!what.needs.empty()) item["needs"] = what.needs;
  return item;
}

/// The contract that decides what the case's kernel may read; nothing where neither the file nor a kernel here says.
std::optional<contract::Contract> contract_of(const operation::Case& value) {
  if (const kernel::Kernel* const kernel = kernel::registry().find_anywhere(value.kernel)) {
    auto contract = property::contract_of(value, *kernel);
    return contract ? std::optional(*std::move(contract)) : std::nullopt;
  }
  auto contract = judgement::named_contract(value);
  return contract ? std::optional(*std::move(contract)) : std::nullopt;
}

}  // namespace

int show(const ShowFlags& flags, const Common& common) {
  const auto value = campaign::load_case(flags.path);
  if (!value) return fail(value.error(), common);
  if (!common.json) {
    const auto contract = contract_of(*value);
    std::string text = judgement::describe(*value, contract ? &*contract : nullptr, "") + "\n";
    if (!value->kernel.empty()) text += fmt::format("kernel {}\n", base::one_line(value->kernel));
    if (!value->contract.empty()) text += fmt::format("contract {}\n", base::one_line(value->contract));
    const auto say = [&](const char* word, const operation::Expectation& what) {
      text += fmt::format("{} {} on {}: {}\n", word, base::one_line(what.kernel), what.executor,
                          base::one_line(campaign::describe(what)));
    };
    if (value->found) say("found by", *value->found);
    for (const operation::Expectation& expected : value->expect) say("expects", expected);
    return print_text(text) ? kClean : kInfrastructure;
  }
  using Json = nlohmann::ordered_json;
  Json tensors = Json::object(), layouts = Json::object(), expect = Json::array();
  for (const auto& [name, tensor] : value->tensors) tensors[name] = tensor_json(tensor);
  for (const auto& [name, layout] : value->layouts) {
    layouts[name] = {{"shape", layout.shape}, {"strides", layout.strides}, {"offset", layout.offset}};
  }
  for (const operation::Expectation& expected : value->expect) expect.push_back(expectation_json(expected));
  Json document{{"version", report::kJsonVersion},
                {"operation", value->operation.signature().identity()},
                {"description", judgement::describe(value->operation)}};
  for (std::size_t i = 0; i < value->operation.scalars().size(); ++i) {
    document["scalars"][value->operation.signature().scalars[i].name] = scalar_json(value->operation.scalars()[i]);
  }
  document["kernel"] = value->kernel;
  document["contract"] = value->contract;
  document["contract_version"] = value->contract_version;
  document["strategy"] = value->strategy;
  document["seed"] = value->seed;
  document["index"] = value->index;
  document["poison"] = operation::name(value->poison);
  document["schedule"] = {{"order", operation::name(value->schedule.order)},
                          {"preempt", value->schedule.preempt},
                          {"seed", value->schedule.seed}};
  document["tensors"] = std::move(tensors);
  document["layouts"] = std::move(layouts);
  if (!value->in_place.empty()) document["in_place"] = value->in_place;
  if (!value->configuration.empty()) document["configuration"] = value->configuration;
  document["found"] = value->found ? expectation_json(*value->found) : Json();
  document["expect"] = std::move(expect);
  const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string_view rest = text;
  for (const auto& [name, tensor] : value->tensors) {
    const std::size_t at = rest.find(kNoValues);
    if (!print_document(rest.substr(0, at)) || !print_values(tensor)) return kInfrastructure;
    rest.remove_prefix(at + kNoValues.size());
  }
  return print_document(rest) ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
