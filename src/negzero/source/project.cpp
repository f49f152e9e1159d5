// Lists the files of a project by the compiler's own preprocessor, and copies them.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include <negzero/files/input_file.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/left_out.hpp>
#include <negzero/source/prepared.hpp>
#include <negzero/source/project.hpp>
#include <negzero/source/running.hpp>

namespace negzero::source {
namespace {

namespace fs = std::filesystem;

/// How often the files of a project are listed at most.
constexpr std::size_t kMostPasses = 8;

/// The names behind the colons of rules of make, as compilers write them.
std::vector<std::string> names_in_rules(std::string_view rule) {
  std::vector<std::string> names;
  std::string name;
  for (std::size_t i = 0; i <= rule.size(); ++i) {
    const char sign = i < rule.size() ? rule[i] : ' ';
    const char next = i + 1 < rule.size() ? rule[i + 1] : ' ';
    if (sign == '\\' && (next == ' ' || next == '#')) {
      name += next;
      ++i;
    } else if (sign == '$' && next == '$') {
      name += sign;
      ++i;
    } else if (sign == ' ' || sign == '\n' || sign == '\\') {
      if (!name.empty() && !name.ends_with(':')) names.push_back(name);
      name.clear();
    } else {
      name += sign;
    }
  }
  return names;
}

/// The header that an #include names, of each directive.
std::vector<std::string> headers_in(std::span<const Token> tokens) {
  std::vector<std::string> headers;
  std::string line;
  for (std::size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && tokens[i].is_directive) {
      line += tokens[i].text;
      continue;
    }
    const std::size_t word = line.find("include"), open = line.find_first_of("<\"", word);
    const std::size_t close = open == std::string::npos ? open : line.find_first_of(">\"", open + 1);
    if (word != std::string::npos && close != std::string::npos)
      headers.push_back(line.substr(open + 1, close - open - 1));
    line.clear();
  }
  return headers;
}

/// Whether a header is of CUDA's toolkit, or of a library over it, that no host compiler could read with these words of
/// CUDA in front, even where it is installed: it counts as empty, and what a kernel uses of it is an error. So a
/// toolkit on the compiler's own path changes nothing.
bool is_of_library(std::string_view header) {
  constexpr std::string_view kHeads[] = {"cublas",
                                         "cudnn",
                                         "cufft",
                                         "curand",
                                         "cusparse",
                                         "cusolver",
                                         "cudss",
                                         "cufile",
                                         "nccl",
                                         "nvtx",
                                         "nvToolsExt",
                                         "nvml",
                                         "npp",
                                         "nvjpeg",
                                         "nvrtc",
                                         "nvJitLink",
                                         "nvPTXCompiler",
                                         "nvfatbin",
                                         "nvfunctional",
                                         "nv/",
                                         "cupti",
                                         "cub/",
                                         "thrust/",
                                         "cuda/",
                                         "cutlass/",
                                         "cute/",
                                         "cuda_",
                                         "cudaE",
                                         "cudaG",
                                         "cudaP",
                                         "cudaT",
                                         "cudaV",
                                         "cudal",
                                         "cudart",
                                         "cuComplex",
                                         "crt/",
                                         "device_",
                                         "sm_",
                                         "texture_",
                                         "surface_",
                                         "driver_",
                                         "vector_functions",
                                         "math_functions",
                                         "common_functions.h",
                                         "host_config.h",
                                         "library_types.h",
                                         "fatbinary",
                                         "cooperative_groups",
                                         "mma.h",
                                         "torch/",
                                         "ATen/",
                                         "c10/",
                                         "pybind11/"};
  return std::ranges::any_of(kHeads, [&](std::string_view head) { return header.starts_with(head); });
}

/// Whether a file is one that kits call as CUDA's are called.
bool is_of_kit(std::string_view name, const Kit& kit) {
  return std::ranges::any_of(kit.toolkit, [&](const std::string& folder) { return name.starts_with(folder + "/"); });
}

/// Whether one of the listed files is what an include of `header` has found, and is of no toolkit.
bool is_of_author(const std::vector<std::string>& names, const std::string& header) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return name.ends_with("/" + header) && !is_toolkit(name.substr(0, name.size() - header.size()));
  });
}

base::Status write_text(const std::string& path, std::string_view text) {
  std::error_code code;
  fs::create_directories(fs::path(path).parent_path(), code);
  std::ofstream file(path, std::ios::binary);
  if (file.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) return base::Ok{};
  return base::infrastructure_error(
      fmt::format("{} cannot be written; make room, or name another folder by NEGZERO_CACHE", path));
}

}  // namespace

