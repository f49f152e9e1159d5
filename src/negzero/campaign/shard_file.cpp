// How far a shard of a search is, as a file that a later run goes on from.

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/shard_file.hpp>
#include <negzero/files/field_reader.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::campaign {

namespace {

using Json = nlohmann::json;
using files::FieldReader;
using files::JsonValue;

constexpr std::int64_t kVersion = 2;

constexpr std::uint64_t FuzzPoint::*kPoint[] = {&FuzzPoint::elapsed_ms,  &FuzzPoint::cases,  &FuzzPoint::features,
                                                &FuzzPoint::code_blocks, &FuzzPoint::corpus, &FuzzPoint::findings};
constexpr std::uint64_t Arm::*kArm[] = {&Arm::next, &Arm::cases, &Arm::kept};

/// A list of as many numbers as there are members.
template <typename Value, std::size_t kSize>
void read_numbers(const JsonValue& list, std::uint64_t Value::*const (&members)[kSize], Value& to,
                  std::optional<std::string>& error) {
  bool right = list.is(JsonValue::Kind::Array) && list.size == kSize;
  for (const JsonValue& number : list) right = right && number.is(JsonValue::Kind::Unsigned);
  if (!right) {
    error = fmt::format("{} is no list of {} numbers", files::in_quotes(files::to_nlohmann(list).dump()), kSize);
    return;
  }
  const JsonValue* number = list.first;
  for (std::size_t i = 0; i < kSize; ++i, number = number->next) to.*members[i] = number->number;
}

/// What "options" of a kernel holds for one of them.
OptionCases read_option(const JsonValue& document, std::optional<std::string>& error) {
  FieldReader fields(document, "option", {"values", "others"}, error, document.key);
  constexpr std::uint64_t OptionCount::*kCases[] = {&OptionCount::cases, &OptionCount::fail};
  OptionCases option;
  for (const JsonValue& entry : fields.child("values")) {
    const JsonValue* const value = entry.first;
    const bool right = entry.is(JsonValue::Kind::Array) && entry.size == 3 &&
                       (value->is(JsonValue::Kind::Unsigned) || value->is(JsonValue::Kind::Negative)) &&
                       value->next->is(JsonValue::Kind::Unsigned) && value->next->next->is(JsonValue::Kind::Unsigned);
    if (!right) {
      fields.fail("values", fmt::format("has {}, which is no list of 3 whole numbers",
                                        files::in_quotes(files::to_nlohmann(entry).dump())));
      break;
    }
    option.values[static_cast<std::int64_t>(value->number)] = {value->next->number, value->next->next->number};
  }
  const JsonValue& others = fields.child("others");
  if (!error) read_numbers(others, kCases, option.others, error);
  return option;
}

KernelState read_kernel(const JsonValue& document, std::optional<std::string>& error) {
  FieldReader fields(
      document, "kernel",
      {"cases", "pass", "vacuous", "fail", "refused", "error", "watched", "too_large", "not_judged", "arms", "options"},
      error, document.key);
  KernelState kernel;
  for (const Count& count : kCounts) {
    // Earlier files do not count those.
    const bool is_later = count.member == &Counts::too_large || count.member == &Counts::not_judged;
    if (is_later && !fields.has(count.name)) continue;
    const std::int64_t value = fields.integer(count.name);
    if (value < 0) fields.fail(count.name, "is negative");
    kernel.*count.member = static_cast<std::uint64_t>(value);
  }
  for (const JsonValue& numbers : fields.child("arms")) {
    Arm arm{.name = std::string(numbers.key)};
    if (!error) read_numbers(numbers, kArm, arm, error);
    kernel.arms.all().push_back(std::move(arm));
  }
  // Earlier files do not count them.
  if (!fields.has("options")) return kernel;
  for (const JsonValue& option : fields.child("options")) {
    if (error) break;
    kernel.options[std::string(option.key)] = read_option(option, error);
  }
  return kernel;
}

base::Result<ShardState> parsed(const std::string& text, const std::string& path) {
  const auto document = files::parse_strict_json(text, path);
  if (!document) return document.error();
  std::optional<std::string> error;
  FieldReader fields(document->root(), path, {"version", "seed", "elapsed_ms", "points", "kernels"}, error);
  const std::int64_t version = fields.integer("version");
  if (version != kVersion) fields.fail("version", fmt::format("= {} is not {}", version, kVersion));
  ShardState state;
  state.seed = fields.decimal("seed");
  state.elapsed_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields.integer("elapsed_ms")));
  for (const JsonValue& numbers : fields.child("points")) {
    if (error) break;
    read_numbers(numbers, kPoint, state.points.emplace_back(), error);
  }
  for (const JsonValue& kernel : fields.child("kernels")) {
    if (error) break;
    state.kernels.emplace(kernel.key, read_kernel(kernel, error));
  }
  if (!error) return state;
  return base::usage_error(
      fmt::format("{}: {}; remove the file to begin this shard anew: corpus and findings stay", path, *error));
}

}  // namespace

std::string Shard::to_string() const { return fmt::format("{}/{}", number, count); }

void add_point(std::vector<FuzzPoint>& points, const FuzzPoint& now) {
  constexpr std::size_t kMost = 1024;
  points.push_back(now);
  if (points.size() < kMost) return;
  std::vector<FuzzPoint> kept;
  for (std::size_t i = 1 - points.size() % 2; i < points.size(); i += 2) kept.push_back(points[i]);
  points = std::move(kept);
}

std::string shard_path(const std::string& folder, const Shard& shard) {
  return fmt::format("{}/shards/{}-of-{}.json", folder, shard.number, shard.count);
}

base::Result<std::optional<ShardState>> load_shard(const std::string& path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code) && !code) return std::optional<ShardState>();
  const auto text = files::read_text(path);
  if (!text) {
    return base::infrastructure_error(path + " cannot be read; make it readable, or remove it to begin anew");
  }
  auto state = parsed(*text, path);
  if (!state) return state.error();
  return std::optional(*std::move(state));
}

base::Status save_shard(const std::string& path, const ShardState& state) {
  Json points = Json::array();
  for (const FuzzPoint& point : state.points) {
    Json& numbers = points.emplace_back(Json::array());
    for (const auto member : kPoint) numbers.push_back(point.*member);
  }
  Json kernels = Json::object();
  for (const auto& [name, kernel] : state.kernels) {
    Json& entry = kernels[name];
    for (const Count& count : kCounts) entry[count.name] = kernel.*count.member;
    entry["arms"] = Json::object();
    for (const Arm& arm : kernel.arms.all()) {
      Json& numbers = entry["arms"][arm.name] = Json::array();
      for (const auto member : kArm) numbers.push_back(arm.*member);
    }
    entry["options"] = Json::object();
    for (const auto& [option, cases] : cut(kernel.options)) {
      Json& counts =
          entry["options"][option] = {{"values", Json::array()}, {"others", {cases.others.cases, cases.others.fail}}};
      for (const auto& [value, of] : cases.values) counts["values"].push_back({value, of.cases, of.fail});
    }
  }
  const Json document{{"version", kVersion},
                      {"seed", fmt::format("{}", state.seed)},
                      {"elapsed_ms", state.elapsed_ms},
                      {"points", points},
                      {"kernels", kernels}};
  const std::string text = document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::error_code ignored;  // Where it cannot be made, the file says so better.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  return files::write_file_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace negzero::campaign
