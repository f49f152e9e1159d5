// The programs that hold the kernels: where they are, and what they declare.

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/device/probe.hpp>
#include <negzero/files/own_folder.hpp>
#include <negzero/kernel/declaration.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/run/describe.hpp>
#include <negzero/run/scratch.hpp>
#include <negzero/source/manifest.hpp>
#include <negzero/source/program.hpp>

namespace negzero::cli {

namespace {

namespace fs = std::filesystem;
using source::absolute;

bool has_kernels() {
  const kernel::Registry& registry = kernel::registry();
  return !registry.programs().empty() || !registry.errors().empty() || !registry.absent().empty();
}

std::string beside_this_program(const std::string& name) {
  std::error_code code;
  return (fs::read_symlink("/proc/self/exe", code).parent_path() / name).string();
}

/// `named`: what the user calls it; none where nothing was named. `only`: of these kernels; empty: of all.
base::Status know(const std::string& program, const std::vector<std::string>& named,
                  const std::set<std::string>& only = {}) {
  kernel::KernelSource source{.program = {program}, .named = named};
  auto declared = run::describe_kernels(source.program);
  if (!declared) return declared.error();
  source.declarations = *std::move(declared);
  if (!only.empty()) {
    auto json = nlohmann::ordered_json::parse(source.declarations);
    auto& kernels = json["kernels"];
    kernels.erase(
        std::ranges::remove_if(kernels, [&](const auto& each) { return !only.contains(each["name"]); }).begin(),
        kernels.end());
    source.declarations = json.dump();
  }
  return kernel::declare(source, kernel::registry());
}

/// Where compiled files of CUDA are kept: NEGZERO_CACHE, or negzero in the user's folder of caches (XDG), or beside
/// temporary files. What is there is run, so it must be this user's: a folder that is not, and is not named, gives way
/// to a folder of this run. An error names the folder that cannot be taken.
base::Result<std::string> cache_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  constexpr std::string_view kCure = "remove it, or name another folder by NEGZERO_CACHE";
  if (const std::string said = variable("NEGZERO_CACHE"); !said.empty()) {
    const std::string folder = absolute(said);
    if (auto own = files::make_own_folder(folder); !own) {
      return base::infrastructure_error(
          fmt::format("no compiled programs are kept in {}; {}", own.error().message, kCure));
    }
    return folder;
  }
  // XDG: a path that is not absolute is none.
  const std::string caches = variable("XDG_CACHE_HOME"), home = variable("HOME");
  std::error_code code;
  const std::string folder = caches.starts_with('/') ? caches + "/negzero"
                             : home.starts_with('/')
                                 ? home + "/.cache/negzero"
                                 : fmt::format("{}/negzero-{}", fs::temp_directory_path(code).string(), ::geteuid());
  const auto own = files::make_own_folder(folder);
  if (own) return folder;
  const auto scratch = run::scratch_of_run();
  if (!scratch) return scratch.error();
  const std::string instead = *scratch + "/programs";
  if (!fs::exists(instead, code)) {
    tell_line(fmt::format("negzero: no compiled programs are kept in {}; {}. What this run compiles goes with it",
                          own.error().message, kCure));
  }
  if (auto made = files::make_own_folder(instead); !made) return made.error();
  return instead;
}

/// Prints the lines of a compiler; returns the error in one line.
base::Error told(const std::string& file, const base::Error& error) {
  const std::string& text = error.message;
  const std::size_t first = text.find('\n');
  if (first == std::string::npos) return error;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    tell_line((begin == 0 ? "negzero: " : "") + text.substr(begin, end - begin));
    begin = end + 1;
  }
  return {error.kind, fmt::format("{} is not compiled for the host: {}", file, text.substr(0, first))};
}

}  // namespace

