// The command line: flags in, a command run, an exit code out.

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <negzero/campaign/kernel_names.hpp>
#include <negzero/cli/app.hpp>
#include <negzero/cli/build_facts.hpp>
#include <negzero/cli/command_line.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/description.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/cli/kernel_program.hpp>
#include <negzero/cli/session.hpp>
#include <negzero/kernel/kernel.hpp>
#include <negzero/report/json.hpp>

namespace negzero::cli {

namespace {

/// What --help and --version print: `text`, with --json in a document of its own.
std::string answer(const CLI::Success& asked, const std::string& text, bool json) {
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr;
  if (version) return json ? version_json(build_facts()) : version_text(build_facts());
  return json ? report::dump({{"version", report::kJsonVersion}, {"help", text}}) : text;
}

/// Prints a text that was made of the parser's own description, with --json in a document under that key.
int print_described(const std::string& key, const std::string& text, const Common& common) {
  const bool printed =
      common.json ? print_document(report::dump({{"version", report::kJsonVersion}, {key, text}})) : print_text(text);
  return printed ? kClean : kInfrastructure;
}

/// What CLI11 says about a command line, on one line with a way out. `first` is the first word that is not --json.
std::string parse_error_text(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  std::string known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  if (app.get_subcommands().empty()) {
    if (first.empty()) return fmt::format("a command is missing; the commands are {}", known);
    return fmt::format("'{}' is no command; the commands are {}", first, known);
  }
  return fmt::format("{}; `negzero {} --help` says more", error.what(), app.get_subcommands().front()->get_name());
}

int run_command(const CommandLine& line) {
  const Common& common = line.common;
  if (line.list_command->parsed()) return list(line.list_flags, common);
  if (line.check_command->parsed()) return check(line.check_flags, common);
  if (line.compare_command->parsed()) return compare(line.compare_flags, common);
  if (line.replay_command->parsed()) return replay(line.replay_flags, common);
  if (line.judge_command->parsed()) return judge(line.judge_flags, common);
  if (line.fuzz_command->parsed()) return fuzz(line.fuzz_flags, common);
  if (line.report_command->parsed()) return report_campaign(line.campaign_flags, common);
  if (line.doctor_command->parsed()) return doctor(common);
  if (line.new_command->parsed()) return new_declaration(line.new_flags, common);
  if (line.compile_command->parsed()) return compile(line.compile_flags, common);
  if (line.init_command->parsed()) return init(line.init_flags, common);
  if (line.completion_command->parsed()) {
    return print_described("completion", completion(describe(line.app), line.completion_flags.shell), common);
  }
  if (line.man_command->parsed()) {
    return print_described("man", man_page(describe(line.app), kVersion, kExitCodes), common);
  }
  if (line.show_command->parsed()) return show(line.show_flags, common);
  if (line.export_command->parsed()) return export_case(line.export_flags, common);
  return shrink(line.shrink_flags, common);
}

}  // namespace

int run(int argc, char** argv) {
  const base::FloatEnvironment started_with = base::FloatEnvironment::current();
  base::FloatEnvironment::cuda_default().set();
  take_standard_output();
  CommandLine line;
  Common& common = line.common;
  common.started_with = started_with;
  // The script that builds and starts this program says how it was called itself.
  const char* const outer = std::getenv("NEGZERO_COMMAND");
  common.command = outer != nullptr ? outer : argc > 0 ? argv[0] : "negzero";
  if (outer != nullptr) set_command(outer);
  common.arguments.assign(argv + std::min(argc, 1), argv + argc);
  // Parsing may end before the flags.
  const bool json = std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  set_color(common.color, json);
  try {
    // What follows `--` is for the compiler of a file of CUDA.
    char** const dashes =
        std::find_if(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
    common.compiler_flags.assign(std::min(dashes + 1, argv + argc), argv + argc);
    line.app.parse(static_cast<int>(dashes - argv), argv);
    for (std::vector<std::string>* globs : {&line.check_flags.globs, &line.fuzz_flags.globs}) {
      const std::vector<std::string> words = std::exchange(*globs, {});
      for (std::size_t i = 0; i < words.size(); ++i) {
        const bool names_file = is_cuda_file(words, i) || is_declaration(words[i]);
        (names_file ? common.kernels : *globs).push_back(words[i]);
      }
    }
    set_color(common.color, common.json);
  } catch (const CLI::Success& asked) {
    std::ostringstream text;
    line.app.exit(asked, text, text);
    const std::string answered = answer(asked, as_called(text.str()), json);
    return (json ? print_document(answered) : print_text(answered)) ? kClean : kInfrastructure;
  } catch (const CLI::ParseError& error) {
    common.json = json;
    std::string first;
    for (int i = argc - 1; i > 0; --i) {
      if (std::string_view(argv[i]) != "--json") first = argv[i];
    }
    return fail(base::usage_error(parse_error_text(line.app, error, first)), common);
  }
  if (line.cases->count() == 0) {
    if (line.check_flags.time_ms != 0) {
      line.check_flags.cases = kMostCases;
    } else if (line.check_flags.globs.empty() && common.kernels.empty()) {
      line.check_flags.cases = kCasesOfAll;
    }
  }
  bool in_process = false;
  std::string executor = "auto";
  for (const Running* running :
       {&line.check_flags.running, &line.compare_flags.running, &line.replay_flags.running, &line.fuzz_flags.running,
        &line.campaign_flags.running, &line.export_flags.running, &line.shrink_flags.running}) {
    in_process = in_process || running->in_process;
    if (running->executor != "auto") executor = running->executor;
  }
  if (in_process && !common.kernels.empty()) {
    return fail(
        base::usage_error("--in-process runs kernels that are linked into this program, and those of --kernels are "
                          "in another one; leave one of the two out"),
        common);
  }
  if (in_process) {
    if (const auto held = hold_kernels(argv); !held) return fail(held.error(), common);
  }
  // Without kernels, whatever is wrong with them.
  for (const CLI::App* command : {line.new_command, line.init_command, line.judge_command, line.compile_command,
                                  line.completion_command, line.man_command}) {
    if (command->parsed()) return run_command(line);
  }
  // What a case file holds, what this program knows, and what is wrong here, can be said without kernels.
  const std::string& listed = line.list_flags.what;
  const bool needs_none = line.show_command->parsed() || line.export_command->parsed() ||
                          line.doctor_command->parsed() ||
                          (line.list_command->parsed() && listed != "kernels" && listed != "cases");
  if (needs_none && common.kernels.empty() && !brings_kernels()) return run_command(line);
  const bool takes_corpus = line.replay_command->parsed() || line.export_command->parsed();
  if (const auto known = know_kernels(common, takes_corpus, executor); !known) {
    if (!needs_none) return fail(known.error(), common);
    complain(known.error());
  }
  campaign::leave_out_lost();
  std::vector<std::string>& globs = line.fuzz_command->parsed() ? line.fuzz_flags.globs : line.check_flags.globs;
  if (globs.empty() && has_cuda_file(common.kernels)) {
    // All of the files but those that only say what others are held to.
    std::set<std::string> names, references;
    for (const kernel::Kernel* each : kernel::registry().all()) {
      if (!each->build.named.empty()) names.insert(each->name);
      references.insert(each->reference.kernel);
    }
    for (const std::string& name : references) {
      const kernel::Kernel* const reference = kernel::registry().find_anywhere(name);
      if (reference != nullptr && !reference->reference.exists()) names.erase(name);
    }
    globs.assign(names.begin(), names.end());
  }
  const std::vector<std::string>& left_out = kernel::registry().errors();
  for (const std::string& problem : left_out) complain(base::infrastructure_error(problem));
  // Without this the kernels that ship would be checked in its place.
  if (globs.empty() && has_cuda_file(common.kernels)) {
    return fail(base::usage_error(fmt::format("no kernel of {} is left to check", common.kernels.front())), common);
  }
  const int code = run_command(line);
  // The kernels that are right run all the same, but what was left out must not look like a pass.
  const bool runs_kernels = line.check_command->parsed() || line.compare_command->parsed() ||
                            line.replay_command->parsed() || line.fuzz_command->parsed() ||
                            line.report_command->parsed() || line.shrink_command->parsed();
  const bool is_clean = code == kClean || code == kUndecided;
  return runs_kernels && !left_out.empty() && is_clean ? kInfrastructure : code;
}

}  // namespace negzero::cli
