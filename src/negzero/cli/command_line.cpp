// The flags of each command, with the limits of their values and the help that shows them.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <negzero/cli/build_facts.hpp>
#include <negzero/cli/command_line.hpp>
#include <negzero/cli/description.hpp>
#include <negzero/cli/duration.hpp>
#include <negzero/cli/numbers.hpp>
#include <negzero/cli/report_files.hpp>

namespace negzero::cli {

const char* const kExitCodes =
    "Exit codes: 0 clean, 1 at least one finding, 2 usage (a wrong flag, a damaged or missing case file),\n"
    "3 infrastructure (a build that fails, a place that cannot be written, a worker that cannot be\n"
    "started), 4 nothing at all was decided (no kernel matched, no case there, all skipped, vacuous or\n"
    "of operations without a definition: never a pass; one of several kernels for which nothing was decided is a "
    "warning), 77 cannot run here\n"
    "(no GPU), 130 interrupted by Ctrl-C or SIGTERM (what was found is saved). Where several hold:\n"
    "2, 130, 1, 3, 4.";

namespace {

/// A flag whose text `parse` turns into a number; errors name the flag.
template <typename Parse>
CLI::Option* add_parsed(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& type,
                        const std::string& help, const Parse& parse) {
  const auto set = [&target, flag, parse](const std::string& text) {
    const auto parsed = parse(text);
    if (!parsed) throw CLI::ValidationError(flag + " " + parsed.error().message);
    target = *parsed;
  };
  return app->add_option_function<std::string>(flag, set, help)->type_name(type);
}

/// No time at all is mostly nothing that a person can mean.
void add_duration(CLI::App* app, const std::string& flag, std::uint64_t& target, const std::string& help,
                  bool may_be_none = false) {
  add_parsed(app, flag, target, "DURATION", help, [=](const std::string& text) -> base::Result<std::uint64_t> {
    auto parsed = parse_duration_ms(text);
    if (parsed && *parsed == 0 && !may_be_none)
      return base::usage_error(fmt::format("'{}' is no time; at least 1ms is needed", text));
    return parsed;
  });
}

CLI::Option* add_number(CLI::App* app, const std::string& flag, std::uint64_t& target, std::uint64_t low,
                        std::uint64_t high, const std::string& help) {
  return add_parsed(app, flag, target, "N", help,
                    [low, high](const std::string& text) { return parse_number(text, low, high); });
}

void add_executor(CLI::App* app, std::string& executor, const std::string& help) {
  app->add_option("--executor", executor, help)->check(one_of({"auto", "host", "cuda"}))->type_name("NAME");
}

void add_watch(CLI::App* app, std::string& watch, const std::string& help) {
  app->add_option("--watch", watch, help)->check(one_of({"auto", "always", "never"}))->type_name("NAME");
}

void add_running(CLI::App* app, Running& running) {
  add_executor(app, running.executor, "where kernels run: host, cuda, or auto: cuda where there is a GPU [auto]");
  add_number(app, "--jobs", running.jobs, 1, 1024,
             "worker processes; with --executor cuda cores to keep busy, of all GPUs\ntogether [one a core]");
  add_duration(app, "--timeout", running.timeout_ms,
               "longest time in which a kernel starts no further block, as 500ms, 30s or 1h30m; one that\n"
               "takes longer is a finding of class hang, and shrinking it keeps to this limit too [10s]");
  app->add_flag("--in-process", running.in_process,
                "no worker processes, for debuggers: a crash ends the program, a hang hangs it, Ctrl-C\nwaits for the "
                "case that runs, and a second one ends the program at once");
  add_watch(app, running.watch,
            "which cases run with every load and store watched, for about ten times the time: auto (check:\none in "
            "twenty, and the first of each shape at which kernels err; a given case: where it passes\notherwise), "
            "always or never [auto]");
  app->add_option("--exact", running.exact,
                  "force one method of exact sums, to check one against another: fixed128, bins or\nmultiprecision "
                  "[the cheapest]")
      ->type_name("NAME");
}

void add_making(CLI::App* command, Making& making) {
  add_number(command, "--seed", making.seed, 0, std::numeric_limits<std::uint64_t>::max(),
             "seed of all cases: the same seed makes the same cases; 0 picks one and prints it [1]");
  command
      ->add_option("--weight", making.weights,
                   "how often a strategy makes the case, against the others: STRATEGY=WEIGHT, repeatable;\n"
                   "strategies not named are not used (`negzero list strategies` has them and their usual weights)")
      ->allow_extra_args(false)
      ->type_name("S=W");
  command
      ->add_option("--extents", making.extents,
                   "what extents are to be, by the names of `negzero list operations`: NAME=VALUE or\n"
                   "NAME=LOW:HIGH[:STEP], by commas, as in m=4096,n=4096,k=64:4096:64; the others as usual")
      ->type_name("LIST");
  command->add_flag("--finite", making.finite,
                    "no infinity and no NaN among the inputs: what fails then fails on plain numbers");
}

void add_allow_not_judged(CLI::App* command, bool& allow) {
  command->add_flag("--allow-not-judged", allow,
                    "exit with 0, not with 4, where the only kernels are of declared operations, whose values nothing\n"
                    "judges, and memory, races, hangs and claims were clean; they are counted apart all the same");
}

CLI::Option* add_first_finding(CLI::App* command, bool& first_finding) {
  return command->add_flag(
      "-x,--fail-fast", first_finding,
      "stop at the first finding that is no accepted one; files of other failing cases stay as found");
}

CLI::Option* add_accept(CLI::App* command, std::string& path) {
  return command
      ->add_option(
          "--accept", path,
          "a ledger of known findings (JSON, docs/ci.md): those that it names are found and listed, and do not\n"
          "make exit code 1; kernels of which it accepts a crash are not run; an entry whose kernel ran and\n"
          "whose finding did not occur makes exit code 1")
      ->type_name("FILE");
}

/// `page`: other names of the first flag.
void add_reports(CLI::App* command, ReportFlags& reports, const std::string& page = "") {
  for (std::size_t i = 0; i < report_files().size(); ++i) {
    const ReportFile& file = report_files()[i];
    command->add_option((i == 0 ? page : "") + file.flag, reports.paths[i], file.help)->type_name("FILE");
  }
}

}  // namespace

CommandLine::CommandLine() {
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return version_text(build_facts()); },
      "version, compiler, executors and licences of this program");
  app.footer(std::string("`negzero COMMAND --help` shows the flags of a command.\n\n") + kExitCodes);
  add_list();
  add_check();
  add_compare();
  add_replay();
  add_judge();
  add_fuzz();
  add_report();
  show_command =
      add_command("show", "print a case file: operation, values, layouts, where it came from, what it expects",
                  "negzero show findings/x.case.safetensors");
  show_command->add_option("case", show_flags.path, "case file")->required()->type_name("");
  add_export();
  add_shrink();
  new_command = add_command("new", "read the kernels of a CUDA file and write a declaration of them to begin with",
                            "negzero new softmax.cu --kernel softmax_kernel");
  new_command->add_option("file", new_flags.file, "FILE.cu, or FILE.py with CUDA as text for load_inline()")
      ->required()
      ->type_name("");
  new_command->add_option("--kernel", new_flags.kernel, "only this kernel [all that the file defines]")
      ->type_name("NAME");
  new_command->add_option("--output", new_flags.output, "where the declaration goes [FILE.nz beside the file]")
      ->type_name("FILE");
  new_command->add_flag("--force", new_flags.force, "write over a declaration that is there");
  add_compile();
  init_command = add_command("init", "write what continuous integration and coding agents need into a project",
                             "negzero init . --action OWNER/negzero@v0.1.0");
  init_command->add_option("folder", init_flags.folder, "the root of the project [.]")->type_name("");
  init_command
      ->add_option(
          "--action", init_flags.action,
          "the repository of negzero, and the tag or commit of it, from which workflows install it [a\nquestion, "
          "???, in what is written]")
      ->type_name("OWNER/NAME@REF");
  init_command->add_flag("--force", init_flags.force, "write over files that are there");
  completion_command = add_command("completion", "print what completes command lines in a shell",
                                   "negzero completion bash > ~/.local/share/bash-completion/completions/negzero");
  completion_command->add_option("shell", completion_flags.shell, "bash, zsh or fish")
      ->required()
      ->check(one_of(kShells))
      ->type_name("");
  man_command = add_command("man", "print the page for `man`", "negzero man > negzero.1");
  doctor_command =
      add_command("doctor", "what this machine can do, and for each no why and what to do", "negzero doctor");
}

