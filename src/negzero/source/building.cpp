// Copies, compiles, leaves out, compiles again, and links.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <negzero/files/input_file.hpp>
#include <negzero/source/building.hpp>
#include <negzero/source/complaints.hpp>
#include <negzero/source/extension_text.hpp>
#include <negzero/source/glue.hpp>
#include <negzero/source/pointees.hpp>
#include <negzero/source/project.hpp>
#include <negzero/source/running.hpp>

namespace negzero::source {
namespace {

namespace fs = std::filesystem;

/// Host code is left out in so many rounds: one declaration that is gone is missed by others.
constexpr int kMostRounds = 24;

/// First causes of what was left out that are said.
constexpr std::size_t kMostCauses = 3;

/// One build of a program.
class Building {
 public:
  Building(const ProgramRequest& request, Kit kit, HostFlags flags, std::string folder)
      : request_(request), kit_(std::move(kit)), flags_(std::move(flags)), folder_(std::move(folder)) {}

  base::Result<Manifest> run(const std::string& declared_in, const Declarations& declared) {
    complaints_ = Complaints(declared_in, declared);
    std::vector<std::string> mains{absolute(request_.file)};
    for (const std::string& path : declared.includes) {
      mains.push_back((fs::path(declared_in).parent_path() / path).lexically_normal().string());
      if (const auto text = read_source(mains.back()); !text) return text.error();
    }
    auto project = Project::of(mains, kit_, flags_, folder_);
    if (!project) return project.error();
    std::vector<std::string> copies;
    for (const std::string& main : mains) copies.push_back(project->copy_of(main));
    const std::vector<KernelSignature> functions = called_functions(*project, declared);
    std::error_code code;
    fs::create_directories(folder_, code);
    glue_ = folder_ + "/glue.cpp";
    if (auto made = write_glue(glue_, copies, declared_in, declared.kernels, functions, false); !made) {
      return made.error();
    }
    Manifest manifest;
    if (auto made = compile(*project, manifest.program); !made) return made.error();
    if (is_for_gpu()) {
      const bool is_whole = manifest.program.left_out.empty() && project->missing().empty();
      // A module of Python is no text of CUDA, its copy is.
      for (std::string& main : mains) {
        if (!is_whole || main.ends_with(".py")) main = project->copy_of(main, Project::For::Gpu);
      }
      if (auto made = write_glue(gpu_glue(), mains, declared_in, declared.kernels, functions, true); !made)
        return made.error();
      if (auto made = compile_for_gpu(*project); !made) return made.error();
    }
    if (auto linked = link(manifest.program); !linked) return linked.error();
    for (const auto& [path, file] : project->files()) manifest.files[path] = hash_of(file.text);
    manifest.files[declared_in] = hash_of(*files::read_text(declared_in));
    for (const auto& [path, hash] : manifest.files) manifest.program.read.push_back(path);
    manifest.program.missing = project->missing();
    manifest.program.notes = flags_.notes;
    for (const std::string& note : project->notes()) manifest.program.notes.push_back(note);
    std::vector<std::string> causes = complaints_.first_causes();
    if (causes.size() > kMostCauses) causes.resize(kMostCauses);
    std::ranges::move(causes, std::back_inserter(manifest.program.notes));
    return manifest;
  }

 private:
  [[nodiscard]] bool is_for_gpu() const { return request_.is_for_gpu && !kit_.nvcc.empty(); }
  [[nodiscard]] std::string gpu_glue() const { return folder_ + "/glue.cu"; }

  /// What the author's files define of what the launches call.
  static std::vector<KernelSignature> called_functions(const Project& project, const Declarations& declared) {
    std::vector<std::string> launches;
    for (const Declaration& each : declared.kernels) {
      if (!each.is_of_tensors) launches.push_back(each.launch.text);
    }
    std::vector<KernelSignature> result;
    for (const auto& [path, file] : project.files()) {
      if (launches.empty()) break;
      std::ranges::move(functions_called(file.text, launches), std::back_inserter(result));
    }
    return result;
  }

