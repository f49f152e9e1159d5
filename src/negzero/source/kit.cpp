// Reads the kit, and compiles its preludes where it came without.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <negzero/files/input_file.hpp>
#include <negzero/files/own_folder.hpp>
#include <negzero/source/kit.hpp>
#include <negzero/source/manifest.hpp>
#include <negzero/source/running.hpp>

namespace negzero::source {
namespace {

namespace fs = std::filesystem;

/// When a file was written and its size, as text: another build of negzero makes other programs.
std::string stamp(const std::string& path) {
  struct ::stat file {};
  if (::stat(path.c_str(), &file) != 0) return "-";
  return fmt::format("{}.{}.{}", file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size);
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The file of a program: in the folders of PATH, then in `besides`.
std::optional<std::string> found(const std::string& program, const std::vector<std::string>& besides = {}) {
  if (program.find('/') != std::string::npos) return program;
  const std::string path = variable("PATH");
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    folders.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  folders.insert(folders.end(), besides.begin(), besides.end());
  for (const std::string& folder : folders) {
    const std::string file = folder + "/" + program;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

std::string with_folder(std::string text, const std::string& folder) {
  constexpr std::string_view kMark = "@kit@";
  if (const std::size_t at = text.find(kMark); at != std::string::npos) text.replace(at, kMark.size(), folder);
  return text;
}

/// Whether this CPU runs what g++ makes of -mfma.
bool has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

base::Status find_compilers(Kit& kit) {
  const std::string named = variable("NEGZERO_CXX");
  const auto compiler = found(named.empty() ? kit.compiler : named);
  if (!compiler) {
    return base::infrastructure_error(
        fmt::format("{} compiles files of CUDA for the host and is not there; install it (Debian, Ubuntu: "
                    "apt install g++), or name another by NEGZERO_CXX",
                    named.empty() ? kit.compiler : named));
  }
  kit.compiler = *compiler;
  if (kit.nvcc.empty()) return base::Ok{};
  const std::string home = variable("CUDA_HOME");
  const auto nvcc = found(kit.nvcc.front(), {home.empty() ? "" : home + "/bin", "/usr/local/cuda/bin"});
  if (nvcc) {
    kit.nvcc.front() = *nvcc;
  } else {
    kit.nvcc.clear();
  }
  return base::Ok{};
}

constexpr const char* kPreludes[] = {"plain.hpp", "watched.hpp"};

bool is_compiled(const std::string& prelude) {
  std::error_code code;
  return fs::exists(prelude + ".gch", code) || fs::exists(prelude + ".pch", code);
}

/// Whether only this user can have written a folder of the cache and its content.
bool is_own_with_files(const std::string& folder) {
  std::error_code code;
  if (!files::is_own(folder)) return false;
  const fs::directory_iterator entries(folder, code);
  return std::all_of(begin(entries), end(entries),
                     [](const auto& entry) { return files::is_own(entry.path().string()); });
}

}  // namespace

std::vector<std::string> Kit::prelude(bool is_watched, bool is_reported) const {
  const std::string path = preludes + "/" + kPreludes[is_watched ? 1 : 0];
  std::error_code code;
  if (!is_reported && fs::exists(path + ".pch", code)) return {"-include-pch", path + ".pch"};
  return {"-include", path};
}

base::Result<Kit> read_kit(const std::string& folder) {
  const std::string path = folder + "/kit.json";
  const auto text = files::read_text(path);
  if (!text) {
    return base::infrastructure_error(
        fmt::format("{}; a file of CUDA is compiled with it: build or install all of negzero", text.error().message));
  }
  try {
    const auto json = nlohmann::json::parse(*text);
    Kit kit{.folder = folder, .preludes = folder, .compiler = json.at("compiler")};
    const auto read = [&](const char* key, std::vector<std::string>& into) {
      for (const std::string item : json.at(key)) into.push_back(with_folder(item, folder));
    };
    read("flags", kit.flags);
    if (has_fma()) read("fma", kit.flags);
    read("includes", kit.includes);
    read("reported", kit.reported);
    read("watched", kit.watched);
    read("nvcc", kit.nvcc);
    kit.link.push_back(with_folder(json.at("main"), folder));
    read("link", kit.link);
    read("toolkit", kit.toolkit);
    for (const std::string& item : kit.link) {
      std::error_code code;
      if (item.starts_with('/') && !fs::exists(item, code)) {
        return base::infrastructure_error(fmt::format("{} is not there; build or install all of negzero", item));
      }
    }
    if (auto there = find_compilers(kit); !there) return there.error();
    kit.identity = fmt::format("{}\n{}\n{}{}", *text, folder, kit.compiler, stamp(kit.compiler));
    for (const std::string& flag : kit.flags) kit.identity += flag;
    for (const std::string& item : kit.link) kit.identity += stamp(item);
    for (const char* prelude : kPreludes) kit.identity += stamp(folder + "/" + prelude + ".gch");
    return kit;
  } catch (const std::exception& exception) {
    return base::infrastructure_error(fmt::format("{} is no kit: {}; build negzero again", path, exception.what()));
  }
}

base::Status prepare_preludes(Kit& kit, const std::string& cache, const std::function<void(const std::string&)>& say) {
  if (is_compiled(kit.folder + "/" + kPreludes[0])) return base::Ok{};
  const std::string folder = fmt::format("{}/kit.{}", cache, hash_of(kit.identity));
  const std::string own = fmt::format("{}.{}", folder, ::getpid());
  kit.preludes = folder;
  if (is_own_with_files(folder) && is_compiled(folder + "/" + kPreludes[0])) return base::Ok{};
  say("compiling negzero's headers ahead, once on this machine");
  std::error_code code;
  if (auto made = files::make_own_folder_anew(own); !made) return made.error();
  std::vector<std::vector<std::string>> commands;
  for (const bool is_watched : {false, true}) {
    if (is_watched && kit.watched.empty()) continue;
    const std::string name = kPreludes[is_watched ? 1 : 0], prelude = own + "/" + name;
    fs::copy_file(kit.folder + "/" + name, prelude, code);
    if (code) return base::infrastructure_error(fmt::format("{} cannot be written: {}", prelude, code.message()));
    std::vector<std::string> words{kit.compiler};
    for (const auto* more : {&kit.flags, is_watched ? &kit.watched : nullptr, &kit.includes}) {
      if (more != nullptr) words.insert(words.end(), more->begin(), more->end());
    }
    const bool is_clang = fs::path(kit.compiler).filename().string().find("clang") != std::string::npos;
    words.insert(words.end(), {"-x", "c++-header", prelude, "-o", prelude + (is_clang ? ".pch" : ".gch")});
    commands.push_back(std::move(words));
  }
  auto ran = run_programs(commands);
  if (!ran) return ran.error();
  for (const Ran& each : *ran) {
    if (each.status == 0) continue;
    fs::remove_all(own, code);
    return base::infrastructure_error(
        fmt::format("{} does not compile negzero's headers; g++ 12 does: {}", kit.compiler, each.errors));
  }
  files::close_to_others(own);
  if (!is_own_with_files(folder)) fs::remove_all(folder, code);
  fs::rename(own, folder, code);
  // Another process was faster.
  if (code) fs::remove_all(own, code);
  return base::Ok{};
}

}  // namespace negzero::source
