// The command line: flags in, a command run, an exit code out.

#include <algorithm>
#include <cstdlib>
#include <functional>
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

/// Prints a text that was made of the parser's own description, with --json in a document under that key, with `more`.
int print_described(const std::string& key, const std::string& text, const Common& common,
                    const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json document{{"version", report::kJsonVersion}, {key, text}};
  document.update(more);
  return (common.json ? print_document(report::dump(document)) : print_text(text)) ? kClean : kInfrastructure;
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

/// Which kernels a command must know before it begins.
enum class Needs {
  Nothing,    ///< none, whatever is wrong with them
  WhatThere,  ///< those that can be had: it says something without them, too
  Kernels,    ///< all of them
  Runs,       ///< the same; and it runs them, so that one that was left out must not look like a pass
};

struct Command {
  const CLI::App* app;
  Needs needs;
  std::function<int()> run;
};

/// The command that the line names.
Command command_of(const CommandLine& line) {
  const Common& common = line.common;
  const std::string& listed = line.list_flags.what;
  const Needs of_list = listed == "kernels" || listed == "cases" ? Needs::Kernels : Needs::WhatThere;
  const Command commands[] = {
      {line.list_command, of_list, [&] { return list(line.list_flags, common); }},
      {line.check_command, Needs::Runs, [&] { return check(line.check_flags, common); }},
      {line.compare_command, Needs::Runs, [&] { return compare(line.compare_flags, common); }},
      {line.replay_command, Needs::Runs, [&] { return replay(line.replay_flags, common); }},
      {line.judge_command, Needs::Nothing, [&] { return judge(line.judge_flags, common); }},
      {line.explain_command, Needs::Nothing, [&] { return explain(line.explain_flags, common); }},
      {line.depth_command, Needs::Runs, [&] { return depth(line.depth_flags, common); }},
      {line.fuzz_command, Needs::Runs, [&] { return fuzz(line.fuzz_flags, common); }},
      {line.report_command, Needs::Runs, [&] { return report_campaign(line.campaign_flags, common); }},
      {line.doctor_command, Needs::WhatThere, [&] { return doctor(common); }},
      {line.new_command, Needs::Nothing, [&] { return new_declaration(line.new_flags, common); }},
      {line.compile_command, Needs::Nothing, [&] { return compile(line.compile_flags, common); }},
      {line.init_command, Needs::Nothing, [&] { return init(line.init_flags, common); }},
      {line.completion_command, Needs::Nothing,
       [&] {
         return print_described("completion", completion(describe(line.app), line.completion_flags.shell), common);
       }},
      {line.man_command, Needs::Nothing,
       [&] {
         const auto described = describe(line.app);
         return print_described("man", man_page(described, kVersion, kExitCodes), common, description_json(described));
       }},
      {line.show_command, Needs::WhatThere, [&] { return show(line.show_flags, common); }},
      {line.export_command, Needs::WhatThere, [&] { return export_case(line.export_flags, common); }},
      {line.shrink_command, Needs::Runs, [&] { return shrink(line.shrink_flags, common); }},
  };
  return *std::ranges::find_if(commands, [](const Command& each) { return each.app->parsed(); });
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
  const auto is_word = [](std::string_view wanted) {
    return [wanted](const char* word) { return std::string_view(word) == wanted; };
  };
  // What follows `--` is for the compiler of a file of CUDA.
  char** const dashes = std::find_if(argv, argv + argc, is_word("--"));
  // Parsing may end before the flags.
  const bool json = std::any_of(argv, dashes, is_word("--json"));
  set_color(common.color, json);
  try {
    common.compiler_flags.assign(std::min(dashes + 1, argv + argc), argv + argc);
    line.app.parse(static_cast<int>(dashes - argv), argv);
    for (std::vector<std::string>* globs :
         {&line.check_flags.globs, &line.fuzz_flags.globs, &line.depth_flags.kernels}) {
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
    for (char** word = dashes; --word > argv;) {
      if (!is_word("--json")(*word)) first = *word;
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
  for (const Running* running : {&line.check_flags.running, &line.compare_flags.running, &line.replay_flags.running,
                                 &line.fuzz_flags.running, &line.campaign_flags.running, &line.export_flags.running,
                                 &line.shrink_flags.running, &line.depth_flags.running}) {
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
  const Command command = command_of(line);
  if (command.needs == Needs::Nothing) return command.run();
  const bool needs_none = command.needs == Needs::WhatThere;
  if (needs_none && common.kernels.empty() && !brings_kernels()) return command.run();
  const bool takes_corpus = line.replay_command->parsed() || line.export_command->parsed();
  if (const auto known = know_kernels(common, takes_corpus, executor); !known) {
    if (!needs_none) return fail(known.error(), common);
    complain(known.error());
  }
  campaign::leave_out_lost();
  std::vector<std::string>& globs = line.fuzz_command->parsed()    ? line.fuzz_flags.globs
                                    : line.depth_command->parsed() ? line.depth_flags.kernels
                                                                   : line.check_flags.globs;
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
  const int code = command.run();
  // The kernels that are right run all the same, but what was left out must not look like a pass.
  const bool is_clean = code == kClean || code == kUndecided;
  return command.needs == Needs::Runs && !left_out.empty() && is_clean ? kInfrastructure : code;
}

}  // namespace negzero::cli
