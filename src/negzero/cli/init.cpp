// `negzero init`: what continuous integration and coding agents need, written into a project.

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <negzero/base/printable.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/cli/templates.hpp>
#include <negzero/files/input_file.hpp>
#include <negzero/files/safetensors.hpp>
#include <negzero/report/json.hpp>
#include <negzero/source/declaration.hpp>

namespace negzero::cli {

namespace {

namespace fs = std::filesystem;

/// Folders deeper than that, and more files, are no project that a person has laid out.
constexpr int kMostDepth = 12;
constexpr std::size_t kMostFiles = 200;

/// The files of a project that declare kernels.
struct Declared {
  std::vector<std::string> files{};       ///< paths from its root, in order
  std::vector<std::string> undeclared{};  ///< files of CUDA without a declaration
  std::vector<std::string> unnamed{};     ///< what a shell or YAML would take for more than a path
};

/// Whether a path is the same to a shell and to YAML, unquoted.
bool is_plain(std::string_view path) {
  return path.front() != '-' && std::ranges::all_of(path, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  std::string_view("_./+-").find(c) != std::string_view::npos;
         });
}

/// Whether a file has lines `// negzero: kernel ...`.
bool declares_itself(const fs::path& path) {
  const auto text = files::read_text(path.string());
  return text && source::declaration_lines(*text).find("kernel") != std::string::npos;
}

Declared declared_files(const fs::path& root) {
  Declared declared;
  std::error_code code;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, code), end;
  for (; !code && it != end; it.increment(code)) {
    const fs::path& path = it->path();
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      const std::string name = path.filename().string();
      const bool is_built = name == "build" || fs::exists(path / "CMakeCache.txt", ignored);
      if (name.starts_with('.') || is_built || it.depth() >= kMostDepth) it.disable_recursion_pending();
      continue;
    }
    const bool is_cuda = path.extension() == ".cu", is_python = path.extension() == ".py";
    if (!is_cuda && !is_python) continue;
    fs::path beside = path;
    const bool is_declared = fs::exists(beside.replace_extension(".nz"), ignored);
    const std::string name = path.lexically_relative(root).string();
    if (!is_declared && !(is_cuda && declares_itself(path))) {
      if (is_cuda) declared.undeclared.push_back(name);
      continue;
    }
    (is_plain(name) ? declared.files : declared.unnamed).push_back(name);
    if (declared.files.size() == kMostFiles) break;
  }
  for (auto* list : {&declared.files, &declared.undeclared, &declared.unnamed}) std::ranges::sort(*list);
  return declared;
}

std::string filled(std::string text, std::string_view name, const std::string& value) {
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
    text.replace(at, name.size(), value);
  }
  return text;
}

/// The text with the files in place of @FILES@, indented as that line is. None: a comment, which both YAML's block and
/// a shell's list take, says how to get one.
std::string with_files(std::string text, const std::vector<std::string>& files) {
  constexpr std::string_view kName = "@FILES@";
  const std::size_t at = text.find(kName);
  if (at == std::string::npos) return text;
  const std::string indent = "\n" + std::string(at - text.rfind('\n', at) - 1, ' ');
  const std::string hint =
      "# No file here declares a kernel: `negzero new FILE.cu` writes a declaration; name FILE.cu here.";
  return text.replace(at, kName.size(), files.empty() ? hint : fmt::format("{}", fmt::join(files, indent)));
}

/// A file that a project gets.
struct File {
  std::string path, text;
  bool is_program = false;
};