CLI::App* CommandLine::add_command(const std::string& name, const std::string& help, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_flag("--json", common.json, "one JSON document on standard output and nothing else there");
  command
      ->add_option(
          "--kernels", common.kernels,
          "program that holds kernels, as CMake's negzero_worker() makes them, a module of Python, MODULE.py,\n"
          "or a file of CUDA, FILE.cu or FILE.py FILE.nz; repeatable [the one that ships]")
      ->type_name("PROGRAM")
      ->allow_extra_args(false);
  command
      ->add_option("--color", common.color,
                   "colours for people: auto (on a terminal, unless NO_COLOR is set), always or never; never in JSON\n"
                   "and in files [auto]")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
  command->footer("Example: " + example + "\n\n" + kExitCodes);
  return command;
}

void CommandLine::add_compile() {
  compile_command =
      add_command("compile",
                  "compile a CUDA file with its declaration to an object: a program that is linked with it and with\n"
                  "negzero's worker serves its kernels (CMake's negzero_add_kernels())",
                  "negzero compile row_max.cu -o row_max.o -- -Iinclude");
  compile_command->add_option("file", compile_flags.file, "FILE.cu; words behind -- are flags as to nvcc")
      ->required()
      ->type_name("");
  compile_command->add_option("declaration", compile_flags.declaration, "FILE.nz [beside the file, or lines of it]")
      ->type_name("");
  compile_command->add_option("-o,--output", compile_flags.output, "the object")->required()->type_name("FILE");
  compile_command
      ->add_option("--depfile", compile_flags.rule, "write what the object was made of, as a rule of make")
      ->type_name("FILE");
}

