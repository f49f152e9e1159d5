// Writing the metadata of case files: canonical JSON, so that equal cases are equal bytes.

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/case_file/metadata.hpp>
#include <negzero/files/json_writer.hpp>
#include <negzero/operation/limits.hpp>

namespace negzero::case_file {

using notation::ScalarSignature;
using operation::Case;
using operation::EarlierLaunches;
using operation::Expectation;
using operation::Extent;
using operation::History;
using operation::Operation;
using operation::Scalar;
using operation::Schedule;
namespace {

using files::JsonWriter;
using number::FormatId;

// Every object is written in the order of its keys.

/// The places of names, in the names' order.
std::vector<std::size_t> by_name(const std::vector<std::string>& names) {
  std::vector<std::size_t> places(names.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::ranges::sort(places, {}, [&](std::size_t place) -> const std::string& { return names[place]; });
  return places;
}

std::string text_of(const Operation& operation) {
  std::vector<Extent> extents = extents_of(operation);
  std::ranges::sort(extents, {}, &Extent::name);
  JsonWriter to;
  to.open('{').key("extents").open('{');
  for (const Extent& extent : extents) to.key(extent.name).integer(extent.value);
  to.close('}').key("formats").open('{');
  std::vector<std::string> slots = operation.signature().formats;
  slots.resize(operation.named_formats().size());
  for (const std::size_t i : by_name(slots)) to.key(slots[i]).string(number::format(operation.formats()[i]).name);
  return to.close('}').key("name").string(operation.signature().identity()).close('}').take();
}

std::string scalars_text(const Operation& operation) {
  JsonWriter to;
  to.open('{');
  std::vector<std::string> names;
  for (const ScalarSignature& scalar : operation.signature().scalars) names.push_back(scalar.name);
  for (const std::size_t i : by_name(names)) {
    const Scalar& scalar = operation.scalars()[i];
    const number::Format& format = number::format(scalar.format);
    to.key(names[i]).open('{').key("bits").string(fmt::format("{:#0{}x}", scalar.bits, format.bits / 4 + 2));
    to.key("format").string(format.name).close('}');
  }
  return to.close('}').take();
}

/// Of what the file holds as bytes with its format: the shape says how many elements a line has.
std::string text_of(const std::map<std::string, tensor::Layout>& layouts, const Operation& operation) {
  std::map<std::string_view, const number::Format*> formats;
  const std::vector<operation::TensorSpec> specs = operation::tensor_specs(operation);
  for (const operation::TensorSpec& spec : specs) formats.emplace(spec.name, &number::format(spec.format));
  JsonWriter to;
  to.open('{');
  for (const auto& [tensor, layout] : layouts) {
    to.key(tensor).open('{');
    const auto format = formats.find(tensor);
    if (format != formats.end() && !format->second->fills_bytes()) to.key("format").string(format->second->name);
    to.key("offset").integer(layout.offset);
    to.key("shape").integers(layout.shape).key("strides").integers(layout.strides).close('}');
  }
  return to.close('}').take();
}

std::string text_of(const operation::Configuration& configuration) {
  JsonWriter to;
  to.open('{');
  for (const auto& [option, value] : configuration) to.key(option).integer(value);
  return to.close('}').take();
}

std::string text_of(const Schedule& schedule) {
  JsonWriter to;
  to.open('{').key("order").string(name(schedule.order)).key("preempt").boolean(schedule.preempt);
  return to.key("seed").string(std::to_string(schedule.seed)).close('}').take();
}

std::string text_of(const History& history) {
  const auto word = [](bool same) { return same ? "same" : "other"; };
  JsonWriter to;
  to.open('[');
  for (const EarlierLaunches& each : history) {
    to.open('{').key("contents").string(name(each.contents)).key("seed").string(std::to_string(each.seed));
    to.key("shape").string(word(each.same_shape)).key("storage").string(word(each.same_storage));
    to.key("stream").string(word(each.same_stream)).key("times").integer(each.times).close('}');
  }
  return to.close(']').take();
}

void write(JsonWriter& to, const Expectation& expectation) {
  to.open('{');
  if (expectation.failure_class) to.key("class").string(name(*expectation.failure_class));
  to.key("executor").string(expectation.executor).key("kernel").string(expectation.kernel);
  if (!expectation.needs.empty()) to.key("needs").string(expectation.needs);
  if (!expectation.rule.empty()) to.key("rule").string(expectation.rule);
  to.key("verdict").string(name(expectation.verdict)).close('}');
}

std::string text_of(const Expectation& expectation) {
  JsonWriter to;
  write(to, expectation);
  return to.take();
}

std::string text_of(const std::vector<Expectation>& expectations) {
  JsonWriter to;
  to.open('[');
  for (const Expectation& expectation : expectations) write(to, expectation);
  return to.close(']').take();
}

}  // namespace

Metadata metadata_of(const Case& value) {
  Metadata metadata = value.unknown;
  const auto put = [&](const char* key, std::string text) {
    if (!text.empty()) metadata[key] = std::move(text);
  };
  put("negzero", std::string(kVersion));
  put("operation", text_of(value.operation));
  if (!value.operation.scalars().empty()) put("scalars", scalars_text(value.operation));
  put("layout", text_of(value.layouts, value.operation));
  put("in_place", value.in_place);
  if (!value.configuration.empty()) put("configuration", text_of(value.configuration));
  put("poison", std::string(name(value.poison)));
  put("schedule", text_of(value.schedule));
  if (!value.history.empty()) put("history", text_of(value.history));
  put("kernel", value.kernel);
  put("contract", value.contract);
  // The first version is not written, so that files from before there were others keep their bytes.
  if (!value.contract.empty() && value.contract_version != 1) {
    put("contract_version", std::to_string(value.contract_version));
  }
  put("strategy", value.strategy);
  put("seed", std::to_string(value.seed));
  put("index", std::to_string(value.index));
  if (!value.expect.empty()) put("expect", text_of(value.expect));
  if (value.found) put("found", text_of(*value.found));
  return metadata;
}

}  // namespace negzero::case_file
