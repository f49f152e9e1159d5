// Reading the metadata of case files: nothing is trusted on the way in.

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <negzero/case_file/case_file.hpp>
#include <negzero/case_file/metadata.hpp>
#include <negzero/files/field_reader.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::case_file {

using notation::ScalarSignature;
using notation::Signature;
using operation::Case;
using operation::EarlierLaunches;
using operation::Expectation;
using operation::History;
using operation::Operation;
using operation::Poison;
using operation::Scalar;
using operation::Schedule;
namespace {

using FirstError = std::optional<std::string>;
using base::Result;
using base::usage_error;
using files::in_quotes;
using files::JsonValue;
using number::FormatId;

template <typename List>
std::string joined(const List& list) {
  return fmt::format("{}", fmt::join(list, ", "));
}

std::string format_words() {
  std::string words;
  for (const number::Format& format : number::all_formats()) (words += words.empty() ? "" : ", ") += format.name;
  return words;
}

FormatId read_format(files::FieldReader& fields, std::string_view key) {
  static const std::string words = format_words();
  return fields.word(key, number::parse_format, words);
}

Operation read_operation(const JsonValue& document, FirstError& error) {
  static const std::string words = joined(operation::operation_names());
  files::FieldReader fields(document, "metadata operation", {"name", "extents", "formats"}, error);
  Operation operation;
  const std::string_view identity = fields.text("name");
  if (const auto signature = operation::signature_of(identity)) {
    operation = Operation(**signature);
  } else if (operation::is_line(identity)) {
    fields.fail("name", "cannot be read: " + signature.error().message);
  } else {
    fields.fail("name", fmt::format("= {} is none of {}, nor a line that declares one", in_quotes(identity), words));
  }
  const Signature& signature = operation.signature();
  files::FieldReader extents(fields.child("extents"), "metadata operation: extents", signature.extents, error);
  for (std::size_t i = 0; i < signature.extents.size(); ++i) {
    operation.extents()[i] = extents.integer(signature.extents[i]);
  }
  files::FieldReader formats(fields.child("formats"), "metadata operation: formats", signature.formats, error);
  for (std::size_t i = 0; i < signature.formats.size(); ++i) {
    const bool is_named = i < signature.own_formats || formats.has(signature.formats[i]);
    operation.formats()[i] =
        is_named ? read_format(formats, signature.formats[i]) : signature.usual_format(i, operation.formats());
  }
  return operation;
}

Scalar read_scalar(const JsonValue& document, std::string_view what, FirstError& error) {
  files::FieldReader fields(document, what, {"bits", "format"}, error);
  Scalar scalar;
  scalar.format = read_format(fields, "format");
  const std::string_view text = fields.text("bits");
  const std::optional<std::uint64_t> bits = files::parse_hex(text);
  if (!bits) fields.fail("bits", fmt::format("= {} is not 0x and hexadecimal digits", in_quotes(text)));
  scalar.bits = bits.value_or(0);
  return scalar;
}

void read_scalars(const JsonValue& document, Operation& operation, FirstError& error) {
  std::vector<std::string> names;
  for (const ScalarSignature& scalar : operation.signature().scalars) names.push_back(scalar.name);
  if (names.empty() && !error) error = fmt::format("metadata scalars: {} has none", name(operation));
  files::FieldReader fields(document, "metadata scalars", names, error);
  for (std::size_t i = 0; i < names.size(); ++i) {
    operation.scalars()[i] = read_scalar(fields.child(names[i]), "metadata scalars: " + names[i], error);
  }
}

/// The format that a layout names is the one that the operation says.
void check_stored_format(files::FieldReader& fields, std::string_view tensor, const Operation& operation) {
  const number::FormatId named = fields.word("format", number::parse_format, "the formats of tensors");
  for (const operation::TensorSpec& spec : operation::tensor_specs(operation)) {
    if (spec.name != tensor || spec.format == named || !fields.ok()) continue;
    fields.fail("format", fmt::format("is {}, and the operation says {}", number::format(named).name,
                                      number::format(spec.format).name));
  }
}

std::map<std::string, tensor::Layout> read_layouts(const JsonValue& document, const Operation& operation,
                                                   FirstError& error) {
  std::map<std::string, tensor::Layout> layouts;
  if (!document.is(JsonValue::Kind::Object)) {
    error = "metadata layout is not an object";
    return layouts;
  }
  for (const JsonValue& value : document) {
    files::FieldReader fields(value, "metadata layout:", {"format", "shape", "strides", "offset"}, error, value.key);
    if (fields.has("format")) check_stored_format(fields, value.key, operation);
    tensor::Layout layout;
    layout.shape = fields.integers("shape");
    layout.strides = fields.integers("strides");
    layout.offset = fields.integer("offset");
    if (error) break;
    layouts.emplace_hint(layouts.end(), value.key, std::move(layout));
  }
  return layouts;
}

/// Options by name. Whether their names may be some kernel's, validate() says.
operation::Configuration read_configuration(const JsonValue& document, FirstError& error) {
  operation::Configuration configuration;
  if (!document.is(JsonValue::Kind::Object)) {
    error = "metadata configuration is not an object";
    return configuration;
  }
  for (const JsonValue& value : document) {
    const auto number = static_cast<std::int64_t>(value.number);
    const bool is_integer = value.is(JsonValue::Kind::Negative) || (value.is(JsonValue::Kind::Unsigned) && number >= 0);
    if (!is_integer) {
      error = fmt::format("metadata configuration: {} is not an integer of 64 bits with sign", in_quotes(value.key));
      break;
    }
    configuration.emplace_hint(configuration.end(), value.key, number);
  }
  return configuration;
}

Schedule read_schedule(const JsonValue& document, FirstError& error) {
  files::FieldReader fields(document, "metadata schedule", {"order", "preempt", "seed"}, error);
  Schedule schedule;
  schedule.order = fields.word("order", operation::parse_order, "forward, backward, random");
  schedule.preempt = fields.boolean("preempt");
  schedule.seed = fields.decimal("seed");
  return schedule;
}

History read_history(const JsonValue& document, FirstError& error) {
  History history;
  if (!document.is(JsonValue::Kind::Array)) {
    error = "metadata history is not a list";
    return history;
  }
  const auto is_same = [](std::string_view word) -> std::optional<bool> {
    return word == "same" ? std::optional(true) : word == "other" ? std::optional(false) : std::nullopt;
  };
  for (const JsonValue& value : document) {
    files::FieldReader fields(value, "metadata history", {"times", "contents", "storage", "shape", "stream", "seed"},
                              error);
    EarlierLaunches launch;
    const std::int64_t times = fields.integer("times");
    if (times < 1 || times > operation::kMostEarlierLaunches) {
      fields.fail("times", fmt::format("= {} is not between 1 and {}", times, operation::kMostEarlierLaunches));
    }
    launch.times = static_cast<std::uint32_t>(times);
    launch.contents = fields.word("contents", operation::parse_contents, "same, scalars, one, later, other");
    launch.same_storage = fields.word("storage", is_same, "same, other");
    launch.same_shape = fields.word("shape", is_same, "same, other");
    if (fields.has("stream")) launch.same_stream = fields.word("stream", is_same, "same, other");
    launch.seed = fields.decimal("seed");
    if (error) break;
    history.push_back(launch);
  }
  return history;
}

Expectation read_expectation(const JsonValue& document, std::string_view where, FirstError& error) {
  files::FieldReader fields(document, where, {"kernel", "executor", "verdict", "class", "rule", "needs"}, error);
  Expectation expectation;
  expectation.kernel = fields.text("kernel");
  if (fields.has("executor")) expectation.executor = fields.text("executor");
  expectation.verdict = fields.word("verdict", verdict::parse_verdict, verdict::verdict_words());
  if (fields.has("class")) {
    expectation.failure_class = fields.word("class", verdict::parse_failure_class, verdict::failure_class_words());
  }
  if (fields.has("rule")) expectation.rule = fields.text("rule");
  if (fields.has("needs")) expectation.needs = fields.text("needs");
  return expectation;
}

std::vector<Expectation> read_expectations(const JsonValue& document, FirstError& error) {
  std::vector<Expectation> expectations;
  if (!document.is(JsonValue::Kind::Array)) {
    error = "metadata expect is not a list";
    return expectations;
  }
  for (const JsonValue& value : document) {
    Expectation expectation = read_expectation(value, "metadata expect", error);
    if (error) break;
    expectations.push_back(std::move(expectation));
  }
  return expectations;
}

/// Takes keys out of the metadata one by one, so that what is left is unknown.
class Taker {
 public:
  Taker(Metadata& metadata, FirstError& error) : metadata_(metadata), error_(error) {}