std::vector<File> files_for(const Declared& declared, const std::string& action) {
  std::vector<File> files{
      {".github/workflows/negzero.yml", std::string(kWorkflow)},
      {".github/workflows/clusterfuzzlite.yml", std::string(kFuzzWorkflow)},
      {".clusterfuzzlite/project.yaml", std::string(kProject)},
      {".clusterfuzzlite/Dockerfile", std::string(kDockerfile)},
      {".clusterfuzzlite/build.sh", std::string(kBuild), true},
      {".clusterfuzzlite/negzero_target.cc", std::string(kTarget)},
  };
  const std::size_t at = action.find('@');
  for (File& file : files) {
    file.text = with_files(std::move(file.text), declared.files);
    file.text = filled(std::move(file.text), "@ACTION@", action);
    file.text = filled(std::move(file.text), "@REPOSITORY@", action.substr(0, at));
    file.text = filled(std::move(file.text), "@REF@", action.substr(at + 1));
  }
  files.push_back({"negzero/SKILL.md", std::string(kSkill)});
  files.push_back({"negzero/negzero.schema.json", std::string(kSchema)});
  return files;
}

base::Status write(const fs::path& path, const File& file) {
  std::error_code code;
  fs::create_directories(path.parent_path(), code);
  if (auto written = files::write_file_atomically(path.string(), std::as_bytes(std::span(file.text))); !written) {
    return written;
  }
  constexpr auto kMayRun = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  if (file.is_program) fs::permissions(path, kMayRun, fs::perm_options::add, code);
  return base::Ok{};
}

}  // namespace

int init(const InitFlags& flags, const Common& common) {
  const fs::path root = fs::path(flags.folder).lexically_normal();
  std::error_code code;
  if (!fs::is_directory(root, code)) {
    return fail(base::usage_error(fmt::format("{} is no folder; name the root of a project", flags.folder)), common);
  }
  // In two, as "??/" is a trigraph.
  const std::string action = flags.action.empty() ? std::string("??") + "?/negzero@???" : flags.action;
  const auto at = std::ranges::count(action, '@'), slashes = std::ranges::count(action, '/');
  const bool is_given = flags.action.empty() || (at == 1 && slashes >= 1 && is_plain(filled(action, "@", "")));
  if (!is_given) {
    return fail(base::usage_error(fmt::format("--action '{}': write OWNER/NAME@REF", flags.action)), common);
  }
  const Declared declared = declared_files(root);
  std::vector<std::string> written, kept;
  for (const File& file : files_for(declared, action)) {
    const fs::path path = root / file.path;
    if (fs::exists(fs::symlink_status(path, code)) && !flags.force) {
      kept.push_back(file.path);
      continue;
    }
    if (const auto done = write(path, file); !done) return fail(done.error(), common);
    written.push_back(file.path);
  }
  if (common.json) {
    const nlohmann::ordered_json document{{"version", report::kJsonVersion},
                                          {"written", written},
                                          {"kept", kept},
                                          {"files", declared.files},
                                          {"undeclared", declared.undeclared},
                                          {"unnamed", declared.unnamed},
                                          {"questions", flags.action.empty() ? 1 : 0}};
    return print_document(report::dump(document)) ? kClean : kInfrastructure;
  }
  std::string text;
  for (const std::string& path : written) text += fmt::format("written  {}\n", path);
  for (const std::string& path : kept)
    text += fmt::format("kept     {}, which was there (--force writes over it)\n", path);
  for (const std::string& path : declared.files) text += fmt::format("checks   {}\n", path);
  for (const std::string& path : declared.unnamed) {
    text += fmt::format("not named: {}: its name is more than a word to a shell; rename it\n", base::one_line(path));
  }
  for (const std::string& path : declared.undeclared) {
    text += fmt::format("not declared: {}; `negzero new {}` writes a declaration\n", base::one_line(path),
                        base::one_line(path));
  }
  if (declared.files.empty()) text += "no file declares a kernel: name files in what is written, or start this again\n";
  if (flags.action.empty() && !written.empty()) {
    text += "fill in 1 question, each a ???: whose negzero is installed, as --action OWNER/negzero@REF does\n";
  }
  return print_text(text) ? kClean : kInfrastructure;
}

}  // namespace negzero::cli
