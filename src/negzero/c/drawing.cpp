// Adversarial cases for other languages.

#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <negzero/c/drawing.hpp>
#include <negzero/c/options.hpp>
#include <negzero/generate/generate.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::c {
namespace {

using base::Ok;
using base::Status;
using base::usage_error;
using tensor::in_quotes;

base::Error wrong(const std::string& key, const Json& value, const char* valid) {
  return usage_error(fmt::format("options: {} is {}; give {}", key, in_quotes(value.dump()), valid));
}

Status read_formats(const Json& given, operation::Limits& limits) {
  constexpr const char* kValid = R"(lists of formats: [["F16", "F16", "F32"]])";
  if (!given.is_array()) return wrong("formats", given, kValid);
  for (const Json& combination : given) {
    if (!combination.is_array()) return wrong("formats", given, kValid);
    std::vector<number::FormatId>& formats = limits.formats.emplace_back();
    for (const Json& name : combination) {
      const auto format = name.is_string() ? number::parse_format(name.get<std::string>()) : std::nullopt;
      if (!format) return wrong("formats", name, "the name of a format: F16, BF16, F32 ...");
      formats.push_back(*format);
    }
  }
  return Ok{};
}

Status read_extents(const Json& given, operation::Limits& limits) {
  constexpr const char* kValid = R"(the least and the greatest value by name: {"k": [1, 64]})";
  if (!given.is_object()) return wrong("extents", given, kValid);
  for (const auto& [name, range] : given.items()) {
    if (!range.is_array() || range.size() != 2) return wrong("extents", given, kValid);
    const auto least = integer(name, range[0], {0, tensor::kMaxElements});
    if (!least) return least.error();
    const auto most = integer(name, range[1], {*least, tensor::kMaxElements});
    if (!most) return most.error();
    limits.extents[name].min = *least;
    limits.extents[name].max = *most;
  }
  return Ok{};
}

Status read_truth(const std::string& key, const Json& given, bool& value) {
  if (!given.is_boolean()) return wrong(key, given, "true or false");
  value = given.get<bool>();
  return Ok{};
}

Status read_number(const std::string& key, const Json& given, std::uint64_t& value) {
  if (!given.is_number_unsigned()) return wrong(key, given, "an integer from 0 to 2^64 - 1");
  value = given.get<std::uint64_t>();
  return Ok{};
}

/// What one key of the options says.
Status read(const std::string& key, const Json& given, generate::Request& request, std::uint64_t& seed,
            std::uint64_t& index) {
  if (key == "operation") {
    if (!given.is_string()) return wrong(key, given, "an operation's name");
    request.operation = given.get<std::string>();
    return Ok{};
  }
  if (key == "contract") {
    auto contract = contract_of(given);
    if (!contract) return contract.error();
    request.contract = *std::move(contract);
    return Ok{};
  }
  if (key == "packed") {
    bool packed = false;
    if (const Status status = read_truth(key, given, packed); !status || !packed) return status;
    request.limits.inputs =
        request.limits.output = {.order = operation::LayoutOrder::Packed, .broadcast = false, .max_offset = 0};
    return Ok{};
  }
  if (key == "formats") return read_formats(given, request.limits);
  if (key == "extents") return read_extents(given, request.limits);
  if (key == "finite") return read_truth(key, given, request.finite);
  return read_number(key, given, key == "seed" ? seed : index);
}

}  // namespace

base::Result<operation::Case> drawn(std::string_view options) {
  constexpr std::array<std::string_view, 8> kKnown{"operation", "formats", "contract", "extents",
                                                   "packed",    "finite",  "seed",     "index"};
  const auto parsed = parse_options(options, kKnown);
  if (!parsed) return parsed.error();
  if (!parsed->contains("operation")) {
    return usage_error("options: operation is missing; give an operation's name, \"gemm\" for one");
  }
  generate::Request request;
  std::uint64_t seed = 1, index = 0;
  for (const auto& [key, given] : parsed->items()) {
    if (const Status status = read(key, given, request, seed, index); !status) return status.error();
  }
  if (const Status status = generate::validate(request); !status) return status.error();
  // What is asked for as a limit is drawn however large it is: a tensor that is too large at its least is refused here.
  generate::ExtentRanges least;
  for (const auto& [name, limit] : request.limits.extents) least[name] = {limit.min, limit.min};
  if (const Status status = generate::validate(least, request.operation, request.limits); !status) {
    return status.error();
  }
  operation::Case value = generate::make_case(request, seed, index);
  if (parsed->contains("contract")) value.contract = contract::to_json(request.contract);
  return value;
}

}  // namespace negzero::c