  static base::Status write_glue(const std::string& path, std::span<const std::string> included,
                                 const std::string& declared_in, std::span<const Declaration> declarations,
                                 std::span<const KernelSignature> functions, bool is_for_gpu) {
    auto glue = glue_for(included, declared_in, declarations, functions, is_for_gpu);
    if (!glue) return glue.error();
    if (std::ofstream file(path); (file << *glue).flush()) return base::Ok{};
    return base::infrastructure_error(
        fmt::format("{} cannot be written; make room, or name another folder by NEGZERO_CACHE", path));
  }

  /// Compiles the file for a GPU, as it is but for host code that is left out. A main() of its own is none of the
  /// program's.
  base::Status compile_for_gpu(const Project& project) {
    if (auto written = project.write(Project::For::Gpu); !written) return written;
    std::vector<std::string> words = kit_.nvcc;
    const std::vector<std::string> flags = project.flags(Project::For::Gpu);
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-c", gpu_glue(), "-o", gpu_object()});
    auto ran = run_program(words);
    if (ran && ran->status != 0) {
      return base::usage_error(fmt::format("nvcc does not compile {}:\n{}{}", request_.file, ran->output, ran->errors));
    }
    if (ran) ran = run_program({"objcopy", "--localize-symbol=main", gpu_object()});
    if (!ran) return ran.error();
    return base::Ok{};
  }

  /// Compiles both builds. Host code in which there are errors is left out until there are none, or none but others.
  base::Status compile(Project& project, Program& program) {
    for (int round = 0; round < kMostRounds; ++round) {
      if (auto written = project.write(); !written) return written;
      // A file from which nothing has to be left out is compiled at once; others are read until nothing is wrong.
      const std::vector<std::string> plain = command(project, false, {"-c", glue_, "-o", object(false)});
      auto ran = run_program(round == 0 ? plain : command(project, false, {"-fsyntax-only", glue_}));
      if (!ran) return ran.error();
      if (ran->status == 0) {
        std::vector<std::vector<std::string>> last;
        if (round > 0) last.push_back(plain);
        if (!kit_.watched.empty()) last.push_back(command(project, true, {"-c", glue_, "-o", object(true)}));
        auto both = run_programs(last);
        if (!both) return both.error();
        for (const Ran& each : *both) {
          if (each.status != 0)
            return base::usage_error(complaints_.shown(project, messages_in(each.errors), each.errors));
        }
        return base::Ok{};
      }
      const std::vector<Message> messages = messages_in(ran->errors);
      const std::size_t before = program.left_out.size() + project.missing().size();
      leave_out(project, messages, program.left_out);
      if (auto added = add_missing(project, messages); !added) return added;
      if (program.left_out.size() + project.missing().size() == before) {
        return base::usage_error(complaints_.shown(project, messages, ran->errors));
      }
    }
    return base::usage_error(
        fmt::format("{}: after {} rounds there is still host code that does not compile", request_.file, kMostRounds));
  }

  /// Headers that the compiler has not found.
  static base::Status add_missing(Project& project, const std::vector<Message>& messages) {
    constexpr std::string_view kOfGcc = ": No such file or directory", kOfClang = "' file not found";
    for (const Message& message : messages) {
      std::string_view text = message.text;
      if (message.kind != Message::Kind::Error) continue;
      if (text.ends_with(kOfGcc)) {
        text.remove_suffix(kOfGcc.size());
      } else if (text.starts_with('\'') && text.ends_with(kOfClang)) {
        text.remove_prefix(1);
        text.remove_suffix(kOfClang.size());
      } else {
        continue;
      }
      if (auto added = project.add_missing(std::string(text)); !added) return added;
    }
    return base::Ok{};
  }

  /// Leaves out the declarations of host code that errors are in, or that asked for the instantiation that has one.
  void leave_out(Project& project, const std::vector<Message>& messages, std::vector<std::string>& names) {
    // g++ prints who asked before an error, clang after it.
    std::vector<const Message*> asked;
    bool is_gone = false;
    for (const Message& message : messages) {
      if (message.kind == Message::Kind::Note) continue;
      if (message.kind == Message::Kind::Context) {
        if (is_gone) continue;
        asked.push_back(&message);
        continue;
      }
      is_gone = false;
      asked.push_back(&message);
      for (const Message* each : asked) {
        if (auto name = project.leave_out(each->file, each->place)) {
          complaints_.note_left_out(*name, project, message);
          names.push_back(*std::move(name));
          is_gone = true;
          break;
        }
      }
      asked.clear();
    }
  }