base::Result<source::Program> compiled(const std::string& file, const std::string& declaration, bool is_for_gpu,
                                       const std::vector<std::string>& flags) {
  const auto cache = cache_folder();
  if (!cache) return cache.error();
  auto program = source::program_of({.file = file,
                                     .declaration = declaration,
                                     .flags = flags,
                                     .kit_folder = beside_this_program("kit"),
                                     .is_for_gpu = is_for_gpu,
                                     .cache = *cache,
                                     .say = [](const std::string& line) { tell_line("negzero: " + line); }});
  if (!program) return told(file, program.error());
  const auto tell = [](const char* what, const std::vector<std::string>& which) {
    if (!which.empty()) tell_line(fmt::format("negzero: {}: {}", what, fmt::join(which, ", ")));
  };
  tell("left out, as host code that does not compile here", program->left_out);
  tell("taken as empty, as no such header is here", program->missing);
  for (const std::string& note : program->notes) tell_line("negzero: note: " + note);
  return program;
}

base::Result<source::Kit> own_kit() { return source::read_kit(beside_this_program("kit")); }

bool brings_kernels() {
  std::error_code code;
  return has_kernels() || fs::exists(beside_this_program("negzero-worker"), code);
}

bool is_declaration(std::string_view path) { return path.ends_with(".nz"); }

bool is_cuda_file(const std::vector<std::string>& words, std::size_t i) {
  const std::string& path = words[i];
  if (path.ends_with(".cu") || path.ends_with(".cuh")) return true;
  if (!path.ends_with(".py")) return false;
  std::error_code code;
  return (i + 1 < words.size() && is_declaration(words[i + 1])) ||
         fs::exists(fs::path(path).replace_extension(".nz"), code);
}

bool has_cuda_file(const std::vector<std::string>& kernels) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (is_cuda_file(kernels, i)) return true;
  }
  return false;
}

base::Status know_kernels(Common& common, bool with_shipped, const std::string& executor) {
  const std::vector<std::string>& named = common.kernels;
  if (named.empty() && !brings_kernels()) {
    return base::usage_error(
        "this negzero brings no kernels of its own; name a file, as in `negzero check FILE.cu`, or --kernels PROGRAM");
  }
  if (named.empty()) return has_kernels() ? base::Ok{} : know(beside_this_program("negzero-worker"), {});
  base::Status first = base::Ok{};
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::string path = absolute(named[i]);
    base::Result<std::string> program = path;
    std::vector<std::string> words{path};
    if (is_cuda_file(named, i)) {
      const bool is_declared = i + 1 < named.size() && is_declaration(named[i + 1]);
      const bool is_for_gpu = executor == "cuda" || (executor == "auto" && device::probe().usable());
      auto made = compiled(named[i], is_declared ? named[i + 1] : "", is_for_gpu, common.compiler_flags);
      if (made) common.accepted.add({.path = made->declared_in, .ledger = verdict::Ledger(made->accepted)});
      program = made ? base::Result<std::string>(made->path) : base::Result<std::string>(made.error());
      if (is_declared) words.push_back(absolute(named[++i]));
    } else if (is_declaration(path)) {
      program = base::usage_error(
          fmt::format("{} declares kernels of a file of CUDA; name that first: FILE.cu {}", named[i], named[i]));
    }
    base::Status known = program ? know(*program, words) : base::Status(program.error());
    if (known) continue;
    kernel::registry().note_error(known.error().message);
    if (first) first = std::move(known);
  }
  if (!first && kernel::registry().programs().empty()) return first;
  // What kernels of a file are held to may be one that ships.
  std::set<std::string> lost;
  for (const kernel::Kernel* kernel : kernel::registry().all()) {
    const std::string& reference = kernel->reference.kernel;
    if (!reference.empty() && kernel::registry().find_anywhere(reference) == nullptr) lost.insert(reference);
  }
  if (has_cuda_file(named) && !lost.empty()) {
    return know(beside_this_program("negzero-worker"), {}, lost);
  }
  const bool are_modules = std::ranges::all_of(named, [](const std::string& path) { return path.ends_with(".py"); });
  return with_shipped && are_modules ? know(beside_this_program("negzero-worker"), {}) : base::Ok{};
}

base::Status hold_kernels(char** argv) {
  if (has_kernels()) return base::Ok{};
  const std::string path = beside_this_program("negzero-in-process");
  give_back_standard_output();
  ::execv(path.c_str(), argv);
  return base::infrastructure_error(
      fmt::format("--in-process needs {}: {}; build or install all of negzero", path, std::strerror(errno)));
}

}  // namespace negzero::cli
