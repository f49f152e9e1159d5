// Finds a program that was compiled before, or has it compiled.

#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <negzero/files/input_file.hpp>
#include <negzero/files/own_folder.hpp>
#include <negzero/source/building.hpp>
#include <negzero/source/declaration.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/place.hpp>
#include <negzero/source/program.hpp>
#include <negzero/source/token.hpp>

namespace negzero::source {
namespace {

namespace fs = std::filesystem;

bool registers_itself(std::string_view text) {
  return text.find("kernel::registry().add(") != std::string_view::npos ||
         text.find("kernel::add_fault(") != std::string_view::npos;
}

/// The spelling of shared memory of files that register themselves, which both compilers read without this step.
base::Status refuse_own_spelling(const std::string& file, std::string_view text) {
  for (const Token& token : tokens_of(text)) {
    if (token.text != "NEGZERO_SHARED" && token.text != "NEGZERO_DYNAMIC_SHARED") continue;
    return base::usage_error(
        fmt::format("{}:{}: {} is for files that register their kernels themselves; with a declaration write CUDA: "
                    "__shared__ float x[32]; or extern __shared__ float x[];",
                    file, place_of(text, static_cast<std::size_t>(token.text.data() - text.data())).line, token.text));
  }
  return base::Ok{};
}

/// Where the declaration is, and its text: a file of its own, or lines of the CUDA file.
base::Result<std::pair<std::string, std::string>> declaration_of(const std::string& of, const std::string& given) {
  const std::string file = absolute(of);
  std::string path = given.empty() ? fs::path(file).replace_extension(".nz").string() : absolute(given);
  std::error_code code;
  if (!given.empty() || fs::exists(path, code)) {
    auto text = files::read_text(path);
    if (!text) return text.error();
    return std::pair(path, *std::move(text));
  }
  const auto text = read_source(file);
  if (!text) return text.error();
  std::string lines = declaration_lines(*text);
  // Kernels of the tree register themselves, by code.
  if (registers_itself(*text)) lines.clear();
  if (registers_itself(*text) || lines.find("kernel") != std::string::npos) return std::pair(file, std::move(lines));
  return base::usage_error(fmt::format(
      "{0} has no declaration: neither {1} nor a line `// negzero: kernel ...`; `negzero new {0}` writes one "
      "to fill in",
      of, path));
}

/// Removes what was built of older texts, but for what a run of today may still start.
void remove_old(const std::string& folder, const std::string& newest) {
  std::error_code code;
  const auto now = fs::file_time_type::clock::now();
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    const bool is_old = now - entry.last_write_time(code) > std::chrono::hours(24);
    if (entry.is_directory(code) && entry.path() != newest && is_old) fs::remove_all(entry.path(), code);
  }
}

}  // namespace

base::Result<DeclaredIn> declared_in(const std::string& file, const std::string& declaration) {
  const auto found = declaration_of(file, declaration);
  if (!found) return found.error();
  auto declarations = read_declarations(found->second, found->first);
  if (!declarations) return declarations.error();
  return DeclaredIn{found->first, *std::move(declarations)};
}

base::Result<Program> program_of(const ProgramRequest& request) {
  auto kit = read_kit(request.kit_folder);
  if (!kit) return kit.error();
  const auto source = read_source(request.file);
  if (!source) return source.error();
  if (!registers_itself(*source)) {
    if (auto refused = refuse_own_spelling(request.file, *source); !refused) return refused.error();
  }
  const auto declaration = declaration_of(request.file, request.declaration);
  if (!declaration) return declaration.error();
  const std::string& declared_path = declaration->first;
  auto declared = read_declarations(declaration->second, declared_path);
  if (!declared) return declared.error();
  if (declared->kernels.empty() && declared_path != absolute(request.file)) {
    return base::usage_error(fmt::format("{} declares no kernel; `negzero new {}` writes a declaration to fill in",
                                         declared_path, request.file));
  }
  auto flags = host_flags(declared->flags, {fs::path(declared_path).parent_path().string(),
                                            fs::path(absolute(request.file)).parent_path().string()});
  if (!flags) return flags.error();
  std::error_code code;
  auto more = host_flags(request.flags, {fs::current_path(code).string()});
  if (!more) return more.error();
  flags->flags.insert(flags->flags.end(), more->flags.begin(), more->flags.end());
  flags->of_nvcc.insert(flags->of_nvcc.end(), more->of_nvcc.begin(), more->of_nvcc.end());
  flags->notes.insert(flags->notes.end(), more->notes.begin(), more->notes.end());
  const std::string key = hash_of(fmt::format("{}\n{}\n{}\n{}\n{}", request.is_for_gpu, absolute(request.file),
                                              declared_path, fmt::join(flags->of_nvcc, "\n"), kit->identity));
  const std::string folder = fmt::format("{}/{}", request.cache, key);
  const std::string path = folder + "/manifest.json";
  const auto with_accepted = [&](Program program) {
    program.declared_in = declared_path;
    for (const Declaration& each : declared->kernels) {
      program.accepted.insert(program.accepted.end(), each.accepted.begin(), each.accepted.end());
    }
    return program;
  };
  // What is there is run: only this user may have put it there.
  if (auto own = files::make_own_folder(request.cache); !own) return own.error();
  if (files::is_own(folder) && files::is_own(path)) {
    const auto known = Manifest::read(path);
    if (known && known->is_own_in(folder) && known->is_current()) return with_accepted(known->program);
  }
  if (auto prepared = prepare_preludes(*kit, request.cache, request.say); !prepared) return prepared.error();
  request.say(fmt::format("compiling {} for the host", request.file));
  // Another process that compiles the same has a folder of its own.
  const std::string own = fmt::format("{}/{}", folder, ::getpid());
  for (const std::string& each : {folder, own}) {
    if (auto made = files::make_own_folder_anew(each); !made) return made.error();
  }
  auto made = build_program(request, *kit, *flags, own, declared_path, *declared);
  if (!made) {
    fs::remove_all(own, code);
    return made.error();
  }
  files::close_to_others(own);
  made->write(path);
  remove_old(folder, own);
  return with_accepted(made->program);
}

}  // namespace negzero::source