  [[nodiscard]] std::vector<std::string> command(const Project& project, bool is_watched,
                                                 const std::vector<std::string>& what) const {
    std::vector<std::string> words{kit_.compiler};
    const auto add = [&](const std::vector<std::string>& more) { words.insert(words.end(), more.begin(), more.end()); };
    add(kit_.flags);
    // A thread that spins on a volatile has to let others run, so the runtime must hear of it.
    const bool is_reported = !is_watched && project.has_volatile();
    if (is_watched) add(kit_.watched);
    if (is_reported) add(kit_.reported);
    add(kit_.prelude(is_watched, is_reported));
    add(project.flags());
    add(kit_.includes);
    add({"-fdiagnostics-color=never"});
    add(what);
    return words;
  }

  /// Makes every symbol of an object its own, so that two builds of one function are two, and that a file may have a
  /// main() and whatever names the program has.
  base::Status localise(const std::string& path) {
    auto ran = run_program({"ld", "-r", "--force-group-allocation", path, "-o", path + ".whole"});
    if (ran && ran->status == 0) {
      ran = run_program({"objcopy", "--keep-global-symbol=negzero_has_no_such_symbol", path + ".whole", path});
    }
    if (!ran) return ran.error();
    if (ran->status == 0) return base::Ok{};
    return base::infrastructure_error(fmt::format("{} cannot be made an object of its own: {}", path, ran->errors));
  }

  base::Status link(Program& program) {
    std::vector<std::string> words{kit_.compiler, "-no-pie", object(false)};
    if (!kit_.watched.empty()) words.push_back(object(true));
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (auto own = localise(words[i]); !own) return own;
    }
    if (is_for_gpu()) words.push_back(gpu_object());
    program.objects.assign(words.begin() + 2, words.end());
    words.insert(words.end(), {"-Wl,--warn-unresolved-symbols", "-Wl,--start-group"});
    words.insert(words.end(), kit_.link.begin(), kit_.link.end());
    program.path = fmt::format("{}/worker.{}", folder_, ::getpid());
    words.insert(words.end(), {"-Wl,--end-group", "-o", program.path});
    auto ran = run_program(words);
    if (!ran) return ran.error();
    note_unresolved(ran->errors, program);
    if (ran->status == 0) return base::Ok{};
    return base::usage_error(fmt::format(
        "{} compiles and does not link; a function that it calls is in another file:\n{}", request_.file, ran->errors));
  }

  /// Names what the file declares and does not define: a launch that comes to call it crashes.
  static void note_unresolved(std::string_view printed, Program& program) {
    constexpr std::string_view kBefore = "undefined reference to `";
    std::set<std::string> names;
    for (std::size_t at = printed.find(kBefore); at != std::string_view::npos; at = printed.find(kBefore, at + 1)) {
      const std::string_view rest = printed.substr(at + kBefore.size());
      names.emplace(rest.substr(0, rest.find('\'')));
    }
    if (names.empty()) return;
    program.notes.push_back(
        fmt::format("declared and not defined here, so that a call of it crashes: {}", fmt::join(names, ", ")));
  }

  [[nodiscard]] std::string gpu_object() const { return folder_ + "/cuda.o"; }
  [[nodiscard]] std::string object(bool is_watched) const { return folder_ + (is_watched ? "/watched.o" : "/plain.o"); }

  const ProgramRequest& request_;
  Kit kit_;
  HostFlags flags_;
  std::string folder_;
  std::string glue_{};
  Complaints complaints_{};
};

}  // namespace

base::Result<Manifest> build_program(const ProgramRequest& request, const Kit& kit, const HostFlags& flags,
                                     const std::string& folder, const std::string& declared_in,
                                     const Declarations& declared) {
  return Building(request, kit, flags, folder).run(declared_in, declared);
}

}  // namespace negzero::source