void CommandLine::add_list() {
  list_command =
      add_command("list", "what this program knows: kernels, rules, strategies ...", "negzero list kernels 'gemm.*'");
  list_command
      ->add_option("what", list_flags.what,
                   "kernels, operations, contracts, fields (of a contract), formats, strategies, properties, rules,\n"
                   "devices, or cases: those that `check` makes for a kernel, drawn and not run [kernels]")
      ->check(one_of({"kernels", "operations", "contracts", "fields", "formats", "strategies", "properties", "rules",
                      "devices", "cases"}))
      ->type_name("");
  list_command
      ->add_option("globs", list_flags.globs,
                   "only kernels of these names, * and ? allowed, as in 'gemm.*' [all]; of cases: one kernel")
      ->type_name("");
  add_number(list_command, "--cases", list_flags.cases, 1, kMostCases, "with cases: how many [20]");
  add_executor(list_command, list_flags.executor,
               "with cases: for which executor they are drawn; cuda needs no GPU here [auto]");
  add_watch(list_command, list_flags.watch, "with cases: how they are looked at where `check` has this flag [auto]");
  add_making(list_command, list_flags.making);
}

void CommandLine::add_check() {
  check_command = add_command("check", "make cases, run kernels on them, judge, shrink what fails and save it",
                              "negzero check 'gemm.*' --time 5m --seed 0");
  check_command
      ->add_option("kernels", check_flags.globs,
                   "names of kernels, * and ? allowed (`negzero list kernels`); none: all but faulty.* and\nreferences "
                   "of others. Or FILE.cu, compiled as it is for the host, and FILE.nz, which declares its\nkernels; "
                   "words behind -- are flags as to nvcc. Or FILE.py with CUDA as text for load_inline()")
      ->type_name("");
  cases = add_number(check_command, "--cases", check_flags.cases, 1, kMostCases, "cases a kernel [1000]");
  add_making(check_command, check_flags.making);
  add_duration(check_command, "--time", check_flags.time_ms,
               "stop making cases after this time (500ms, 30s, 5m, 1h30m), for all kernels together, and\n"
               "shrink what failed. Without --cases there is no other limit");
  check_command
      ->add_option("--save", check_flags.save,
                   "directory for findings, made when there is one: KERNEL.CLASS.HASH.original.safetensors as found,\n"
                   ".case.safetensors shrunk, .partial.safetensors where shrinking was interrupted or ran out of time "
                   "[findings]")
      ->type_name("DIR");
  add_duration(check_command, "--shrink-time", check_flags.running.shrink_time_ms,
               "longest time for the shrinking of one finding; 0s: findings are saved as generated [60s]", true);
  add_first_finding(check_command, check_flags.first_finding);
  add_accept(check_command, check_flags.accept);
  add_allow_not_judged(check_command, check_flags.allow_not_judged);
  add_reports(check_command, check_flags.reports);
  add_running(check_command, check_flags.running);
}

