// Keeps what modules of Python declare, until a file changes that it depends on.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/base/random.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/files/own_folder.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/run/declaration_cache.hpp>

namespace negzero::run {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;

std::uint64_t mixed(std::string_view text, std::uint64_t hash) {
  return base::mix64(base::mix_bytes(std::as_bytes(std::span(text)), hash) ^ text.size());
}

/// The hash of a file's content; nothing where it cannot be read.
std::optional<std::string> hash_of(const std::string& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return std::nullopt;
  const auto text = files::read_text(path, kMostBytes);
  return text ? std::optional(fmt::format("{:016x}", mixed(*text, 0))) : std::nullopt;
}

/// Empty: none is known.
fs::path cache_folder() {
  const auto absolute = [](const char* name) {
    const char* const said = std::getenv(name);
    const fs::path path = said == nullptr ? "" : said;
    return path.is_absolute() ? path : fs::path();
  };
  if (const fs::path caches = absolute("XDG_CACHE_HOME"); !caches.empty()) return caches / "negzero";
  const fs::path home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "negzero";
}

}  // namespace

DeclarationCache::DeclarationCache(const Program& program) : program_(program) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return;
  std::uint64_t hash = 0;
  for (const auto* words : {&program.command, &program.environment}) {
    for (const std::string& word : *words) hash = mixed(word, hash);
  }
  path_ = folder / fmt::format("kernels-{:016x}.json", hash);
}

std::optional<std::string> DeclarationCache::find() const {
  std::error_code code;
  if (path_.empty() || !fs::is_regular_file(path_, code)) return std::nullopt;
  if (!files::is_own(fs::path(path_).parent_path().string()) || !files::is_own(path_)) return std::nullopt;
  const auto text = files::read_text(path_, kMostBytes);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    if (json.at("version") != kVersion || json.at("command") != program_.command ||
        json.at("environment") != program_.environment || json.at("files").empty()) {
      return std::nullopt;
    }
    for (const auto& [path, hash] : json.at("files").items()) {
      if (hash_of(path) != hash.get<std::string>()) return std::nullopt;
    }
    return json.at("declaration").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void DeclarationCache::keep(const std::string& declaration, fs::file_time_type asked) const {
  if (path_.empty()) return;
  try {
    nlohmann::ordered_json files = nlohmann::ordered_json::object();
    const auto declared = nlohmann::json::parse(declaration);
    for (const std::string path : declared.at("files")) {
      std::error_code code;
      const auto hash = hash_of(path);
      if (!hash || fs::last_write_time(path, code) >= asked || code) return;
      files[path] = *hash;
    }
    if (files.empty()) return;
    const std::string text = nlohmann::ordered_json{
        {"version", kVersion},
        {"command", program_.command},
        {"environment", program_.environment},
        {"files", files},
        {"declaration",
         declaration}}.dump();
    if (!files::make_own_folder(fs::path(path_).parent_path().string())) return;
    (void)files::write_file_atomically(path_, std::as_bytes(std::span(text)));
    files::close_to_others(path_);
  } catch (const nlohmann::json::exception&) {
    // A declaration that is none is kept by nothing; the one who reads it says why.
  }
}

}  // namespace negzero::run