  std::optional<std::string> text(const std::string& key) {
    const auto node = metadata_.extract(key);
    if (node.empty()) return std::nullopt;
    return std::move(node.mapped());
  }

  /// Calls read(value) with what the text of that key holds, where it holds one.
  template <typename Read>
  void json(const std::string& key, const Read& read) {
    const std::optional<std::string> found = text(key);
    if (error_ || !found) return;
    const Result<files::JsonDocument> document = files::parse_strict_json(*found, key);
    if (document) {
      read(document->root());
    } else {
      error_ = "metadata " + document.error().message;
    }
  }

  std::uint64_t decimal(const std::string& key) {
    const std::optional<std::string> found = text(key);
    if (error_ || !found) return 0;
    const std::optional<std::uint64_t> value = files::parse_decimal(*found);
    if (!value) error_ = fmt::format("metadata {} = {} is not a decimal number of 64 bits", key, in_quotes(*found));
    return value.value_or(0);
  }

 private:
  Metadata& metadata_;
  FirstError& error_;
};

}  // namespace

Result<Case> case_of(Metadata metadata) {
  FirstError error;
  Taker take(metadata, error);
  const std::optional<std::string> version = take.text("negzero");
  if (!version) return usage_error("this is no case file: its metadata has no key negzero");
  if (*version != kVersion) {
    return usage_error(
        fmt::format("case file of version {}; this negzero reads version {}", in_quotes(*version), kVersion));
  }
  Case value;
  bool has_operation = false;
  take.json("operation", [&](const JsonValue& document) {
    has_operation = true;
    value.operation = read_operation(document, error);
  });
  if (!has_operation && !error) error = "metadata operation is missing";
  take.json("scalars", [&](const JsonValue& document) { read_scalars(document, value.operation, error); });
  take.json("layout",
            [&](const JsonValue& document) { value.layouts = read_layouts(document, value.operation, error); });
  take.json("configuration",
            [&](const JsonValue& document) { value.configuration = read_configuration(document, error); });
  take.json("schedule", [&](const JsonValue& document) { value.schedule = read_schedule(document, error); });
  take.json("history", [&](const JsonValue& document) { value.history = read_history(document, error); });
  take.json("expect", [&](const JsonValue& document) { value.expect = read_expectations(document, error); });
  take.json("found",
            [&](const JsonValue& document) { value.found = read_expectation(document, "metadata found", error); });
  if (const auto text = take.text("poison")) {
    const std::optional<Poison> poison = operation::parse_poison(*text);
    if (!poison && !error) error = fmt::format("metadata poison = {} is none of nan, large", in_quotes(*text));
    value.poison = poison.value_or(Poison::Nan);
  }
  value.in_place = take.text("in_place").value_or("");
  value.kernel = take.text("kernel").value_or("");
  value.contract = take.text("contract").value_or("");
  const bool has_contract_version = metadata.contains("contract_version");
  value.contract_version = take.decimal("contract_version");
  if (has_contract_version && value.contract_version == 0 && !error) {
    error = "metadata contract_version = \"0\" is none: the first is 1";
  }
  if (!has_contract_version) value.contract_version = 1;
  value.strategy = take.text("strategy").value_or("");
  value.seed = take.decimal("seed");
  value.index = take.decimal("index");
  value.unknown = std::move(metadata);
  if (error) return usage_error(*std::move(error));
  return value;
}

}  // namespace negzero::case_file