void CommandLine::add_compare() {
  compare_command = add_command(
      "compare",
      "run two kernels, or one on two executors, on the same cases: bit-identical, permitted, or who is wrong",
      "negzero compare gemm.tiled.f32@host gemm.tiled.f32@cuda --bitwise");
  compare_command
      ->add_option("kernels", compare_flags.kernels,
                   "two names of kernels of one operation, each with @host, @watched or @cuda where --executor is\n"
                   "not meant; cases are made for the limits and the contract of the first")
      ->required()
      ->expected(2)
      ->type_name("");
  add_number(compare_command, "--cases", compare_flags.cases, 1, kMostCases, "cases to compare them on [1000]");
  add_duration(compare_command, "--time", compare_flags.time_ms,
               "stop making cases after this time (500ms, 30s, 5m, 1h30m), and shrink what differed");
  add_making(compare_command, compare_flags.making);
  compare_command->add_flag("--bitwise", compare_flags.bitwise,
                            "a difference that both contracts permit is a finding too");
  add_first_finding(compare_command, compare_flags.first_finding);
  compare_command
      ->add_option("--save", compare_flags.save,
                   "directory for the smallest case of each kind of difference [findings]")
      ->type_name("DIR");
  add_duration(compare_command, "--shrink-time", compare_flags.running.shrink_time_ms,
               "longest time for the shrinking of one kind of difference; 0s: cases stay as generated [60s]", true);
  add_reports(compare_command, compare_flags.reports);
  add_running(compare_command, compare_flags.running);
  compare_command->get_option("--watch")->group("");  // A side is watched by its name.
}

void CommandLine::add_replay() {
  replay_command =
      add_command("replay", "run case files and compare each verdict with what the file expects, or with a pass",
                  "negzero replay corpus/regressions --junit out.xml");
  replay_command
      ->add_option("paths", replay_flags.paths,
                   "case files; a folder stands for every *.safetensors below it, and - for a case on standard input")
      ->type_name("");
  replay_command
      ->add_option("--list", replay_flags.list,
                   "a text file with a path a line, replayed behind those; - for one on standard input, as in\n"
                   "`find . -name '*.safetensors' | negzero replay --list -`")
      ->type_name("FILE");
  replay_command
      ->add_option("--kernel", replay_flags.kernels,
                   "run on the kernels of this name or glob instead of those that the files name, and expect a\n"
                   "pass by the contracts that they declare; cases of other operations are skipped; repeatable")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  add_reports(replay_command, replay_flags.reports);
  add_allow_not_judged(replay_command, replay_flags.allow_not_judged);
  replay_command->add_flag("--record", replay_flags.record,
                           "write each verdict into its file, as what that kernel is expected to do from now on (with\n"
                           "--kernel by its own contract, which replaces the one in the file)");
  replay_command
      ->add_option("--save-outputs", replay_flags.save_outputs,
                   "write what each kernel gave into this folder, as CASE.KERNEL.outputs.safetensors, for `negzero\n"
                   "judge`; of a run without outputs (a crash, a refusal) there is none")
      ->type_name("DIR");
  replay_command->add_flag("--debug", replay_flags.running.in_process,
                           "as --in-process: to break inside a kernel with gdb");
  add_running(replay_command, replay_flags.running);
}

