// A manifest is JSON, written whole.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <negzero/base/random.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/files/own_folder.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/manifest.hpp>

namespace negzero::source {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string hash_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return fmt::format("{:016x}{:016x}", base::mix_bytes(bytes), base::mix_bytes(bytes, 0x6e65677a65726fu));
}

std::string absolute(const std::string& path) {
  std::error_code code;
  return fs::absolute(path, code).lexically_normal().string();
}

std::optional<Manifest> Manifest::read(const std::string& path) {
  const auto text = files::read_text(path);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    Manifest manifest{.files = json.at("files"),
                      .program = {.path = json.at("path"),
                                  .objects = json.at("objects"),
                                  .left_out = json.at("left_out"),
                                  .missing = json.at("missing"),
                                  .notes = json.at("notes")}};
    for (const auto& [file, hash] : manifest.files) manifest.program.read.push_back(file);
    return manifest;
  } catch (const std::exception&) {
    return std::nullopt;  // A manifest that is damaged is as good as none.
  }
}

void Manifest::write(const std::string& path) const {
  const Json json{{"files", files},
                  {"path", program.path},
                  {"objects", program.objects},
                  {"left_out", program.left_out},
                  {"missing", program.missing},
                  {"notes", program.notes}};
  const std::string temporary = fmt::format("{}.{}", path, ::getpid());
  std::ofstream(temporary) << json.dump(1);
  files::close_to_others(temporary);
  std::error_code code;
  fs::rename(temporary, path, code);
}

bool Manifest::is_current() const {
  std::error_code code;
  return fs::exists(program.path, code) && std::ranges::all_of(files, [](const auto& file) {
           const auto text = read_source(file.first);
           return text && hash_of(*text) == file.second;
         });
}

bool Manifest::is_own_in(const std::string& folder) const {
  const auto is_own = [&](const std::string& file) {
    const fs::path inside = fs::path(file).lexically_normal().parent_path();
    return inside.parent_path() == fs::path(folder).lexically_normal() && files::is_own(inside.string()) &&
           files::is_own(file);
  };
  return is_own(program.path) && std::ranges::all_of(program.objects, is_own);
}

}  // namespace negzero::source
