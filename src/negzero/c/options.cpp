// The options of a judgement as JSON.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/c/options.hpp>
#include <negzero/files/json_watch.hpp>
#include <negzero/files/strict_json.hpp>
#include <negzero/judgement/default_contract.hpp>

namespace negzero::c {
namespace {

using Json = nlohmann::ordered_json;
using base::Status;
using base::usage_error;
using files::in_quotes;

constexpr std::size_t kMostBytes = 1 << 17;
constexpr int kDeepest = 10;
constexpr std::int64_t kMostThreads = 1024, kMostWorst = 10000;
constexpr double kMostSeconds = 1e6;

Status read(const std::string& key, const Json& value, judgement::Options& options) {
  const auto wrong = [&](const char* valid) { return wrong_option(key, value, valid); };
  if (key == "elements") {
    if (value != "sample" && value != "all") return wrong("\"sample\" or \"all\"");
    options.all = value == "all";
    return base::Ok{};
  }
  if (key == "seconds") {
    const double seconds = value.is_number() ? value.get<double>() : -1;
    if (!(seconds > 0 && seconds <= kMostSeconds)) return wrong("a number of seconds above 0, up to 1000000");
    options.seconds = seconds;
    return base::Ok{};
  }
  if (key == "seed") {
    const auto seed = large_number(key, value);
    if (!seed) return seed.error();
    options.seed = *seed;
    return base::Ok{};
  }
  const auto number =
      integer(key, value, key == "threads" ? IntegerRange{0, kMostThreads} : IntegerRange{0, kMostWorst});
  if (!number) return number.error();
  if (key == "worst") options.worst = static_cast<std::size_t>(*number);
  if (key == "threads" && *number > 0) options.threads = static_cast<std::size_t>(*number);
  return base::Ok{};
}

std::span<const std::string_view> known_keys(Keys keys) {
  static constexpr std::array<std::string_view, 7> kAll{"element", "contract", "threads", "elements",
                                                        "seconds", "seed",     "worst"};
  const std::span all(kAll);
  if (keys == Keys::OfExplain) return all.first(2);
  return keys == Keys::OfPermitted ? all.subspan(1, 2) : all.subspan(1);
}

}  // namespace

base::Result<Json> parse_options(std::string_view text, std::span<const std::string_view> known) {
  if (text.empty()) return Json::object();
  if (text.size() > kMostBytes) return usage_error(fmt::format("options: longer than {} bytes", kMostBytes));
  files::JsonWatch watch(kDeepest);
  Json json = Json::parse(text, std::ref(watch), /*allow_exceptions=*/false);
  if (watch.is_deep()) return usage_error("options: nested deeper than any options");
  if (watch.duplicate())
    return usage_error("options: the key " + in_quotes(*watch.duplicate()) + " stands there twice");
  if (!json.is_object()) return usage_error("options: " + in_quotes(text) + " is no JSON object");
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(known, key) == known.end()) {
      return usage_error(
          fmt::format("options: the key {} is unknown; known: {}", in_quotes(key), fmt::join(known, ", ")));
    }
  }
  return json;
}

base::Error wrong_option(const std::string& key, const Json& value, std::string_view valid) {
  return usage_error(fmt::format("options: {} is {}; give {}", key, in_quotes(value.dump()), valid));
}

base::Result<std::uint64_t> large_number(const std::string& key, const Json& value) {
  if (!value.is_number_unsigned()) return wrong_option(key, value, "an integer from 0 to 2^64 - 1");
  return value.get<std::uint64_t>();
}

base::Result<std::int64_t> integer(const std::string& key, const Json& value, IntegerRange range) {
  const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const std::int64_t number = value.is_number_integer() && !is_large ? value.get<std::int64_t>() : range.least - 1;
  if (number < range.least || number > range.most) {
    return wrong_option(key, value, fmt::format("an integer from {} to {}", range.least, range.most));
  }
  return number;
}

base::Result<contract::Contract> contract_of(const Json& given) {
  if (!given.is_string() && !given.is_object()) {
    return usage_error(fmt::format("options: contract is {}; give a preset, \"default\" or an object of fields",
                                   in_quotes(given.dump())));
  }
  return contract::parse(given.is_string() ? given.get<std::string>() : given.dump());
}

base::Result<Asked> asked(std::string_view text, Keys keys, const operation::Case& value) {
  const auto parsed = parse_options(text, known_keys(keys));
  if (!parsed) return parsed.error();
  Asked asked;
  asked.options.all = false;
  asked.options.threads = std::max(1u, std::thread::hardware_concurrency());
  Json contract = value.contract;
  for (const auto& [key, given] : parsed->items()) {
    if (key == "contract") {
      contract = given;
    } else if (key == "element") {
      if (!given.is_string()) return wrong_option(key, given, "an element of an output as text, \"y[0,3]\"");
      asked.element = given.get<std::string>();
    } else if (Status status = read(key, given, asked.options); !status) {
      return status.error();
    }
  }
  if (contract == kDefaultContract) {
    judgement::Assumed assumed = judgement::default_contract(value.operation);
    asked.contract = std::move(assumed.contract);
    asked.assumed = std::move(assumed.text);
    return asked;
  }
  if (contract == "") {
    return usage_error("the case names no contract: give one in the options, such as \"f32\", or \"default\"");
  }
  const bool is_of_case = !parsed->contains("contract");
  auto given = is_of_case ? judgement::named_contract(value) : contract_of(contract);
  if (!given) return given.error();
  asked.contract = *std::move(given);
  return asked;
}

}  // namespace negzero::c