void CommandLine::add_judge() {
  judge_command = add_command("judge", "judge outputs that were recorded elsewhere, without any kernel",
                              "negzero judge case.safetensors --observed outputs.safetensors --contract f32");
  judge_command->add_option("case", judge_flags.path, "case file")->required()->type_name("");
  judge_command
      ->add_option("--observed", judge_flags.observed,
                   "a safetensors file with every output of the operation by its name (d, y, out ...), in the\n"
                   "case's format and shape; `negzero replay --save-outputs` writes such files")
      ->required()
      ->type_name("FILE");
  judge_command
      ->add_option("--contract", judge_flags.contract,
                   "what the results are held to: a preset of `negzero list contracts`, JSON with fields of a\n"
                   "contract, or default, for what is assumed of results of which nothing is declared [that of the\n"
                   "case, or the one that the file of outputs names]")
      ->type_name("CONTRACT");
  judge_command
      ->add_option("--sets", judge_flags.sets, "write the permitted set of every element to a safetensors file")
      ->type_name("FILE");
  judge_command
      ->add_option("--elements", judge_flags.elements, "all, or sample: as many as can be judged in --time [all]")
      ->check(one_of({"all", "sample"}))
      ->type_name("WHICH");
  add_duration(judge_command, "--time", judge_flags.time_ms, "about how long a sample may take [2s]");
  add_number(judge_command, "--seed", judge_flags.seed, 0, std::numeric_limits<std::uint64_t>::max(),
             "of a sample's random elements [1]");
  add_number(judge_command, "--jobs", judge_flags.jobs, 1, 1024, "threads that judge [one a core]");
}

void CommandLine::add_fuzz() {
  fuzz_command = add_command("fuzz",
                             "search for as long as you like: learn which cases show something new, keep them in a "
                             "folder,\nshrink what fails, go on from there the next time",
                             "negzero fuzz 'gemm.*' --folder campaign --time 8h");
  fuzz_command
      ->add_option("kernels", fuzz_flags.globs,
                   "names of kernels, * and ? allowed (`negzero list kernels`); none: all but faulty.* and\nreferences "
                   "of others. Or FILE.cu, compiled as it is for the host, and FILE.nz, which declares its\nkernels; "
                   "words behind -- are flags as to nvcc. Or FILE.py with CUDA as text for load_inline()")
      ->type_name("");
  fuzz_command
      ->add_option("--folder", fuzz_flags.folder,
                   "where corpus/, findings/ and shards/ are and go; a search goes on from what is there, and several "
                   "may\nshare it")
      ->required()
      ->type_name("DIR");
  fuzz_command
      ->add_option("--shard", fuzz_flags.shard,
                   "which of several searches in the folder this is, as 2/4: each makes cases of its own and reads "
                   "what\nthe others keep [1/1]")
      ->type_name("I/N");
  add_number(fuzz_command, "--cases", fuzz_flags.cases, 1, kMostCases,
             "stop after as many cases, for all kernels together [no limit]");
  add_making(fuzz_command, fuzz_flags.making);
  add_duration(fuzz_command, "--time", fuzz_flags.time_ms,
               "stop after this time (30s, 5m, 8h), shrinking included [no limit: Ctrl-C saves and stops]");
  add_duration(fuzz_command, "--shrink-time", fuzz_flags.running.shrink_time_ms,
               "longest time for the shrinking of one finding; 0s: findings are saved as generated [60s]", true);
  CLI::Option* const merge = fuzz_command->add_flag(
      "--merge", fuzz_flags.merge,
      "search nothing: remove the cases of the corpus that show nothing which others do not show");
  add_number(fuzz_command, "--most", fuzz_flags.most, 1, kMostCases,
             "with --merge: leave no more cases of a kernel than that, those which show most together [all that show\n"
             "something of their own]")
      ->needs(merge);
  add_first_finding(fuzz_command, fuzz_flags.first_finding)->excludes(merge);
  add_accept(fuzz_command, fuzz_flags.accept)->excludes(merge);
  add_allow_not_judged(fuzz_command, fuzz_flags.allow_not_judged);
  add_reports(fuzz_command, fuzz_flags.reports);
  add_running(fuzz_command, fuzz_flags.running);
}

