// The command line: flags in, a command run, an exit code out.

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <negzero/cli/app.hpp>
#include <negzero/cli/commands.hpp>
#include <negzero/cli/duration.hpp>
#include <negzero/cli/exit_code.hpp>
#include <negzero/kernel/kernel.hpp>

namespace negzero::cli {

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 clean, 1 at least one finding, 2 usage, 3 infrastructure, 4 nothing was decided,\n"
    "77 cannot run here, 130 interrupted (what was found is saved).";

/// A flag that takes a duration.
void add_duration(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help) {
  app->add_option_function<std::string>(
         flag,
         [&target](const std::string& text) {
           const auto parsed = parse_duration_ms(text);
           if (!parsed) throw CLI::ValidationError(parsed.error().message);
           target = *parsed;
         },
         help)
      ->type_name("DURATION");
}

void add_running(CLI::App* app, Running& running) {
  app->add_option("--executor", running.executor, "where kernels run: auto, host or cuda")
      ->check(CLI::IsMember({"auto", "host", "cuda"}));
  app->add_option("--jobs", running.jobs, "worker processes; 0 is one a core")->check(CLI::Range(0, 1024));
  add_duration(app, "--timeout", running.timeout_ms, "longest time for one case before it counts as a hang [10s]");
  app->add_flag("--in-process", running.in_process, "no worker processes: for debuggers; a crash ends the program");
  app->add_option("--exact", running.exact, "force one method of exact sums: fixed128, bins or multiprecision");
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help, Common& common) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_flag("--json", common.json, "one JSON document on standard output and nothing else there");
  command->footer(kFooter);
  return command;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app("negzero: fuzzing and property-based testing for GPU arithmetic", "negzero");
  app.require_subcommand(1);
  app.set_version_flag("--version", "negzero 0.1.0");
  app.footer(kFooter);
  Common common;

  ListFlags list_flags;
  CLI::App* list_command = add_command(app, "list", "what this program knows", common);
  list_command->add_option("what", list_flags.what, "what to list")
      ->check(CLI::IsMember({"kernels", "operations", "contracts", "strategies", "properties", "rules", "devices"}))
      ->capture_default_str();

  CheckFlags check_flags;
  CLI::App* check_command =
      add_command(app, "check", "make cases, run kernels on them, judge, shrink what fails", common);
  check_command->add_option("kernels", check_flags.globs, "kernels by name, * and ? allowed; none: all but faulty.*");
  CLI::Option* cases = check_command->add_option("--cases", check_flags.cases, "cases a kernel")
                           ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 39))
                           ->capture_default_str();
  add_duration(check_command, "--time", check_flags.time_ms,
               "stop making cases after this time; alone, it lifts --cases");
  check_command->add_option("--seed", check_flags.seed, "seed of all cases; 0 picks one and prints it")
      ->capture_default_str();
  check_command->add_option("--save", check_flags.save, "directory for findings")->capture_default_str();
  check_command->add_option("--weight", check_flags.weights, "STRATEGY=WEIGHT, repeatable; those not named get 0");
  add_running(check_command, check_flags.running);

  ReplayFlags replay_flags;
  CLI::App* replay_command = add_command(app, "replay", "run case files and compare with what they expect", common);
  replay_command->add_option("paths", replay_flags.paths, "case files, or folders of them")->required();
  replay_command->add_option("--kernel", replay_flags.kernels, "run on these kernels instead, and expect a pass");
  replay_command->add_option("--junit", replay_flags.junit, "write a JUnit file too");
  replay_command->add_flag("--record", replay_flags.record, "write the verdicts into the files as what they expect");
  replay_command->add_flag("--debug", replay_flags.running.in_process,
                           "as --in-process: break inside the kernel with gdb");
  add_running(replay_command, replay_flags.running);

  ShowFlags show_flags;
  CLI::App* show_command =
      add_command(app, "show", "print a case file: operation, values, layouts, provenance", common);
  show_command->add_option("case", show_flags.path, "case file")->required();

  ShrinkFlags shrink_flags;
  CLI::App* shrink_command =
      add_command(app, "shrink", "make a failing case smaller, keeping its failure class", common);
  shrink_command->add_option("case", shrink_flags.path, "case file")->required();
  shrink_command->add_option("-o,--output", shrink_flags.output, "where the smaller case goes")->required();
  shrink_command->add_option("--kernel", shrink_flags.kernel, "kernel it fails on; else the one the case names");
  add_running(shrink_command, shrink_flags.running);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    fmt::print(stderr, "negzero: {}\n`negzero {}--help` shows the flags\n", error.what(),
               app.get_subcommands().empty() ? "" : app.get_subcommands().front()->get_name() + " ");
    return kUsage;
  }
  if (check_flags.time_ms != 0 && cases->count() == 0) check_flags.cases = std::uint64_t{1} << 39;
  for (const std::string& problem : kernel::registry().errors()) fmt::print(stderr, "negzero: {}\n", problem);
  if (!kernel::registry().errors().empty()) return kInfrastructure;

  if (list_command->parsed()) return list(list_flags, common);
  if (check_command->parsed()) return check(check_flags, common);
  if (replay_command->parsed()) return replay(replay_flags, common);
  if (show_command->parsed()) return show(show_flags, common);
  return shrink(shrink_flags, common);
}

}  // namespace negzero::cli