base::Result<Project> Project::of(const std::vector<std::string>& mains, const Kit& kit, const HostFlags& flags,
                                  const std::string& folder) {
  Project project;
  project.folder_ = folder;
  project.flags_ = flags;
  std::vector<std::string> words{kit.compiler};
  const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
  add(kit.flags);
  add(kit.prelude(false));
  add(flags.flags);
  add({"-I" + folder + "/missing"});
  add(kit.includes);
  add({"-x", "c++", "-MM", "-MG"});
  for (const std::string& main : mains) {
    words.push_back(main);
    if (!main.ends_with(".py")) continue;
    // The compiler cannot read a module of Python; its headers are found from its folder.
    const auto text = read_source(main);
    if (!text) return text.error();
    words.back() = folder + "/listed" + main + ".cu";
    if (auto written = write_text(words.back(), *text); !written) return written.error();
    add({"-I" + fs::path(main).parent_path().string()});
  }
  project.missing_folder_ = folder + "/missing";
  // Each round may find files that include more of what is not there.
  for (std::size_t known = 0, round = 0; round == 0 || (project.missing_.size() > known && round < kMostPasses);
       ++round) {
    known = project.missing_.size();
    auto listed = run_program(words);
    if (!listed) return listed.error();
    std::vector<std::string> names = names_in_rules(listed->output);
    names.insert(names.end(), mains.begin(), mains.end());
    for (const std::string& name : names) {
      if (name.starts_with(kit.folder + "/") || name.starts_with(folder + "/") || is_of_kit(name, kit)) continue;
      if (auto taken = project.take(name, names, kit); !taken) return taken.error();
    }
  }
  return project;
}

base::Status Project::take(const std::string& name, const std::vector<std::string>& listed, const Kit& kit) {
  std::error_code code;
  if (!fs::exists(name, code)) return add_missing(name);
  const std::string path = fs::absolute(name, code).lexically_normal().string();
  if (files_.contains(path)) return base::Ok{};
  auto text = read_source(path);
  if (!text) return text.error();
  const auto tokens = tokens_of(*text);
  has_volatile_ = has_volatile_ || std::ranges::find(tokens, "volatile", &Token::text) != tokens.end();
  Prepared prepared = host_edits(*text);
  for (const std::string& note : prepared.notes) notes_.push_back(fmt::format("{}: {}", path, note));
  SourceFile file{.edits = std::move(prepared.edits), .units = units_of(*text, tokens).units};
  for (const std::string& header : headers_in(tokens)) {
    const bool is_here = std::ranges::any_of(
        kit.toolkit, [&](const std::string& toolkit) { return fs::exists(toolkit + "/" + header, code); });
    if (is_here || !is_of_library(header) || is_of_author(listed, header)) continue;
    if (auto added = add_missing(header); !added) return added;
  }
  file.text = *std::move(text);
  files_.emplace(path, std::move(file));
  return base::Ok{};
}

base::Status Project::add_missing(const std::string& name) {
  if (std::ranges::find(missing_, name) != missing_.end()) return base::Ok{};
  missing_.push_back(name);
  return write_text(missing_folder_ + "/" + name, "#pragma once\n");
}

base::Status Project::write(For what) const {
  for (const auto& [path, file] : files_) {
    std::vector<Edit> edits;
    for (const std::size_t which : file.left_out)
      std::ranges::move(left_out(file.text, file.units[which]), std::back_inserter(edits));
    for (const Edit& edit : what == For::Gpu ? std::vector<Edit>{} : file.edits) {
      const auto covers = [&edit, &units = file.units](std::size_t which) {
        return units[which].begin <= edit.at && edit.at < units[which].end;
      };
      if (std::ranges::none_of(file.left_out, covers)) edits.push_back(edit);
    }
    std::ranges::stable_sort(edits, {}, &Edit::at);
    const std::string text = fmt::format("#line 1 \"{}\"\n", path) + edited(file.text, edits);
    if (auto written = write_text(copy_of(path, what), text); !written) return written;
  }
  return base::Ok{};
}

std::vector<std::string> Project::flags(For what) const {
  std::vector<std::string> result;
  for (const std::string& flag : what == For::Gpu ? flags_.of_nvcc : flags_.flags) {
    if (flag.starts_with("-I")) result.push_back("-I" + copy_of(flag.substr(2), what));
    result.push_back(flag);
  }
  result.push_back("-I" + missing_folder_);
  return result;
}

Place Project::before(const std::string& path, Place place) const {
  const auto found = files_.find(path);
  if (found == files_.end() || place.column == 0) return place;
  const SourceFile& file = found->second;
  const std::string copy = edited(file.text, file.edits);
  return place_of(file.text, place_before(file.edits, character_of(copy, place)));
}

std::optional<std::string> Project::leave_out(const std::string& path, Place place) {
  const auto found = files_.find(path);
  if (found == files_.end()) return std::nullopt;
  SourceFile& file = found->second;
  const std::size_t at = character_of(file.text, before(path, place));
  for (std::size_t i = 0; i < file.units.size(); ++i) {
    const Unit& unit = file.units[i];
    if (at < unit.begin || at >= unit.end || unit.is_device || file.left_out.contains(i)) continue;
    file.left_out.insert(i);
    const std::string name = unit.name.empty() ? "a declaration" : unit.name;
    return fmt::format("{} ({}:{})", name, fs::path(path).filename().string(), place_of(file.text, unit.begin).line);
  }
  return std::nullopt;
}

}  // namespace negzero::source
