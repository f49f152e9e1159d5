// The options of a judgement as JSON.

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/c/options.hpp>
#include <negzero/judgement/default_contract.hpp>
#include <negzero/tensor/json_watch.hpp>
#include <negzero/tensor/strict_json.hpp>

namespace negzero::c {
namespace {

using Json = nlohmann::ordered_json;
using base::Status;
using base::usage_error;
using tensor::in_quotes;

constexpr std::size_t kMostBytes = 1 << 17;
constexpr int kDeepest = 10;
constexpr std::int64_t kMostThreads = 1024, kMostWorst = 10000;
constexpr double kMostSeconds = 1e6;

base::Result<Json> parse(std::string_view text) {
  if (text.size() > kMostBytes) return usage_error(fmt::format("options: longer than {} bytes", kMostBytes));
  tensor::JsonWatch watch(kDeepest);
  Json json = Json::parse(text, std::ref(watch), /*allow_exceptions=*/false);
  if (watch.is_deep()) return usage_error("options: nested deeper than any options");
  if (watch.duplicate())
    return usage_error("options: the key " + in_quotes(*watch.duplicate()) + " stands there twice");
  if (!json.is_object()) return usage_error("options: " + in_quotes(text) + " is no JSON object");
  return json;
}

/// What an integer option may be.
struct Range {
  std::int64_t least, most;
};

base::Result<std::int64_t> integer(const std::string& key, const Json& value, Range range) {
  const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const std::int64_t number = value.is_number_integer() && !is_large ? value.get<std::int64_t>() : range.least - 1;
  if (number < range.least || number > range.most) {
    return usage_error(fmt::format("options: {} is {}; give an integer from {} to {}", key, in_quotes(value.dump()),
                                   range.least, range.most));
  }
  return number;
}

Status read(const std::string& key, const Json& value, judgement::Options& options) {
  const auto wrong = [&](const char* valid) {
    return usage_error(fmt::format("options: {} is {}; give {}", key, in_quotes(value.dump()), valid));
  };
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
    if (!value.is_number_unsigned()) return wrong("an integer from 0 to 2^64 - 1");
    options.seed = value.get<std::uint64_t>();
    return base::Ok{};
  }
  const auto number = integer(key, value, key == "threads" ? Range{0, kMostThreads} : Range{0, kMostWorst});
  if (!number) return number.error();
  if (key == "worst") options.worst = static_cast<std::size_t>(*number);
  if (key == "threads" && *number > 0) options.threads = static_cast<std::size_t>(*number);
  return base::Ok{};
}

}  // namespace

base::Result<Asked> asked(std::string_view text, Keys keys, const operation::Case& value) {
  const auto parsed = text.empty() ? base::Result<Json>(Json::object()) : parse(text);
  if (!parsed) return parsed.error();
  const std::vector<std::string> known =
      keys == Keys::OfJudge ? std::vector<std::string>{"contract", "elements", "seconds", "threads", "seed", "worst"}
                            : std::vector<std::string>{"contract", "threads"};
  Asked asked;
  asked.options.all = false;
  asked.options.threads = std::max(1u, std::thread::hardware_concurrency());
  std::string contract = value.contract;
  bool is_default = false;
  for (const auto& [key, given] : parsed->items()) {
    if (std::ranges::find(known, key) == known.end()) {
      return usage_error(
          fmt::format("options: the key {} is unknown; known: {}", in_quotes(key), fmt::join(known, ", ")));
    }
    if (key != "contract") {
      if (Status status = read(key, given, asked.options); !status) return status.error();
    } else if (given.is_string() || given.is_object()) {
      contract = given.is_string() ? given.get<std::string>() : given.dump();
      is_default = given == "default";
    } else {
      return usage_error(fmt::format("options: contract is {}; give a preset, \"default\" or an object of fields",
                                     in_quotes(given.dump())));
    }
  }
  if (is_default) {
    judgement::Assumed assumed = judgement::default_contract(value.operation);
    asked.contract = std::move(assumed.contract);
    asked.assumed = std::move(assumed.text);
    return asked;
  }
  if (contract.empty()) {
    return usage_error("the case names no contract: give one in the options, such as \"f32\", or \"default\"");
  }
  auto given = contract::parse(contract);
  if (!given) return given.error();
  asked.contract = *std::move(given);
  return asked;
}

}  // namespace negzero::c
