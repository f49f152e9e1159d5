// What cases are wanted, as JSON.

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <negzero/c/request.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/operation/limits_json.hpp>
#include <negzero/operation/line_relations.hpp>
#include <negzero/operation/relations.hpp>

namespace negzero::c {
namespace {

using base::Ok;
using base::Status;

/// Limits as the worker protocol writes them.
base::Result<operation::Limits> limits_in(const Json& json) {
  try {
    return operation::limits_of(json);
  } catch (const std::exception& error) {
    return base::usage_error("options: " + std::string(error.what()));
  }
}

Status read_formats(const Json& given, operation::Limits& limits) {
  constexpr const char* kValid = R"(lists of formats: [["F16", "F16", "F32"]])";
  if (!given.is_array()) return wrong_option("formats", given, kValid);
  for (const Json& combination : given) {
    if (!combination.is_array()) return wrong_option("formats", given, kValid);
    std::vector<number::FormatId>& formats = limits.formats.emplace_back();
    for (const Json& name : combination) {
      const auto format = name.is_string() ? number::parse_format(name.get<std::string>()) : std::nullopt;
      if (!format) return wrong_option("formats", name, "the name of a format: F16, BF16, F32 ...");
      formats.push_back(*format);
    }
  }
  return Ok{};
}

Status read_extents(const Json& given, operation::Limits& limits) {
  constexpr const char* kValid = R"(the least and the greatest value by name, and what divides it: {"k": [1, 64, 16]})";
  if (!given.is_object()) return wrong_option("extents", given, kValid);
  for (const auto& [name, range] : given.items()) {
    if (range.is_object()) {
      const auto read = limits_in({{"extents", {{name, range}}}});
      if (!read) return read.error();
      limits.extents[name] = read->extents[name];
      continue;
    }
    if (!range.is_array() || range.size() < 2 || range.size() > 3) return wrong_option("extents", given, kValid);
    const auto least = integer(name, range[0], {0, tensor::kMaxElements});
    if (!least) return least.error();
    const auto most = integer(name, range[1], {*least, tensor::kMaxElements});
    if (!most) return most.error();
    const auto multiple = range.size() == 3 ? integer(name, range[2], {1, tensor::kMaxElements}) : 1;
    if (!multiple) return multiple.error();
    operation::ExtentLimit& limit = limits.extents[name];
    limit.min = *least;
    limit.max = *most;
    limit.multiple = *multiple;
  }
  return Ok{};
}

Status read_truth(const std::string& key, const Json& given, bool& value) {
  if (!given.is_boolean()) return wrong_option(key, given, "true or false");
  value = given.get<bool>();
  return Ok{};
}

/// The place of a word among `words`, which are in the order of an enumeration.
template <typename Enum, std::size_t kCount>
Status read_word(const std::string& key, const Json& given, const std::array<std::string_view, kCount>& words,
                 Enum& value) {
  const auto place = std::ranges::find_if(words, [&](std::string_view word) { return given == word; });
  if (place == words.end()) return wrong_option(key, given, fmt::format("one of {}", fmt::join(words, ", ")));
  value = static_cast<Enum>(place - words.begin());
  return Ok{};
}

Status read_layout(const std::string& key, const Json& given, operation::LayoutLimit& limit) {
  if (given.is_object()) {
    auto read = limits_in({{"tensors", {{key, given}}}});
    if (!read) return read.error();
    limit = std::move(read->tensors[key]);
    return Ok{};
  }
  constexpr std::array<std::string_view, 5> kWords{"any", "row_or_column_major", "row_major", "column_major", "packed"};
  if (const Status status = read_word(key, given, kWords, limit.order); !status) return status;
  if (limit.order == operation::LayoutOrder::Any) return Ok{};
  limit.broadcast = false;
  if (limit.order == operation::LayoutOrder::Packed) limit.max_offset = 0;
  return Ok{};
}

Status read_tensors(const Json& given, operation::Limits& limits) {
  if (!given.is_object()) return wrong_option("tensors", given, R"(layouts by name: {"b": "column_major"})");
  for (const auto& [name, layout] : given.items()) {
    if (const Status status = read_layout(name, layout, limits.tensors[name]); !status) return status;
  }
  return Ok{};
}

/// What is said as the worker protocol has it: of extents or tensors together, of scalars and of options.
Status read_in_protocol(const std::string& key, const Json& given, operation::Limits& limits) {
  auto read = limits_in({{key, given}});
  if (!read) return read.error();
  if (key == "products") limits.products = std::move(read->products);
  if (key == "equal") limits.equal = std::move(read->equal);
  if (key == "relations") limits.relations = std::move(read->relations);
  if (key == "in_place") limits.in_place = std::move(read->in_place);
  if (key == "scalars") limits.scalars = std::move(read->scalars);
  if (key == "values") limits.values = std::move(read->values);
  if (key == "configuration") limits.configuration = std::move(read->configuration);
  return Ok{};
}

Status read_scalar(const std::string& key, const Json& given, operation::ScalarLimit& limit) {
  constexpr std::array<std::string_view, 4> kWords{"any", "zero_or_one", "zero", "one"};
  return read_word(key, given, kWords, limit);
}

/// What one key of the options says.
Status read(const std::string& key, const Json& given, Wanted& wanted) {
  operation::Limits& limits = wanted.request.limits;
  if (key == "operation") {
    if (!given.is_string()) return wrong_option(key, given, "an operation's name");
    wanted.request.operation = given.get<std::string>();
    return Ok{};
  }
  if (key == "contract") {
    if (given == kDefaultContract) return Ok{};
    auto contract = contract_of(given);
    if (!contract) return contract.error();
    wanted.request.contract = *std::move(contract);
    wanted.has_contract = true;
    return Ok{};
  }
  if (key == "packed") {
    bool packed = false;
    if (const Status status = read_truth(key, given, packed); !status || !packed) return status;
    if (const Status status = read_layout(key, "packed", limits.inputs); !status) return status;
    return read_layout(key, "packed", limits.output);
  }
  if (key == "inputs") return read_layout(key, given, limits.inputs);
  if (key == "output") return read_layout(key, given, limits.output);
  if (key == "tensors") return read_tensors(given, limits);
  if (key == "products" || key == "equal" || key == "relations" || key == "in_place" || key == "scalars" ||
      key == "values" || key == "configuration")
    return read_in_protocol(key, given, limits);
  if (key == "alpha") return read_scalar(key, given, limits.alpha);
  if (key == "beta") return read_scalar(key, given, limits.beta);
  if (key == "formats") return read_formats(given, limits);
  if (key == "extents") return read_extents(given, limits);
  if (key == "finite") return read_truth(key, given, wanted.request.mix.finite);
  const auto seed = large_number(key, given);
  if (!seed) return seed.error();
  wanted.seed = *seed;
  return Ok{};
}

/// What values aim at where no contract is given: the one that is assumed of the first formats.
judgement::Assumed assumed(const generate::Request& request) {
  auto operation = operation::operation_named(request.operation);
  const auto& formats = request.limits.formats;
  if (operation && !formats.empty() && formats.front().size() >= operation->signature().own_formats &&
      formats.front().size() <= operation->formats().size()) {
    operation->set_formats(formats.front());
  }
  return operation ? judgement::default_contract(*operation) : judgement::Assumed{};
}

}  // namespace

std::span<const std::string_view> request_keys() {
  static constexpr std::array<std::string_view, 19> kKeys{
      "operation",     "formats",  "contract", "extents",   "packed",   "inputs",  "output",
      "tensors",       "products", "equal",    "relations", "in_place", "scalars", "values",
      "configuration", "alpha",    "beta",     "finite",    "seed"};
  return kKeys;
}

base::Result<Wanted> wanted(const Json& options) {
  if (!options.contains("operation")) {
    return base::usage_error("options: operation is missing; give an operation's name, \"gemm\" for one");
  }
  Wanted wanted;
  for (const std::string_view key : request_keys()) {
    if (!options.contains(key)) continue;
    if (const Status status = read(std::string(key), options[key], wanted); !status) return status.error();
  }
  // A function gets arrays, which are memory from end to end.
  wanted.request.limits.distant = false;
  if (!wanted.has_contract) {
    judgement::Assumed assumed = c::assumed(wanted.request);
    wanted.request.contract = std::move(assumed.contract);
    wanted.assumed = std::move(assumed.text);
  }
  if (const Status status = generate::validate(wanted.request); !status) return status.error();
  wanted.request.operation = operation::find_signature(wanted.request.operation)->identity();
  // What is asked for as a limit is drawn however large it is: a tensor that is too large at its least is refused here.
  generate::ExtentRanges least;
  const notation::Signature& signature = *operation::find_signature(wanted.request.operation);
  const operation::Limits common = operation::with_common_extents(wanted.request.limits, signature);
  for (const auto& [name, limit] : common.extents) {
    const std::int64_t first = limit.at_least(limit.min).value_or(limit.min);
    least[name] = {first, first};
  }
  if (operation::has_relations(signature, common)) {
    // The least of each need not keep the relations: from there to where they hold.
    std::vector<std::int64_t> extents;
    for (const std::string& name : signature.extents) {
      extents.push_back(common.extents[name].at_least(0).value_or(common.extents[name].min));
    }
    if (!operation::keep_line(extents, signature, common)) return wanted;
    for (std::size_t e = 0; e < extents.size(); ++e) least[signature.extents[e]] = {extents[e], extents[e]};
  }
  if (const Status status = generate::validate(least, wanted.request.operation, wanted.request.limits); !status) {
    return status.error();
  }
  return wanted;
}

}  // namespace negzero::c