void CommandLine::add_report() {
  report_command = add_command("report",
                               "tell what a campaign of `negzero fuzz` has come to, all shards of its folder together, "
                               "running or ended;\nevery finding runs once more",
                               "negzero report campaign -o campaign.html");
  report_command->add_option("folder", campaign_flags.folder, "the --folder of the campaign; nothing in it is changed")
      ->required()
      ->type_name("");
  add_allow_not_judged(report_command, campaign_flags.allow_not_judged);
  add_reports(report_command, campaign_flags.reports, "-o,");
  add_running(report_command, campaign_flags.running);
}

void CommandLine::add_export() {
  export_command =
      add_command("export",
                  "write a failing case as code that needs no negzero: a CUDA program, a Python script or a "
                  "test",
                  "negzero export findings/x.case.safetensors --kernels softmax.cu -o x.cu");
  export_command->add_option("case", export_flags.path, "case file")->required()->type_name("");
  export_command
      ->add_option("--format", export_flags.format,
                   "cu: a program for nvcc, whose main() returns 1 where the case fails and 0 where it does not;\n"
                   "gtest: the same as a TEST() without main(); py: a script for Python with NumPy, whose\n"
                   "assertion fails [cu for a kernel in CUDA, else py]")
      ->check(one_of({"cu", "py", "gtest"}))
      ->type_name("FORMAT");
  export_command
      ->add_option("-o,--output", export_flags.output, "where the code goes, whole or not at all [standard output]")
      ->type_name("FILE");
  export_command
      ->add_option("--kernel", export_flags.kernel, "kernel it fails on, by its exact name [the one the case names]")
      ->type_name("NAME");
  export_command
      ->add_option("--observed", export_flags.observed,
                   "with py: a safetensors file with what the kernel gave, as `negzero replay --save-outputs` writes\n"
                   "it [the kernel runs once, where it can]")
      ->type_name("FILE");
  export_command
      ->add_option("--call", export_flags.call,
                   "with py: statements of Python that compute the outputs again, with each input and output by\n"
                   "its name, as 'd = np.matmul(a, b)' [the file has what the kernel gave]")
      ->type_name("CODE");
  add_executor(export_command, export_flags.running.executor,
               "where the kernel, or what it is held to, runs: host, cuda, or auto: cuda where there is a GPU [auto]");
}

void CommandLine::add_shrink() {
  shrink_command = add_command("shrink", "make a failing case smaller, keeping its failure class",
                               "negzero shrink found.safetensors -o small.safetensors");
  shrink_command->add_option("case", shrink_flags.path, "case file")->required()->type_name("");
  shrink_command
      ->add_option("-o,--output", shrink_flags.output,
                   "where the smaller case goes; after Ctrl-C it goes to *.partial.safetensors beside")
      ->required()
      ->type_name("FILE");
  shrink_command
      ->add_option("--kernel", shrink_flags.kernel, "kernel it fails on, by its exact name [the one the case names]")
      ->type_name("NAME");
  add_duration(shrink_command, "--shrink-time", shrink_flags.running.shrink_time_ms,
               "longest time; what is smallest then is written [60s]");
  add_running(shrink_command, shrink_flags.running);
}

}  // namespace negzero::cli
