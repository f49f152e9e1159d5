// How a program that holds kernels is started: by itself, or by the interpreter that its first line names.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include <negzero/run/program.hpp>
#include <negzero/run/python_module.hpp>

namespace negzero::run {

namespace {

namespace fs = std::filesystem;

/// Of the first line of a script: what Linux reads of it.
constexpr std::size_t kMostLine = 255;
/// Of links to a file: what Linux follows.
constexpr int kMostLinks = 40;

/// What follows `#!`, or nothing where the file is no script.
std::optional<std::string> first_line(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostLine, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (!text.starts_with("#!")) return std::nullopt;
  return text.substr(2, text.find('\n') - 2);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream from(text);
  std::vector<std::string> words;
  for (std::string word; from >> word;) words.push_back(word);
  return words;
}

}  // namespace

bool is_script(const std::string& path) { return first_line(path).has_value(); }

std::string found_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const said = std::getenv("PATH");
  std::istringstream folders(said == nullptr ? "/usr/local/bin:/usr/bin:/bin" : said);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    std::error_code code;
    if (path.is_absolute() && fs::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

namespace {

/// The interpreter and its arguments: what `env` would have made of them.
std::vector<std::string> interpreter_of(const std::string& line) {
  std::vector<std::string> words = words_of(line);
  if (words.empty()) return {};
  if (fs::path(words.front()).filename() != "env") {
    // All that follows is one argument.
    const std::size_t at = line.find(words.front()) + words.front().size();
    const std::size_t begin = line.find_first_not_of(" \t", at);
    const std::size_t end = line.find_last_not_of(" \t\r");
    words.resize(1);
    if (begin != std::string::npos && begin <= end) words.push_back(line.substr(begin, end + 1 - begin));
    return words;
  }
  words.erase(words.begin());
  if (!words.empty() && words.front() == "-S") words.erase(words.begin());
  if (words.empty()) return {};
  words.front() = found_in_path(words.front());
  return words;
}

/// What an interpreter at that path may read of the prefix that it is installed in.
void add_prefixes(const fs::path& interpreter, std::vector<std::string>& readable) {
  const auto add = [&](const fs::path& path) {
    if (path.parent_path().filename() != "bin") return;
    const fs::path prefix = path.parent_path().parent_path();
    for (const char* const name : {"lib", "lib64", "share", "pyvenv.cfg"}) readable.push_back(prefix / name);
  };
  std::error_code code;
  fs::path path = interpreter;
  add(path);
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, code); ++links) {
    path = (path.parent_path() / fs::read_symlink(path, code)).lexically_normal();
    add(path);
  }
  if (const fs::path real = fs::canonical(interpreter, code); !code) add(real);
}

}  // namespace

base::Result<Program> program_to_start(const std::vector<std::string>& program) {
  Program result{.command = program};
  std::error_code code;
  if (result.command.empty()) {
    result.command.push_back(fs::read_symlink("/proc/self/exe", code).string());
    return result;
  }
  if (is_python_module(result.command.front())) return module_to_start(result.command.front());
  const fs::path script = result.command.front();
  const auto line = first_line(script);
  if (!line) return result;
  const auto cannot = [&](const std::string& why) {
    return base::infrastructure_error(fmt::format("{}: this script cannot be started: {}", script.string(), why));
  };
  if (::access(script.c_str(), X_OK) != 0) return cannot(std::string(std::strerror(errno)) + "; make it executable");
  const std::vector<std::string> words = interpreter_of(*line);
  if (words.empty() || !fs::is_regular_file(words.front(), code)) {
    return cannot("its first line, '#!" + *line + "', names no interpreter that is there");
  }
  if (first_line(words.front())) {
    return cannot(
        fmt::format("its interpreter {0} is a script that starts another program, which a confined process "
                    "may not; name that program in the first line (`{0} -c 'import sys; "
                    "print(sys.executable)'` says it for Python)",
                    words.front()));
  }
  if (const fs::path real = fs::canonical(script, code); !code) {
    result.readable.push_back(real);
    if (real.parent_path() != "/") result.readable.push_back(real.parent_path());
  }
  add_prefixes(words.front(), result.readable);
  result.command.insert(result.command.begin(), words.begin(), words.end());
  return result;
}

}  // namespace negzero::run
