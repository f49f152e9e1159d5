// What the run of a corpus's case showed, as a file beside the case.

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/random.hpp>
#include <negzero/campaign/shown_file.hpp>
#include <negzero/contract/contract.hpp>
#include <negzero/feature/feature.hpp>
#include <negzero/files/field_reader.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/files/strict_json.hpp>

namespace negzero::campaign {

namespace {

using files::FieldReader;
using files::JsonValue;

constexpr std::int64_t kShownVersion = 1;

/// A number of several texts, one after the other: where each ends matters.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash) {
  return base::mix64(base::mix_bytes(std::as_bytes(std::span(text)), hash) ^ text.size());
}

/// A file, and with a module of Python those beside it, which it may import.
std::vector<std::string> with_imports(const std::string& path) {
  std::vector<std::string> files{path};
  if (!path.ends_with(".py")) return files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path(), code)) {
    const bool is_module = entry.path().extension() == ".py" && entry.is_regular_file(code);
    if (is_module && entry.path() != path) files.push_back(entry.path());
  }
  std::sort(files.begin() + 1, files.end());
  return files;
}

/// Of the files that the words of a command name. Programs do not change while a campaign lasts.
std::optional<std::uint64_t> hash_of_program(const std::vector<std::string>& words) {
  static std::map<std::vector<std::string>, std::optional<std::uint64_t>> known;
  const auto [at, is_new] = known.try_emplace(words);
  if (!is_new) return at->second;
  std::uint64_t hash = 0;
  for (const std::string& word : words) {
    std::error_code code;
    hash = hash_of(word, hash);
    if (!std::filesystem::is_regular_file(word, code)) continue;
    for (const std::string& file : with_imports(word)) {
      const auto bytes = files::read_text(file);
      if (!bytes || (bytes->empty() && file == word)) return std::nullopt;
      hash = hash_of(*bytes, hash);
    }
  }
  return at->second = hash;
}

}  // namespace

std::string build_of(const kernel::Kernel& kernel, const EvaluationOptions& options) {
  static const std::optional<std::uint64_t> own = hash_of_program({"/proc/self/exe"});
  const auto program = hash_of_program(kernel.build.program);
  if (!own || !program) return "";
  std::uint64_t hash = *own ^ base::mix64(*program);
  hash = hash_of(kernel.name, hash);
  hash = hash_of(contract::to_json(kernel.contract), hash);
  hash = hash_of(kernel::name(options.place), hash);
  return fmt::format("{:016x}", base::mix64(hash ^ static_cast<std::uint64_t>(options.watch)));
}

std::string shown_path(const std::string& case_path) {
  return std::filesystem::path(case_path).replace_extension(".shown.json").string();
}

base::Status save_shown(const std::string& case_path, const Shown& shown, const std::string& build) {
  if (build.empty()) return base::Ok{};
  const nlohmann::ordered_json document{
      {"version", kShownVersion}, {"build", build}, {"took_us", shown.took_us}, {"features", shown.features}};
  const std::string text = document.dump() + "\n";
  // One that a loss of power empties is none, and its case runs once more.
  return files::write_file_atomically(shown_path(case_path), std::as_bytes(std::span(text)), files::Lasting::No);
}

std::optional<Shown> load_shown(const std::string& case_path, const std::string& build) {
  if (build.empty()) return std::nullopt;
  const std::string path = shown_path(case_path);
  const auto text = files::read_text(path);
  if (!text) return std::nullopt;
  const auto document = files::parse_strict_json(*text, path);
  if (!document) return std::nullopt;
  std::optional<std::string> error;
  FieldReader fields(document->root(), path, {"version", "build", "took_us", "features"}, error);
  if (fields.integer("version") != kShownVersion || fields.text("build") != build) return std::nullopt;
  Shown shown{.took_us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields.integer("took_us")))};
  for (const JsonValue& number : fields.child("features")) {
    const bool is_one = number.is(JsonValue::Kind::Unsigned) && number.number <= UINT32_MAX;
    if (!is_one || shown.features.size() == feature::kMostFeatures) return std::nullopt;
    shown.features.push_back(static_cast<std::uint32_t>(number.number));
  }
  if (error) return std::nullopt;
  return shown;
}

}  // namespace negzero::campaign
