// Places in source that messages name: which file of a kernel's that is, and the lines around them.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <sstream>

#include <negzero/files/input_file.hpp>
#include <negzero/report/places.hpp>
#include <negzero/verdict/ledger.hpp>

namespace negzero::report {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 22;
constexpr std::size_t kMostFiles = 64;  ///< that one kernel includes, and that are read
constexpr int kAround = 3;              ///< lines shown before a place and behind it

std::string_view file_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The path between the quotes of an #include line, or nothing.
std::string_view included_by(std::string_view line) {
  const auto skip = [&](std::string_view what) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(what)) return false;
    line.remove_prefix(what.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  return line.substr(0, line.find('"'));
}

/// The files of that name among the one of a registration and what it includes in quotes, directly or not. A file of
/// declarations, x.nz, is about x.cu, or about other files of its folder.
std::set<std::string> files_named(std::string_view name, const std::string& first, const Sources& sources) {
  const fs::path declared(first);
  std::vector<std::string> open = {first};
  if (declared.extension() == ".nz") {
    open = {fs::path(declared).replace_extension(".cu").string(), (declared.parent_path() / name).string()};
  }
  std::set<std::string> seen(open.begin(), open.end()), found;
  while (!open.empty() && seen.size() <= kMostFiles) {
    const std::string path = std::move(open.back());
    open.pop_back();
    const auto text = sources.read(path);
    // The file of the registration is known without being read.
    if (file_of(path) == name && (text || path == first)) found.insert(path);
    if (!text) continue;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
      const std::string_view included = included_by(line);
      if (included.empty()) continue;
      std::string next = (fs::path(path).parent_path() / included).lexically_normal().string();
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
  }
  return found;
}

void read_lines(SourcePlace& place, const Sources& sources) {
  const auto text = sources.read(place.file);
  if (!text) return;
  std::istringstream lines(*text);
  int number = 1;
  for (std::string line; std::getline(lines, line) && number <= place.line + kAround; ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (number >= place.line - kAround) place.lines.emplace_back(number, std::move(line));
  }
  // The file has become shorter since the kernel was built.
  if (number <= place.line) place.lines.clear();
}

}  // namespace

std::optional<std::string> Sources::read(const std::string& path) const {
  if (!operation::is_source(path)) return std::nullopt;
  std::vector<fs::path> candidates;
  if (fs::path(path).is_absolute()) candidates.emplace_back(path);
  for (const std::string& folder : folders_) candidates.push_back(fs::path(folder) / path);
  for (const fs::path& candidate : candidates) {
    std::error_code code;
    if (!fs::is_regular_file(candidate, code)) continue;
    auto text = files::read_text(candidate.string(), kMostBytes);
    if (text) return *std::move(text);
  }
  return std::nullopt;
}

std::vector<SourcePlace> places_in(std::string_view text) {
  std::vector<SourcePlace> places;
  for (operation::SourceLine& place : operation::source_lines_in(text)) places.push_back({std::move(place)});
  return places;
}

void locate(std::vector<SourcePlace>& places, const std::string& registered_in, const Sources& sources) {
  if (registered_in.empty()) return;
  for (SourcePlace& place : places) {
    const std::set<std::string> files = files_named(place.name, registered_in, sources);
    if (files.size() != 1) continue;
    place.file = *files.begin();
    read_lines(place, sources);
  }
}

std::vector<std::string> texts_of(const std::vector<SourcePlace>& places) {
  std::vector<std::string> result;
  for (const SourcePlace& place : places) {
    for (const auto& [line, text] : place.lines) {
      if (line == place.line) result.push_back(verdict::without_blanks(text));
    }
  }
  std::ranges::sort(result);
  return result;
}

std::vector<std::string> texts_of(const std::vector<operation::SourceLine>& lines, const std::string& registered_in,
                                  const Sources& sources) {
  std::vector<SourcePlace> places;
  for (const operation::SourceLine& line : lines) places.push_back({line});
  locate(places, registered_in, sources);
  return texts_of(places);
}

SourcePlace place_of(const std::string& file, int line, const Sources& sources) {
  if (file.empty()) return {};
  SourcePlace place{{std::string(file_of(file)), line}, file};
  read_lines(place, sources);
  return place;
}

}  // namespace negzero::report
